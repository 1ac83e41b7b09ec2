/**
 * Small operations on text that many rooms need.
 */

/** Splits into lines without their ends (`\n`, `\r\n` or `\r`); a final line end adds no empty line. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/**
 * At most `room` lines: the first and the last, or the last alone, and one that counts those left out, of `total` if some
 * are not among them.
 */
export function elideLines(
  lines: readonly string[],
  { room, keep = "ends", total = lines.length }: {
    room: number;
    keep?: "ends" | "end";
    total?: number | undefined;
  },
): string[] {
  if (lines.length <= room) return [...lines];
  const kept = Math.max(0, room - 1);
  const first = keep === "end" ? 0 : Math.ceil(kept / 2);
  const last = lines.slice(lines.length - (kept - first));
  return [...lines.slice(0, first), ...omissionLine(total - kept), ...last];
}

/** One line that counts those left out; none if there are none. */
export function omissionLine(count: number): string[] {
  return count === 0 ? [] : [`… +${plural(count, "line")}`];
}

/** "1 file", "2 files". */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** A number with its thousands apart: 16,384. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** Money for people, with enough digits for a single request of a cheap model. */
export function formatMoney(amount: number): string {
  if (amount === 0) return "0";
  if (amount >= 1) return amount.toFixed(2);
  // Below a millionth `toPrecision` writes an exponent.
  return amount >= 1e-6 ? amount.toPrecision(3) : amount.toFixed(9);
}

/** Bytes for people: "812 B", "1.4 KB", "3.0 MB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let size = bytes / 1000;
  let unit = 0;
  // What would be rounded to a thousand is one of the next unit.
  while (size >= 999.95 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${size.toFixed(1)} ${units[unit]}`;
}

/** Milliseconds for people: "0.4s", "12s", "3m 05s". */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, "0")}s`;
}

/** A duration that may be short, as "340 ms" or "1.2s". */
export function formatShortDuration(ms: number): string {
  return ms < 999.5 ? `${Math.round(ms)} ms` : formatDuration(ms);
}

/** A time in ISO 8601 as "21 Nov, 22:31", in the person's own zone; "" for none. */
export function formatLocalTime(time: string): string {
  return time === "" ? "" : new Date(time).toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
}

/** A day as "2026-11-21", where the person is. */
export function formatLocalDay(date: Date): string {
  const pad = (number: number) => String(number).padStart(2, "0");
  return [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join("-");
}

/** How long ago a time in ISO 8601 was: "now", "5 min ago", "3 h ago", "12 d ago"; "" for none. */
export function formatAge(time: string, now = Date.now()): string {
  if (time === "") return "";
  const minutes = Math.max(0, Math.floor((now - Date.parse(time)) / 60_000));
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60
    ? `${Math.floor(minutes / 60)} h ago`
    : `${Math.floor(minutes / 1440)} d ago`;
}

/** Sequences that control a terminal, such as colours. */
export const SEQUENCES =
  // deno-lint-ignore no-control-regex
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|[ -/]*[0-~])?|\x9b[0-?]*[ -/]*[@-~]|[\x90\x98\x9d-\x9f][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?/g;
const CONTROLS =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g;
/** Takes no room and means nothing to a reader; joiners, which emoji and scripts need, are not among them. */
const INVISIBLE = /[\xad\u200b\u2060-\u2065\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/**
 * Makes text from a model, a file, a tool or a server safe for a terminal: escape sequences and invisible
 * characters are removed, `\r` becomes a line end, and what else controls a terminal or reorders text is
 * shown as U+FFFD.
 */
export function stripControls(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(SEQUENCES, "").replace(/\r\n?/g, "\n").replace(CONTROLS, "\ufffd")
    .replace(INVISIBLE, "");
}

/** Lines as a terminal shows them in the end: what follows a lone `\r`, as progress does, overwrites its line. */
export function overwriteLines(text: string): string {
  return text.includes("\r") ? text.replace(/^[^\n]*\r(?=[^\r\n])/gm, "") : text;
}

/** Text that needs no work, as most does. */
const PLAIN = /^[\t\n -~]*$/;

/** Chooses how an ideograph, or a picture or key, before it is drawn: behind anything else, and in rows, it chooses nothing. */
const STRAY_SELECTOR =
  /(?<!\p{Script=Han})[\ufe00-\ufe0d\u{e0100}-\u{e01ef}]|(?<!\p{Extended_Pictographic})(?!(?<=[#*\d])\ufe0f\u20e3)[\ufe0e\ufe0f]/u;
/** Joins nothing: of two pictures it makes one. */
const STRAY_JOINER =
  /(?<!\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d|\u200d(?!\p{Extended_Pictographic})/u;
/** Takes no room, or looks like a blank and is none to a program. */
const UNSEEN =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u2800\ufff9-\ufffb]|\p{Cs}|(?![\u200d\ufe00-\ufe0f\u{e0100}-\u{e01ef}])\p{Default_Ignorable_Code_Point}/u;

/**
 * A character that cannot be seen or changes how others are shown, which must not hide in what a person decides
 * on; tabs, line feeds and what is part of an emoji or an ideograph are none.
 */
export const HIDDEN_CHARACTER = new RegExp(
  [UNSEEN, STRAY_JOINER, STRAY_SELECTOR].map(({ source }) => source).join("|"),
  "u",
);

/** A character as it can be written: `\x1b`, `\u202e`, `\u{e0041}`. */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\u{${digits}}`;
}

/** Text safe for a terminal on one line: line ends, tabs and runs of blanks become one blank. */
export function oneLine(text: string): string {
  return stripControls(text).replace(/\s+/g, " ").trim();
}

/** The byte order mark, which some editors put before the text of a file. */
const BOM = "\ufeff";

/** The text of a file without its byte order mark. */
export function withoutBom(text: string): string {
  return text.startsWith(BOM) ? text.slice(BOM.length) : text;
}

/** A text with a byte order mark if the file that it replaces has one. */
export function withBomOf(file: string, text: string): string {
  return file.startsWith(BOM) ? `${BOM}${text}` : text;
}

/** Where an offset of a text is; line and column are 1-based. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

const UNSAFE_IN_JSON =
  /[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

/** How JSON writes half of a character outside the BMP, which many programs refuse to read. */
const HALF_IN_JSON = /\\ud[89a-f]/;

/**
 * A value as one line of JSON that no terminal takes for anything but text; it reads back the same, but for halves of
 * characters.
 */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value);
  const whole = HALF_IN_JSON.test(text)
    ? JSON.stringify(value, (_, one) => typeof one === "string" ? one.toWellFormed() : one)
    : text;
  return whole.replace(
    UNSAFE_IN_JSON,
    (text) =>
      text.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(
        "",
      ),
  );
}

/** The first `most` characters, or one less where that would cut a character outside the BMP in two. */
function takeStart(text: string, most: number): string {
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff && most < text.length ? most - 1 : most);
}

/** The last `most` characters, or one less where that would cut a character outside the BMP in two. */
export function takeEnd(text: string, most: number): string {
  const end = text.slice(-most);
  return /^[\udc00-\udfff]/.test(end) && most < text.length ? end.slice(1) : end;
}

/** Cuts to `max` characters, the last being an ellipsis if anything was cut. */
export function cutEnd(text: string, max: number): string {
  return text.length <= max ? text : `${takeStart(text, Math.max(0, max - 1))}…`;
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Causes of an error that are followed: it may be its own. */
const MAX_CAUSES = 8;

/** The messages of an error and its causes, outermost first: libraries keep what matters in the cause. */
export function causeMessages(error: unknown): string[] {
  const messages: string[] = [];
  for (let cause = error; cause !== undefined && messages.length < MAX_CAUSES;) {
    messages.push(messageOf(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return messages;
}

/** One word of a shell's command line, quoted only if it must be. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A file's name on one line: one that would break it, or drive a terminal, as a JSON string. */
export function quoteName(name: string): string {
  // deno-lint-ignore no-control-regex
  return /[\x00-\x1f\x7f-\x9f]/.test(name) ? JSON.stringify(name) : name;
}

/** A result's text with a note, which comes first: what is too long for the window loses its end. */
export function withNote(text: string, note: string | undefined): string {
  return note === undefined ? text : `[${note}]\n${text}`;
}
