/**
 * The words of a command line as they are searched for names: without what a shell takes away from them, in whatever way
 * they are quoted. It is no parser: what might be spelled so counts as spelled so.
 */

/** What only joins words, or marks how they are quoted. */
const QUOTING = /\\\n|\$(?=['"])|['"\\]/g;
/** A character by its number, in `$'...'`. */
const NUMBERED =
  /\\(?:x\{([0-9a-fA-F]+)\}?|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c@)/g;
/** What stands behind the character that ends a text in C, up to the end of the quotes. */
const BEHIND_END = /\0[^']*/g;

/** The words in one line; once more, with a line between, if characters in it may be written by their numbers. */
export function wordsOf(argv: readonly string[]): string {
  const line = argv.join(" ");
  const numbered = line.replace(NUMBERED, (_, ...found: (string | undefined)[]) => {
    const [hex, octal] = [found.slice(0, 4).find((digits) => digits !== undefined), found[4]];
    const code = hex === undefined ? parseInt(octal ?? "0", 8) & 0xff : parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  }).replace(BEHIND_END, "");
  const readings = numbered === line ? [line] : [line, numbered];
  return readings.map((text) => text.replace(QUOTING, "")).join("\n");
}
