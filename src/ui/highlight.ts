/**
 * Colours source code by language, for code blocks and new files. The grammars are loaded with the first code that is
 * shown; without colour, or for a language without a grammar, code stays plain.
 */
import type { Style } from "./palettes.ts";
import type { Theme } from "./theme.ts";

/** Colours code; never changes its text. */
export type Highlight = (code: string, language: string) => string;

/** Leaves code as it is. */
export const plainCode: Highlight = (code) => code;

/** Code longer than this is shown plain: colouring it would block the screen. */
const MAX_CHARACTERS = 100_000;

const CLASSES: ReadonlyArray<readonly [style: Style, classes: string]> = [
  ["comment", "comment quote"],
  ["keyword", "keyword selector-tag literal meta built_in"],
  ["string", "string regexp addition symbol attr"],
  ["number", "number bullet link"],
  ["name", "title section name selector-id selector-class attribute"],
  ["type", "type variable template-variable doctag"],
  ["removed", "deletion"],
  ["italic", "emphasis"],
  ["bold", "strong"],
];

/** Loads the grammars. */
export async function loadHighlight(theme: Theme): Promise<Highlight> {
  if (theme.depth === "none") return plainCode;
  const { common, createEmphasize } = await import("emphasize");
  const emphasize = createEmphasize(common);
  const sheet = Object.fromEntries(
    CLASSES.flatMap(([style, classes]) =>
      classes.split(" ").map((name) => [name, (text: string) => paintLines(theme, style, text)])
    ),
  );
  return (code, language) => {
    const name = language.toLowerCase();
    if (code.length > MAX_CHARACTERS || !emphasize.registered(name)) return code;
    return emphasize.highlight(name, code, sheet).value;
  };
}

/** The language of a file by the end of its name, which the grammars know as an alias. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name === "Makefile" || name === "Dockerfile") return name;
  // The cells of a notebook are mostly Python, and its JSON reads alike.
  if (name.endsWith(".ipynb")) return "python";
  return name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : "";
}

/** Colours each line by itself, so that lines can be wrapped and cut apart. */
function paintLines(theme: Theme, style: Style, text: string): string {
  return text.split("\n").map((line) => theme.paint(style, line)).join("\n");
}
