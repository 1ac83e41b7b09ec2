/**
 * Text from a model, a file, a tool or a server, made safe to draw. All foreign text passes through here or through
 * `lib/text.ts`, and finally, before the terminal, through `onlyStyles`.
 */
import { escapeCharacter, HIDDEN_CHARACTER, oneLine, stripControls } from "../lib/text.ts";

/** Lines without control characters; a final line end adds no empty line. */
export function safeLines(text: string): string[] {
  const lines = expandTabs(stripControls(text)).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Replaces tabs, whose width depends on their column, by blanks. */
export function expandTabs(text: string): string {
  return text.replaceAll("\t", "    ");
}

const HIDDEN = new RegExp(HIDDEN_CHARACTER, "gu");
const HIDDEN_OR_FOREIGN = new RegExp(`${HIDDEN_CHARACTER.source}|[^\\0-\\x7f]`, "gu");

/** How characters that cannot be seen, or cannot be trusted, are written. */
interface EscapeOptions {
  /** Whether only ASCII can be shown. @default false */
  readonly ascii?: boolean;
  /** Styles what is written for them. @default as the rest */
  readonly mark?: (escaped: string) => string;
}

/**
 * Makes invisible characters visible, as `\x1b` or `\u202e`, in a text that a person decides on. `\r\n` counts as a
 * line end.
 */
export function escapeControls(
  text: string,
  { ascii = false, mark = (escaped) => escaped }: EscapeOptions = {},
): string {
  const escape = (character: string) => mark(escapeCharacter(character));
  const lines = text.replaceAll("\r\n", "\n");
  return ascii ? lines.replace(HIDDEN_OR_FOREIGN, escape) : lines.replace(HIDDEN, escape);
}

/** One line with invisible characters made visible; line ends and tabs become blanks. */
export function escapeLine(text: string): string {
  return oneLine(escapeControls(text.replace(/[\r\n\t]+/g, " ")));
}

/** The theme's own sequences: no style that hides text, and the end of a line coloured to its edge. */
// deno-lint-ignore no-control-regex
const STYLES = /(\x1b\[(?:(?:[0-49]|2[2-49]|3\d|4\d|39;49)?m|[34]8;[\d;]{1,40}m|K))/;

/** Removes all control sequences but styles; beside the links that `links.ts` knows the terminal writes nothing else. */
export function onlyStyles(text: string): string {
  return text.split(STYLES).map((part, index) => index % 2 === 1 ? part : stripControls(part))
    .join("");
}
