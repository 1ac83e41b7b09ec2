/**
 * A terminal as an animated SVG: lines appear one after the other and scroll, and some go again when others take their
 * place. Text stays text; colours follow the reader's preference, and without motion the last screen is shown.
 */

/** Text of one style within a line. */
interface Run {
  readonly column: number;
  /** SGR codes with blanks between. */
  readonly style: string;
  readonly text: string;
}

/** The lines of the whole terminal at one point, and how long it is looked at once they are there. */
export interface Scene {
  readonly lines: readonly (readonly Run[])[];
  readonly holdSeconds: number;
}

interface AnimationOptions {
  readonly columns: number;
  readonly rows: number;
  /** What it shows, for readers who do not see it. */
  readonly title: string;
}

/** A line, the row it stands in, and the seconds from when and until when it is there. */
interface ShownLine {
  readonly runs: readonly Run[];
  readonly row: number;
  readonly from: number;
  /** Undefined for the end. */
  readonly until: number | undefined;
}

const CELL = { width: 8.4, height: 18, font: 14 } as const;
const PADDING = 14;
/** Seconds from one line to the next. */
const LINE_SECONDS = 0.09;

/** The CSS of each SGR code, with the colours of a dark and of a light page as variables. */
const STYLES: Readonly<Record<string, string>> = {
  "1": "font-weight:bold",
  "2": "opacity:.62",
  "3": "font-style:italic",
  "4": "text-decoration:underline",
  "31": "fill:var(--r)",
  "32": "fill:var(--g)",
  "33": "fill:var(--y)",
  "34": "fill:var(--b)",
  "35": "fill:var(--m)",
  "36": "fill:var(--c)",
};
const DARK =
  "--bg:#161b22;--fg:#d6dde6;--r:#ff7b72;--g:#7ee787;--y:#e3b341;--b:#79c0ff;--m:#d2a8ff;--c:#56d4dd";
const LIGHT =
  "--bg:#f6f8fa;--fg:#24292f;--r:#cf222e;--g:#116329;--y:#7d4e00;--b:#0550ae;--m:#8250df;--c:#1b7c83";

/** Draws scenes that follow one another in one terminal. */
export function renderAnimation(
  scenes: readonly Scene[],
  { columns, rows, title }: AnimationOptions,
): string {
  const { lines, seconds } = layOut(scenes);
  const width = Math.ceil(columns * CELL.width + 2 * PADDING);
  const height = rows * CELL.height + 2 * PADDING;
  const percent = (at: number) => `${Number((100 * at / seconds).toFixed(2))}%`;
  const frames = scrollFrames(lines, { rows, percent });
  const keyframes = new Map<string, string>();
  const texts = lines.filter(({ runs }) => runs.length > 0).map((line) => {
    const rule = visibilityFrames(line, percent);
    const name = keyframes.get(rule) ?? `k${keyframes.size}`;
    keyframes.set(rule, name);
    const y = line.row * CELL.height + CELL.font;
    const gone = line.until === undefined ? "" : ' class="gone"';
    return `<text y="${y}"${gone} style="animation-name:${name}">${renderRuns(line.runs)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeText(title)}</title>
<style>
svg{${DARK}}
@media (prefers-color-scheme:light){svg{${LIGHT}}}
text{font:${CELL.font}px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--fg);white-space:pre}
text,#scroll{animation-duration:${
    seconds.toFixed(1)
  }s;animation-iteration-count:infinite;animation-timing-function:step-end}
#scroll{animation-name:scroll;transform:translateY(${frames.end}px)}
.gone{visibility:hidden}
${Object.entries(STYLES).map(([code, css]) => `.s${code}{${css}}`).join("\n")}
@keyframes scroll{${frames.css}}
${[...keyframes].map(([rule, name]) => `@keyframes ${name}{${rule}}`).join("\n")}
@media (prefers-reduced-motion:reduce){text,#scroll{animation:none}}
</style>
<rect width="100%" height="100%" rx="8" fill="var(--bg)"/>
<svg x="${PADDING}" y="${PADDING}" width="${width - 2 * PADDING}" height="${rows * CELL.height}">
<g id="scroll">
${texts.join("\n")}
</g>
</svg>
</svg>
`;
}

/** When each line of each scene appears and goes: what two scenes begin with alike stays. */
function layOut(scenes: readonly Scene[]): { lines: readonly ShownLine[]; seconds: number } {
  let standing: ShownLine[] = [];
  const gone: ShownLine[] = [];
  let seconds = 0;
  for (const { lines, holdSeconds } of scenes) {
    const kept = countAlike(standing, lines);
    gone.push(...standing.slice(kept).map((line) => ({ ...line, until: seconds })));
    const added = lines.slice(kept).map((runs, index): ShownLine => {
      if (runs.length > 0) seconds += LINE_SECONDS;
      return { runs, row: kept + index, from: seconds, until: undefined };
    });
    standing = [...standing.slice(0, kept), ...added];
    seconds += holdSeconds;
  }
  return { lines: [...standing, ...gone], seconds };
}

function countAlike(standing: readonly ShownLine[], lines: Scene["lines"]): number {
  const other = standing.findIndex(({ runs }, row) =>
    JSON.stringify(runs) !== JSON.stringify(lines[row])
  );
  return other < 0 ? standing.length : other;
}

function visibilityFrames({ from, until }: ShownLine, percent: (at: number) => string): string {
  const shown = `0%{visibility:hidden}${percent(from)}{visibility:visible}`;
  return until === undefined ? shown : `${shown}${percent(until)},to{visibility:hidden}`;
}

/** Where the lines are moved to, so that the last one there is always seen. */
function scrollFrames(
  lines: readonly ShownLine[],
  { rows, percent }: { rows: number; percent: (at: number) => string },
): { css: string; end: number } {
  const times = [...new Set(lines.flatMap(({ from, until }) => [from, until ?? from]))]
    .toSorted((a, b) => a - b);
  let last = 0;
  const frames = ["0%{transform:none}"];
  for (const time of times) {
    const there = lines.filter(({ from, until = Infinity, runs }) =>
      runs.length > 0 && from <= time && time < until
    );
    const bottom = Math.max(0, ...there.map(({ row }) => row + 1));
    const offset = -Math.max(0, bottom - rows) * CELL.height;
    if (offset === last) continue;
    last = offset;
    frames.push(`${percent(time)}{transform:translateY(${offset}px)}`);
  }
  return { css: frames.join(""), end: last };
}

function renderRuns(runs: readonly Run[]): string {
  return runs.map(({ column, style, text }) => {
    const classes = style.split(" ").filter((code) => STYLES[code]).map((code) => `s${code}`);
    const x = Number((column * CELL.width).toFixed(1));
    const given = classes.length === 0 ? "" : ` class="${classes.join(" ")}"`;
    return `<tspan x="${x}"${given}>${escapeText(text.trimEnd())}</tspan>`;
  }).join("");
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
