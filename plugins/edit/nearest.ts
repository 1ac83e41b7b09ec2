/**
 * Where a text that was not found might have been meant: the same but for blanks, case or quotes, or
 * merely alike. Its words go to the model as the suggestion of a failed edit.
 */
import { cutEnd, splitLines } from "../../src/api.ts";

const MOST = 3;
/** Lowest likeness, 0 to 1, that is worth showing. */
const CUTOFF = 0.6;
/** Lines compared by likeness, and characters of each. */
const MAX_LINES = 20_000;
const MAX_LENGTH = 200;

/** Ways in which a text may differ from what the file holds; each is removed from both. */
const DIFFERENCES: readonly { name: string; remove: (line: string) => string }[] = [
  { name: "indentation or trailing blanks", remove: (line) => line.trim() },
  { name: "upper and lower case", remove: (line) => line.toLowerCase() },
  { name: "blanks within the line", remove: (line) => line.replace(/\s+/g, "") },
  {
    name: "typographic quotes or dashes",
    remove: (line) => line.replace(/[‘’‚′]/g, "'").replace(/[“”„″]/g, '"').replace(/[‐-―−]/g, "-"),
  },
  {
    name: "blanks and case",
    remove: (line) => line.replace(/\s+/g, "").toLowerCase(),
  },
];

/** Says what is near to `wanted` in `text`, with line numbers, and what to do. */
export async function describeNearest(text: string, wanted: string): Promise<string> {
  const lines = splitLines(text);
  const target = splitLines(wanted);
  if (target.some((line) => /^ {0,5}\d+\t/.test(line))) {
    return "Leave out the line numbers that read puts before each line.";
  }
  for (const { name, remove } of DIFFERENCES) {
    const places = findWithout(lines, target, remove);
    if (places.length === 0) continue;
    const shown = places.slice(0, MOST).map((line) => show(lines, line, target.length));
    return `It differs only in ${name} from:\n${shown.join("\n")}\nCopy the text from there.`;
  }
  const alike = await findAlike(lines, target);
  if (alike.length === 0) return "Read the file again and copy the text to replace from it.";
  const shown = alike.map((line) => show(lines, line, target.length));
  return `The nearest text is:\n${shown.join("\n")}\nCopy the text to replace from the file.`;
}

/** Lines (1-based) where the target is found once a difference is removed from both. */
function findWithout(
  lines: readonly string[],
  target: readonly string[],
  remove: (line: string) => string,
): number[] {
  const wanted = target.map(remove).join("\n");
  if (wanted.trim() === "") return [];
  const text = lines.map(remove).join("\n");
  const found: number[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    for (; counted < at; counted++) if (text[counted] === "\n") line++;
    found.push(line);
  }
  return found;
}

/** Lines (1-based) that would start the target, if its longest line stands for the rest. */
async function findAlike(lines: readonly string[], target: readonly string[]): Promise<number[]> {
  const { distance } = await import("fastest-levenshtein");
  const longest = target.reduce(
    (best, line, index) => line.trim().length > (target[best]?.trim().length ?? 0) ? index : best,
    0,
  );
  const key = clip(target[longest] ?? "");
  if (key === "") return [];
  const scored: { line: number; score: number }[] = [];
  for (const [index, line] of lines.slice(0, MAX_LINES).entries()) {
    const other = clip(line);
    const most = Math.max(key.length, other.length);
    if (Math.min(key.length, other.length) < CUTOFF * most) continue;
    const score = 1 - distance(key, other) / most;
    if (score >= CUTOFF) scored.push({ line: Math.max(1, index + 1 - longest), score });
  }
  scored.sort((a, b) => b.score - a.score || a.line - b.line);
  return scored.slice(0, MOST).map(({ line }) => line);
}

function clip(line: string): string {
  return line.trim().slice(0, MAX_LENGTH);
}

/** The first of the lines concerned, as `read` numbers them. */
function show(lines: readonly string[], first: number, count: number): string {
  const shown = lines.slice(first - 1, first - 1 + Math.min(count, MOST));
  return shown.map((line, index) => `${first + index}\t${cutEnd(line, MAX_LENGTH)}`).join("\n");
}
