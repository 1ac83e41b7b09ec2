/**
 * The colours of changed lines: backgrounds for dark and light terminals, or those that a person configures, as
 * `#3c1919` or `rgb(60,25,25)`, for terminals with true colour or with 256 colours.
 */

import type { Palette } from "./palettes.ts";

/** A person's settings for changed lines. */
export interface DiffStyle {
  /** False: only how many lines change is shown, until the whole is asked for. */
  readonly lines: boolean;
  /** "auto": what the terminal says it is, else dark. */
  readonly theme: "auto" | "dark" | "light";
  readonly added?: string | undefined;
  readonly removed?: string | undefined;
  /** What differs within a line that was replaced. */
  readonly modified?: string | undefined;
}

/** What of a diff is coloured: a whole line, or what differs within it. */
type Part = "added" | "removed" | "addedPart" | "removedPart";

type Depth = "256" | "truecolor";

/** Background and text colour; both are set, so that it reads on any background. */
const COLORS: Record<"dark" | "light" | "color-blind", Record<Depth, Record<Part, string>>> = {
  dark: {
    "256": {
      added: "38;5;194;48;5;22",
      removed: "38;5;224;48;5;52",
      addedPart: "38;5;231;48;5;28",
      removedPart: "38;5;231;48;5;124",
    },
    truecolor: {
      added: "38;2;214;245;220;48;2;22;58;34",
      removed: "38;2;250;220;220;48;2;74;30;34",
      addedPart: "38;2;255;255;255;48;2;36;112;62",
      removedPart: "38;2;255;255;255;48;2;150;46;54",
    },
  },
  "color-blind": {
    "256": {
      added: "38;5;195;48;5;17",
      removed: "38;5;230;48;5;94",
      addedPart: "38;5;231;48;5;26",
      removedPart: "38;5;16;48;5;208",
    },
    truecolor: {
      added: "38;2;220;236;255;48;2;16;42;82",
      removed: "38;2;255;236;214;48;2;92;52;10",
      addedPart: "38;2;255;255;255;48;2;30;98;190",
      removedPart: "38;2;0;0;0;48;2;230;140;40",
    },
  },
  light: {
    "256": {
      added: "38;5;16;48;5;194",
      removed: "38;5;16;48;5;224",
      addedPart: "38;5;16;48;5;114",
      removedPart: "38;5;16;48;5;210",
    },
    truecolor: {
      added: "38;2;17;17;17;48;2;218;251;225",
      removed: "38;2;17;17;17;48;2;255;230;230",
      addedPart: "38;2;0;0;0;48;2;150;232;170",
      removedPart: "38;2;0;0;0;48;2;255;180;180",
    },
  },
};

/** The colours that go with a palette; with any other the dark ones. */
const AUTO_COLORS: Readonly<Partial<Record<Palette, keyof typeof COLORS>>> = {
  light: "light",
  "color-blind": "color-blind",
  "color-blind-light": "color-blind",
};

/** SGR codes of a part of a diff; where the settings leave it open, those of the theme. */
export function diffCodes(
  part: Part,
  { look, depth, palette }: { look: DiffStyle; depth: Depth; palette: Palette },
): string {
  const { theme, added, removed, modified } = look;
  const own = part === "added" ? added : part === "removed" ? removed : modified;
  const chosen = theme === "auto" ? AUTO_COLORS[palette] ?? "dark" : theme;
  return changedLineCodes(own ?? "", depth) ?? COLORS[chosen][depth][part];
}

type Rgb = readonly [red: number, green: number, blue: number];

/** SGR codes for text on that background, readable on it; undefined if it is not a colour. */
export function changedLineCodes(color: string, depth: Depth): string | undefined {
  const rgb = parse(color);
  if (rgb === undefined) return undefined;
  const [red, green, blue] = rgb;
  const isDark = red * 0.299 + green * 0.587 + blue * 0.114 < 128;
  if (depth === "256") return `38;5;${isDark ? 255 : 16};48;5;${cubeIndex(rgb)}`;
  return `38;2;${isDark ? "238;238;238" : "17;17;17"};48;2;${rgb.join(";")}`;
}

function parse(color: string): Rgb | undefined {
  const hex = /#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color);
  const decimal = /rgb\( *(\d{1,3}) *, *(\d{1,3}) *, *(\d{1,3}) *\)$/i.exec(color);
  const parts = hex?.slice(1).map((part) => parseInt(part, 16)) ??
    decimal?.slice(1).map((part) => Math.min(255, Number(part)));
  if (parts === undefined) return undefined;
  const [red = 0, green = 0, blue = 0] = parts;
  return [red, green, blue];
}

/** The nearest of the 6 x 6 x 6 colours of a terminal with 256. */
function cubeIndex(rgb: Rgb): number {
  const steps = [0, 95, 135, 175, 215, 255];
  const nearest = (value: number) =>
    steps.reduce(
      (best, step, index) =>
        Math.abs(step - value) < Math.abs((steps[best] ?? 0) - value) ? index : best,
      0,
    );
  const [red, green, blue] = rgb;
  return 16 + 36 * nearest(red) + 6 * nearest(green) + nearest(blue);
}
