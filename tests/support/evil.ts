/**
 * Text as an attacker would have it shown: every kind of sequence that moves, erases, renames, copies, hides or
 * reorders, and what must not be found in the bytes that reach a terminal.
 */
import { BACKGROUND_QUERY } from "../../src/ui/sequences.ts";

/** One line; the numbers in it are used by nothing else. */
export const EVIL = [
  "start",
  "\x1b[2J\x1b[33;77H\x1b[77A\x1b[3J\x1bc\x1b[?1049h\x1b[?47h",
  "\x1b]0;title\x07\x1b]2;title\x1b\\\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x07\x1b]52;c;ZXZpbA==\x07",
  "\x1bP+q544e\x1b\\\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\",
  "\x1b[200~\x1b[201~\x1b[6n\x1b[c\x1b[>c\x1b[5i\x1b[8mhidden\x1b[0m",
  "\x9b2J\x9d0;c1\x9c\x90dcs\x9c\x85\x84",
  "true\rFALSE\b\b\b\x0b\x0c\x0e\x0f\x7f\x00",
  "\u202edesrever\u202c\u2066iso\u2069\u061c\u200b\u2060\ufeff\u{e0041}\u2028",
  "end",
].join("");

/** The same without what a file's name or a JSON string of a server cannot hold. */
export const EVIL_NAME = EVIL.replaceAll("\0", "").replaceAll("/", "");

const FORBIDDEN: readonly (readonly [name: string, pattern: RegExp])[] = [
  // deno-lint-ignore no-control-regex
  ["an erased screen", /\x1b\[[23]J|\x1bc/],
  // deno-lint-ignore no-control-regex
  ["a moved cursor", /\x1b\[33;77H|\x1b\[77A/],
  // deno-lint-ignore no-control-regex
  ["another screen", /\x1b\[\?(?:1049|47)/],
  // deno-lint-ignore no-control-regex
  ["an OSC, DCS, APC, PM or SOS string", /\x1b[\]P_^X]/],
  // deno-lint-ignore no-control-regex
  ["a forged paste", /\x1b\[20[01]~/],
  // deno-lint-ignore no-control-regex
  ["a question to the terminal", /\x1b\[[>?]?[\d;]*[cni]/],
  // deno-lint-ignore no-control-regex
  ["hidden text", /\x1b\[8m/],
  // deno-lint-ignore no-control-regex
  ["a C1 or other control character", /[\x00\x07\x08\x0b\x0c\x0e\x0f\x7f-\x9f]/],
  ["reordered text", /[\u202a-\u202e\u2066-\u2069\u061c\u2028]/],
  ["invisible text", /[\u200b\u2060\ufeff]|[\u{e0000}-\u{e007f}]/u],
  ["an overwritten line", /true\r(?!\n)/],
];

/** What of the attacker's is in a text. */
export function found(text: string): string[] {
  return FORBIDDEN.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
}

/** The titles that ally itself sets in a place of tests, to the byte. */
// deno-lint-ignore no-control-regex
const OWN_TITLE = /\x1b\]2;(?:ally: work(?: · (?:working|asks|done|stopped))?)?\x1b\\/g;

/** What was sent to a terminal, without ally's own titles and its question for the background. */
export function withoutOwnStrings(output: string): string {
  return output.replace(OWN_TITLE, "").replace(BACKGROUND_QUERY, "");
}
