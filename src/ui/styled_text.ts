/**
 * Styled text that is cut at characters: each piece opens and closes its own styles. Pure.
 */

/** A piece of text with the styles that hold for it. */
interface Run {
  readonly open: string;
  readonly close: string;
  readonly text: string;
}

/** A text as runs of one style each. */
export type StyledText = readonly Run[];

// deno-lint-ignore no-control-regex
const STYLE = /\x1b\[([\d;]*)m/;

/** Reads text that holds styles of a theme. */
export function parseStyled(text: string): StyledText {
  const runs: Run[] = [];
  /** The open styles by what closes them. */
  const active = new Map<string, string>();
  const parts = text.split(STYLE);
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) {
      const close = closerOf(part);
      if (close === part) active.delete(close);
      else active.set(close, part);
    } else if (part !== "") {
      const open = [...active.values()].map((code) => `\x1b[${code}m`).join("");
      const close = [...active.keys()].reverse().map((code) => `\x1b[${code}m`).join("");
      runs.push({ open, close, text: part });
    }
  }
  return runs;
}

/** The code that ends a style; for one that ends a style itself. */
function closerOf(code: string): string {
  const first = code.split(";")[0] ?? "";
  if (first === "1" || first === "2" || first === "22") return "22";
  if (/^(?:3|4|9)$/.test(first)) return `2${first}`;
  if (/^2[349]$/.test(first)) return first;
  return "39";
}

/** The characters of a range, with their styles. */
export function sliceStyled(runs: StyledText, start: number, end: number): string {
  let at = 0;
  let slice = "";
  for (const { open, close, text } of runs) {
    const piece = text.slice(Math.max(0, start - at), Math.max(0, end - at));
    if (piece !== "") slice += open + piece + close;
    at += text.length;
  }
  return slice;
}

/** The characters alone. */
export function plainText(runs: StyledText): string {
  return runs.map(({ text }) => text).join("");
}
