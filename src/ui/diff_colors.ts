/**
 * The background of changed lines as a person names it: `#3c1919` or `rgb(60,25,25)`, for terminals with many
 * colours or with 256. Called by the theme.
 */

/** What a person wishes for changed lines; what is absent stays as it is. */
export interface DiffLook {
  /** False: only how many lines change is shown, until the whole is asked for. @default true */
  readonly lines?: boolean | undefined;
  readonly added?: string | undefined;
  readonly removed?: string | undefined;
}

type Rgb = readonly [red: number, green: number, blue: number];

/** SGR codes for text on that background, readable on it; undefined if it is no colour. */
export function changedLineCodes(color: string, depth: "256" | "truecolor"): string | undefined {
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
