/**
 * Text from a model, a file, a tool or a server, made safe to draw. Everything of theirs that `ui/` shows has
 * gone through here or through `stripControls` itself.
 */
import { stripControls } from "../lib/text.ts";

/** One line: no controls, line ends and tabs as blanks. */
export function oneLine(text: string): string {
  return stripControls(text).replace(/\s+/g, " ").trim();
}

/** Lines without controls; a final line end adds none. */
export function safeLines(text: string): string[] {
  const lines = expandTabs(stripControls(text)).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** A tab's width depends on where it stands; blanks do not. */
export function expandTabs(text: string): string {
  return text.replaceAll("\t", "    ");
}

const HIDDEN =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Shows what hides in a command instead of dropping it: `\x1b`, `\u202e`. */
export function escapeControls(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}
