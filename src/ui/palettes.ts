/**
 * The colours of each theme: for 16 colours those that the terminal has, for more colours of ally's own. What a theme
 * does not name is drawn in the colours of the terminal.
 */
import type { ThemeName } from "../core/theme_names.ts";

type Codes = readonly [open: string, close: string];

const BOLD = "22";
/** Ends a colour of text. */
export const FOREGROUND = "39";

/** What styles are in the terminal's own colours. */
export const STYLES = {
  bold: ["1", BOLD],
  dim: ["2", BOLD],
  italic: ["3", "23"],
  underline: ["4", "24"],
  strike: ["9", "29"],
  accent: ["36", FOREGROUND],
  code: ["36", FOREGROUND],
  success: ["32", FOREGROUND],
  warning: ["33", FOREGROUND],
  error: ["31", FOREGROUND],
  added: ["32", FOREGROUND],
  removed: ["31", FOREGROUND],
  keyword: ["35", FOREGROUND],
  string: ["32", FOREGROUND],
  number: ["33", FOREGROUND],
  name: ["34", FOREGROUND],
  type: ["36", FOREGROUND],
  comment: ["2", BOLD],
} as const satisfies Record<string, Codes>;

/** A named style. */
export type Style = keyof typeof STYLES;

/** A theme once it is known whether the background is light; "terminal" leaves the colours to the terminal. */
export type Palette = "terminal" | "color-blind-light" | Exclude<ThemeName, "auto">;

/** A colour of text: its code among 16 colours, among 256, and red, green and blue. */
type Color = readonly [basic: string, indexed: number, rgb: string];

type Colors = Partial<Record<Style, Color | "plain">>;

const DARK: Colors = {
  accent: ["36", 80, "86;200;216"],
  code: ["36", 116, "139;213;225"],
  success: ["32", 114, "126;211;133"],
  warning: ["33", 179, "224;175;104"],
  error: ["31", 210, "255;134;134"],
  added: ["32", 114, "126;211;133"],
  removed: ["31", 210, "255;134;134"],
  keyword: ["35", 176, "208;153;232"],
  string: ["32", 150, "166;218;149"],
  number: ["33", 216, "245;169;127"],
  name: ["34", 111, "122;162;247"],
  type: ["36", 80, "86;200;216"],
};

/** Among 16 colours green is as pale on white as yellow and cyan are: blue, red and magenta are not. */
const LIGHT: Colors = {
  accent: ["34", 25, "5;80;150"],
  code: ["34", 25, "5;80;150"],
  success: ["34", 22, "20;95;35"],
  warning: ["31", 94, "130;80;0"],
  error: ["31", 124, "165;14;14"],
  added: ["34", 22, "20;95;35"],
  removed: ["31", 124, "165;14;14"],
  keyword: ["35", 90, "120;30;140"],
  string: ["34", 22, "20;95;35"],
  number: ["31", 94, "130;80;0"],
  name: ["34", 19, "20;40;160"],
  type: ["34", 24, "0;85;105"],
};

/** Bright on dark or dark on light alike: only colours of the terminal itself, and nothing dimmed. */
const HIGH_CONTRAST: Colors = {
  dim: "plain",
  comment: "plain",
  accent: ["1;4", -1, ""],
  code: ["1", -1, ""],
  success: ["1", -1, ""],
  warning: ["1", -1, ""],
  error: ["1;7", -1, ""],
  added: ["1", -1, ""],
  removed: ["1", -1, ""],
  keyword: ["1", -1, ""],
  string: "plain",
  number: "plain",
  name: "plain",
  type: "plain",
};

/** Blue and orange, which people tell apart who do not tell red from green. */
const COLOR_BLIND: Colors = {
  accent: ["36", 75, "86;180;233"],
  code: ["36", 75, "86;180;233"],
  success: ["34", 33, "64;148;228"],
  warning: ["33", 178, "214;170;30"],
  error: ["33", 208, "230;120;20"],
  added: ["34", 33, "64;148;228"],
  removed: ["33", 208, "230;120;20"],
  keyword: ["35", 175, "204;121;167"],
  string: ["36", 75, "86;180;233"],
  number: ["33", 178, "214;170;30"],
  name: ["34", 33, "64;148;228"],
  type: ["36", 75, "86;180;233"],
};

/** The same on a light background: blue and brown, which among 16 colours is red. */
const COLOR_BLIND_LIGHT: Colors = {
  ...LIGHT,
  success: ["34", 25, "0;80;160"],
  warning: ["31", 94, "140;75;0"],
  error: ["31", 94, "140;75;0"],
  added: ["34", 25, "0;80;160"],
  removed: ["31", 94, "140;75;0"],
  string: ["34", 25, "0;80;160"],
};

const PALETTES: Readonly<Record<Exclude<Palette, "terminal" | "none">, Colors>> = {
  dark: DARK,
  light: LIGHT,
  "high-contrast": HIGH_CONTRAST,
  "color-blind": COLOR_BLIND,
  "color-blind-light": COLOR_BLIND_LIGHT,
};

/** What a theme comes to on a background. */
export function paletteOf(theme: ThemeName, isLight: boolean): Palette {
  if (theme === "color-blind" && isLight) return "color-blind-light";
  if (theme !== "auto") return theme;
  // What terminals draw on a light background as yellow or cyan can hardly be read.
  return isLight ? "light" : "terminal";
}

/** Whether changed lines stand on a coloured background. */
export function hasBackgrounds(palette: Palette): boolean {
  return palette !== "none" && palette !== "high-contrast";
}

/** The codes that open and close a style in a palette; "" for none, undefined if the terminal's own are taken. */
export function paletteCodes(
  style: Style,
  { palette, depth }: { palette: Palette; depth: "basic" | "256" | "truecolor" },
): Codes | "" | undefined {
  if (palette === "terminal") return undefined;
  const isShape = style === "bold" || style === "italic" || style === "underline" ||
    style === "strike" || style === "dim" || style === "comment";
  if (palette === "none") return isShape ? undefined : "";
  const color = PALETTES[palette][style];
  if (color === undefined) return undefined;
  if (color === "plain") return "";
  const [basic, indexed, rgb] = color;
  if (indexed < 0) return [basic, "22;24;27"];
  if (depth === "truecolor") return [`38;2;${rgb}`, FOREGROUND];
  return [depth === "256" ? `38;5;${indexed}` : basic, FOREGROUND];
}

/** Whether a terminal's answer says that its background is light; undefined if it is another answer. */
export function parseBackground(reply: string): boolean | undefined {
  const match = /11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(reply);
  if (match === null) return undefined;
  const [red = 0, green = 0, blue = 0] = match.slice(1)
    .map((part) => parseInt(part, 16) / (16 ** part.length - 1));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 0.5;
}
