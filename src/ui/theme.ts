/**
 * Named styles for everything a person sees, as SGR sequences, or as nothing where colour is unwanted. Each style
 * closes only what it opened, so styles nest.
 */
import type { ThemeName } from "../core/theme_names.ts";
import { diffCodes, type DiffStyle } from "./diff_colors.ts";
import { fileAddress, type LinkOptions, markLink, markReferences } from "./links.ts";
import {
  FOREGROUND,
  hasBackgrounds,
  paletteCodes,
  paletteOf,
  type Style,
  STYLES,
} from "./palettes.ts";
import { ERASE_LINE } from "./sequences.ts";

/** How many colours the terminal shows. */
export type ColorDepth = "none" | "basic" | "256" | "truecolor";

/** The symbols that ally draws with. */
interface Glyphs {
  readonly bullet: string;
  readonly running: string;
  readonly pending: string;
  readonly failed: string;
  readonly cancelled: string;
  readonly granted: string;
  readonly result: string;
  readonly prompt: string;
  readonly pointer: string;
  readonly item: string;
  readonly bar: string;
  readonly rule: string;
  readonly ellipsis: string;
  readonly dot: string;
  readonly spinner: readonly string[];
}

const UNICODE: Glyphs = {
  bullet: "●",
  running: "●",
  pending: "○",
  failed: "✗",
  cancelled: "⊘",
  granted: "✓",
  result: "⎿",
  prompt: "›",
  pointer: "❯",
  item: "•",
  bar: "│",
  rule: "─",
  ellipsis: "…",
  dot: "·",
  spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
};

const ASCII: Glyphs = {
  bullet: "*",
  running: "*",
  pending: "o",
  failed: "x",
  cancelled: "-",
  granted: "+",
  result: "`-",
  prompt: ">",
  pointer: ">",
  item: "-",
  bar: "|",
  rule: "-",
  ellipsis: "...",
  dot: "-",
  spinner: ["|", "/", "-", "\\"],
};

/** For ears: words where a symbol means something, and nothing where it only divides. */
const SPOKEN: Glyphs = {
  bullet: "Done:",
  running: "Call:",
  pending: "Waiting:",
  failed: "Failed:",
  cancelled: "Cancelled:",
  granted: "Answer:",
  result: "",
  prompt: ">",
  pointer: "",
  item: "-",
  bar: "",
  rule: "",
  ellipsis: "...",
  dot: "-",
  spinner: [],
};

/** Styles and symbols for one terminal. */
export interface Theme {
  readonly depth: ColorDepth;
  readonly glyphs: Glyphs;
  /** Whether more than ASCII may be drawn. */
  readonly unicode: boolean;
  /** Whether it is read out: words instead of symbols, nothing drawn, nothing beside anything else. */
  readonly isSpoken: boolean;
  /** Whether diffs are drawn unasked. */
  readonly showsDiffs: boolean;
  /** Styles text that may hold other styles, but no line end. */
  paint(style: Style, text: string): string;
  /** A whole changed line: coloured to the right edge where the terminal has the colours for it. */
  paintChange(kind: "added" | "removed", text: string): string;
  /** Whether changed lines are told by their background, so that their text can have colours of its own. */
  readonly paintsBackgrounds: boolean;
  /** What differs within such a line; to be painted before the line is. */
  paintDifference(kind: "added" | "removed", text: string): string;
  /** An address as a link to itself. */
  linkAddress(address: string): string;
  /** A path, which may name a line after a colon, as a link to that file. */
  linkFile(path: string): string;
  /** Plain text whose addresses, and files with a line, are links. */
  linkReferences(text: string): string;
}

/** What lines are drawn with. */
export interface Layout {
  readonly theme: Theme;
  /** The width in cells. */
  readonly columns: number;
}

/** Makes the theme of a terminal; `look` is called each time, because settings are read later. */
export function createTheme(
  options: {
    depth: ColorDepth;
    unicode?: boolean;
    /** @default false */
    isSpoken?: boolean;
    /** Whether the terminal's background is light, as far as is known now. @default false */
    isLight?: () => boolean;
    /** The theme that was chosen. @default the terminal's own colours */
    name?: () => ThemeName;
    /** @default changed lines are shown, in the colours of the terminal */
    look?: () => DiffStyle;
    /** @default there are no links */
    links?: () => LinkOptions | undefined;
  },
): Theme {
  const { depth, isLight = () => false, name = () => "auto" } = options;
  const look = options.look ?? ((): DiffStyle => ({ lines: true, theme: "auto" }));
  const { links = () => undefined } = options;
  const paint = (style: Style, text: string) => {
    if (depth === "none" || text === "") return text;
    const palette = paletteOf(name(), isLight());
    const codes = paletteCodes(style, { palette, depth }) ?? STYLES[style];
    if (codes === "") return text;
    const [open, close] = codes;
    const reopened = text.replaceAll(`\x1b[${close}m`, `\x1b[${close}m\x1b[${open}m`);
    return `\x1b[${open}m${reopened}\x1b[${close}m`;
  };
  return {
    depth,
    glyphs: options.isSpoken ? SPOKEN : options.unicode === false ? ASCII : UNICODE,
    isSpoken: options.isSpoken === true,
    unicode: options.unicode !== false,
    get showsDiffs() {
      return look().lines;
    },
    paint,
    paintsBackgrounds: depth !== "none" && depth !== "basic",
    paintChange(kind, text) {
      const palette = paletteOf(name(), isLight());
      if (depth === "none" || depth === "basic" || !hasBackgrounds(palette)) {
        return paint(kind, text);
      }
      // The rest of the row takes the background without a single trailing blank to copy.
      const codes = diffCodes(kind, { look: look(), depth, palette });
      return `\x1b[${codes}m${reopen(text, codes)}${ERASE_LINE}\x1b[39;49m`;
    },
    paintDifference(kind, text) {
      const palette = paletteOf(name(), isLight());
      if (depth === "none" || depth === "basic" || !hasBackgrounds(palette)) {
        return paint("bold", text);
      }
      const part = diffCodes(`${kind}Part`, { look: look(), depth, palette });
      return `\x1b[${part}m${text}\x1b[${diffCodes(kind, { look: look(), depth, palette })}m`;
    },
    ...createLinks(links),
  };
}

/** What makes links; each text stays as it is where there are none. */
function createLinks(
  links: () => LinkOptions | undefined,
): Pick<Theme, "linkAddress" | "linkFile" | "linkReferences"> {
  return {
    linkAddress(address) {
      const made = links();
      return made === undefined ? address : markLink(address, address, made);
    },
    linkFile(path) {
      const made = links();
      const address = made && fileAddress(path, made);
      return made && address ? markLink(path, address, made) : path;
    },
    linkReferences(text) {
      const made = links();
      return made === undefined ? text : markReferences(text, made);
    },
  };
}

/** Text in which colours that end give way to these. */
function reopen(text: string, codes: string): string {
  return text.replaceAll(`\x1b[${FOREGROUND}m`, `\x1b[${FOREGROUND}m\x1b[${codes}m`);
}
