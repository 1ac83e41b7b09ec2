/**
 * Where a text that was not found might have been meant: the same but for white space, case or quotes,
 * there already in its new form, or merely alike. Its words go to the model as the suggestion of a
 * failed edit.
 */
import {
  cutAfter,
  cutBefore,
  cutSafely,
  findElision,
  findFolded,
  LINE_ENDS,
  type Replacement,
  splitLines,
} from "../../src/api.ts";
import { plainCharacters } from "./match_levels.ts";

const MAX_PLACES = 3;
/** Lowest likeness, 0 to 1, that is worth showing. */
const CUTOFF = 0.6;
/** Lines compared by likeness, and characters of each. */
const MAX_LINES = 20_000;
const MAX_LENGTH = 200;
/** Characters of a new text, blanks aside, from which its presence says something. */
const MIN_LENGTH = 8;

/** Ways in which a text may differ from what the file holds; each is removed from both. */
const DIFFERENCES: readonly { name: string; remove: (line: string) => string }[] = [
  { name: "indentation or trailing blanks", remove: (line) => line.trim() },
  { name: "upper and lower case", remove: (line) => line.toLowerCase() },
  { name: "blanks within the line", remove: withoutBlanks },
  {
    name: "indentation and typographic quotes or dashes",
    remove: (line) => plainCharacters(line).trim(),
  },
  {
    name: "blanks and case",
    remove: (line) => withoutBlanks(line).toLowerCase(),
  },
];

/** Says what is near to the wanted text, with line numbers, how it differs, and what to do. */
export async function describeNearest(text: string, edit: Replacement): Promise<string> {
  const lines = splitLines(text);
  const target = splitLines(edit.wanted);
  if (target.some((line) => /^ {0,5}\d+\t/.test(line))) {
    return "Leave out the line numbers that read puts before each line.";
  }
  if (findElision(edit.wanted, text) !== undefined) {
    return "old_string leaves out content. Give all of it, or several shorter ones in edits.";
  }
  for (const { name, remove } of DIFFERENCES) {
    const places = findWithout(lines, target, remove);
    if (places.length === 0) continue;
    const shown = places.slice(0, MAX_PLACES).map((line) => renderPlace(lines, line, target)).join(
      "\n",
    );
    return `It differs only in ${name} from:\n${shown}\nCopy the text from there.`;
  }
  const applied = findApplied(text, edit.next);
  if (applied !== undefined) {
    return `Already applied? new_string is in the file, in line ${applied}. If so, go on; else read the file again.`;
  }
  const alike = await findAlike(lines, target);
  if (alike.length === 0) return "Read the file again and copy the text to replace from it.";
  const shown = alike.map((line) => renderPlace(lines, line, target)).join("\n");
  return `The nearest text is:\n${shown}\nCopy the text to replace from the file.`;
}

/** The line of the new text, if that is long enough for its presence to be no accident. */
function findApplied(text: string, next: string): number | undefined {
  if (withoutBlanks(next).length < MIN_LENGTH) return undefined;
  const wanted = next.replace(/^\s*\n|\n\s*$/g, "");
  return findFolded(text, { wanted, next }, { fold: LINE_ENDS, apart: true })[0]?.line;
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
  return scored.slice(0, MAX_PLACES).map(({ line }) => line);
}

function clip(line: string): string {
  return line.trim().slice(0, MAX_LENGTH);
}

function withoutBlanks(text: string): string {
  return text.replace(/\s+/g, "");
}

/** The first lines of a place, as `read` numbers them, then the first that differs from the target. */
function renderPlace(lines: readonly string[], first: number, target: readonly string[]): string {
  const place = lines.slice(first - 1, first - 1 + target.length);
  const shown = place.slice(0, MAX_PLACES)
    .map((line, index) => `${first + index}\t${cutSafely(line, MAX_LENGTH)}`);
  const at = place.findIndex((line, index) => !line.includes(target[index] ?? ""));
  if (at !== -1) {
    const wantedLine = target[at] ?? "";
    // A target may begin within a line, so what stands before it is no difference.
    const begins = at === 0 && /^\S/.test(wantedLine);
    const line = place[at] ?? "";
    const [has, wanted] = contrastLines(begins ? line.trimStart() : line, wantedLine);
    shown.push(`(line ${first + at} has ${has} where old_string has ${wanted})`);
  }
  return shown.join("\n");
}

/** The parts in which two lines differ, widened to whole words and quoted so that blanks are seen. */
function contrastLines(line: string, target: string): [string, string] {
  const most = Math.min(line.length, target.length);
  let head = 0;
  while (head < most && line[head] === target[head]) head++;
  let tail = 0;
  while (tail < most - head && line.at(-1 - tail) === target.at(-1 - tail)) tail++;
  while (head > 0 && /[\p{L}\p{N}_]/u.test(line[head - 1] ?? "")) head--;
  while (tail > 0 && /[\p{L}\p{N}_]/u.test(line.at(-tail) ?? "")) tail--;
  head = cutBefore(line, head);
  tail = line.length - cutAfter(line, line.length - tail);
  const part = (text: string) =>
    JSON.stringify(cutSafely(text.slice(head, text.length - tail), 80));
  return [part(line), part(target)];
}
