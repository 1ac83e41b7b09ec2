/**
 * The line of a session in a list: found without parsing all messages, so that large sessions cost little.
 */
import { isNote, type Message, type UserMessage } from "../core/message.ts";
import { parseJson } from "../lib/json_text.ts";
import { isObject } from "../lib/schema.ts";
import { cutEnd, messageOf } from "../lib/text.ts";
import { forEachLine } from "./session_lines.ts";
import { SessionReader } from "./session_reader.ts";

/** Characters of a title. */
const TITLE_LENGTH = 60;
/** Lines at the beginning of a file in which the user's first words are looked for. */
const TITLE_WITHIN = 200;
/** Characters of one prompt that are searched, and of all prompts of a session; of more, the last ones. */
const PROMPT_LENGTH = 400;
const WORDS_LENGTH = 8_000;

const MESSAGE = '{"type":"message"';
const TITLE = '{"type":"title"';
const TURN = '{"type":"turn"';
const USER = /^\{"type":"message","time":"[^"]*","message":\{"role":"user"/;

/** A session in a list. */
export interface SessionSummary {
  readonly id: string;
  /** The name it was given, else the user's first words, else why there are none. */
  readonly title: string;
  /** Directory in which it was begun; "" if its file does not say. */
  readonly cwd: string;
  /** The branch of git on which its last turn ended; absent if that is not known. */
  readonly branch?: string;
  /** ISO 8601; "" if its file does not say. */
  readonly created: string;
  /** ISO 8601: when it was written to last. */
  readonly used: string;
  /** Messages that were saved, results of tools included. */
  readonly messages: number;
  /** Messages of the user's that began a turn. */
  readonly turns: number;
  /** Bytes. */
  readonly size: number;
  /** Id of the session of which it began as a copy. */
  readonly forked_from?: string;
}

/** A session in a list, with what is searched in it. */
export interface SearchableSummary extends SessionSummary {
  /** The user's words, a prompt a line. */
  readonly words: string;
}

/** Sums up a session's file. Never throws. */
export async function summarizeSession(id: string, path: string): Promise<SearchableSummary> {
  const stats = await Deno.stat(path).catch(() => undefined);
  const { size = 0 } = stats ?? {};
  const used = stats?.mtime?.toISOString() ?? "";
  try {
    const reader = new SessionReader(id);
    const counts = new LineCounter();
    let seen = 0;
    const ends = await forEachLine(path, (line) => {
      if (seen++ < TITLE_WITHIN) reader.readLine(line);
      counts.take(line);
    });
    const { header, covered, messages } = reader.result(ends);
    const { title, branch, ...counted } = counts.result();
    const { forkedFrom } = header;
    return {
      id,
      title: titleOf(title, covered[0] ?? messages),
      cwd: header.cwd,
      ...branch !== undefined && { branch },
      created: header.created,
      used,
      ...counted,
      size,
      ...forkedFrom !== undefined && { forked_from: forkedFrom },
    };
  } catch (error) {
    const nothing = { cwd: "", created: "", messages: 0, turns: 0, words: "" };
    return { id, title: `(${messageOf(error)})`, used, size, ...nothing };
  }
}

/** Counts the lines of a file, and parses those with the user's words. */
class LineCounter {
  #messages = 0;
  #turns = 0;
  #words: string[] = [];
  #titleLine: string | undefined;
  #turnLine: string | undefined;

  take(line: string): void {
    if (line.startsWith(TITLE)) this.#titleLine = line;
    else if (line.startsWith(TURN)) this.#turnLine = line;
    if (!line.startsWith(MESSAGE)) return;
    this.#messages++;
    const message = USER.test(line) ? readField(line, "message") : undefined;
    if (!isObject(message)) return;
    const { told, skills, said } = message;
    if (told !== undefined || skills !== undefined || said !== undefined) return;
    if (message.steering !== true) this.#turns++;
    const words = String(message.typed ?? message.content);
    this.#words.push(words.slice(0, PROMPT_LENGTH).replace(/\s+/g, " ").trim());
  }

  result() {
    const title = readField(this.#titleLine, "title");
    const branch = readField(this.#turnLine, "branch");
    return {
      messages: this.#messages,
      turns: this.#turns,
      words: this.#words.join("\n").slice(-WORDS_LENGTH),
      title: typeof title === "string" ? title : undefined,
      branch: typeof branch === "string" ? branch : undefined,
    };
  }
}

/** The name a session was given, else the user's first words, or what was piped in where there are none. */
export function titleOf(given: string | undefined, messages: readonly Message[]): string {
  const first = messages.find((message): message is UserMessage =>
    message.role === "user" && !isNote(message)
  );
  return toTitle(given ?? (first?.typed || first?.content || ""));
}

/** A text as a title: one line, not too long. */
export function toTitle(text: string): string {
  return cutEnd(text.replace(/\s+/g, " ").trim(), TITLE_LENGTH);
}

/** A field of a line of JSON; undefined without one. */
function readField(line: string | undefined, field: string): unknown {
  const record = line === undefined ? undefined : parseJson(line);
  return isObject(record) ? record[field] : undefined;
}
