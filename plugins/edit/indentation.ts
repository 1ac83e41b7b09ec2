/**
 * Finds whole lines whatever their indentation, if that has the same structure, and gives the lines to put
 * there the file's depth and unit: tabs or so many blanks.
 */
import {
  dominantLineEnd,
  lineCounter,
  type Replacement,
  splitLines,
  type Substitution,
} from "../../src/api.ts";

/** A line with its place in the text. */
interface PlacedLine {
  readonly start: number;
  /** Behind its content. */
  readonly end: number;
  /** Behind its line end. */
  readonly next: number;
  readonly content: string;
  readonly trimmed: string;
}

/** The indentation of the wanted text, each with the one the file has in its place. */
type Indents = ReadonlyMap<string, string>;

/**
 * Places whose lines differ from the wanted ones only by blanks around them, in order; with `apart`
 * none overlaps another.
 */
export function findIndented(
  text: string,
  { wanted, next }: Replacement,
  options: { apart: boolean },
): Substitution[] {
  const key = splitLines(wanted);
  const first = key[0]?.trim();
  if (first === undefined || key.every((line) => line.trim() === "")) return [];
  const lines = placeLines(text);
  const trimmedKey = key.map((line) => line.trim());
  const found: Substitution[] = [];
  const lineAt = lineCounter(text);
  const units = { wanted: unitOf([...key, ...splitLines(next)]), file: "" };
  for (let at = 0; at + key.length <= lines.length; at++) {
    if (lines[at]?.trimmed !== first) continue;
    const place = lines.slice(at, at + key.length);
    if (place.some((line, index) => line.trimmed !== trimmedKey[index])) continue;
    const indents = pairIndents(key, place);
    const [start, last] = [place[0], place.at(-1)];
    if (indents === undefined || start === undefined || last === undefined) continue;
    units.file ||= unitOf(lines.map((line) => line.content)) || units.wanted;
    const put = splitLines(next).map((line) => reindent(line, { indents, units }));
    found.push({
      start: start.start,
      ...toSubstitution(put, { text, next, closed: /[\r\n]$/.test(wanted), last }),
      line: lineAt(start.start),
    });
    if (options.apart) at += key.length - 1;
  }
  return found;
}

/** The new lines as text, and where the place ends: before or behind its last line end. */
function toSubstitution(
  put: readonly string[],
  options: { text: string; next: string; closed: boolean; last: PlacedLine },
): { end: number; text: string } {
  const { text, next, closed, last } = options;
  const lineEnd = dominantLineEnd(text) ?? "\n";
  const body = put.join(lineEnd);
  const closes = /[\r\n]$/.test(next);
  // Both end with a line end, so the file's own stays.
  if (closed && closes) return { end: last.end, text: body };
  return { end: closed ? last.next : last.end, text: closes ? body + lineEnd : body };
}

function placeLines(text: string): PlacedLine[] {
  const lines: PlacedLine[] = [];
  for (const { 0: whole, 1: content = "", index } of text.matchAll(/([^\r\n]*)(?:\r\n|\n|\r|$)/g)) {
    if (whole === "") break;
    lines.push({
      start: index,
      end: index + content.length,
      next: index + whole.length,
      content,
      trimmed: content.trim(),
    });
  }
  return lines;
}

/** Pairs the indentations of two texts, if one depth of the one is always the same depth of the other. */
function pairIndents(key: readonly string[], place: readonly PlacedLine[]): Indents | undefined {
  const pairs = new Map<string, string>();
  for (const [index, line] of key.entries()) {
    const content = place[index]?.content ?? "";
    if (line.trim() === "") continue;
    const [from, to] = [indentOf(line), indentOf(content)];
    if ((pairs.get(from) ?? to) !== to) return undefined;
    pairs.set(from, to);
  }
  const ordered = [...pairs].sort(([a], [b]) => widthOf(a) - widthOf(b));
  const rising = ordered.every(([, to], index) => {
    const before = ordered[index - 1];
    return before === undefined || widthOf(before[1]) < widthOf(to);
  });
  return rising ? pairs : undefined;
}

/** A new line at the depth that its neighbours have in the file. */
function reindent(
  line: string,
  { indents, units }: { indents: Indents; units: { wanted: string; file: string } },
): string {
  const indent = indentOf(line);
  const content = line.slice(indent.length);
  if (content === "") return "";
  const known = indents.get(indent);
  if (known !== undefined) return known + content;
  const byLength = [...indents].sort(([a], [b]) => a.length - b.length);
  const outer = byLength.findLast(([from]) => indent.startsWith(from));
  if (outer !== undefined) {
    return outer[1] + inFileUnits(indent.slice(outer[0].length), units) + content;
  }
  const inner = byLength.find(([from]) => from.startsWith(indent));
  if (inner === undefined) return line;
  const less = inFileUnits(inner[0].slice(indent.length), units);
  return inner[1].slice(0, Math.max(0, inner[1].length - less.length)) + content;
}

/** Some indentation in the file's unit; what is less than a unit of the wanted text stays as it is. */
function inFileUnits(indent: string, units: { wanted: string; file: string }): string {
  if (units.wanted === "") return indent;
  const depth = Math.floor(indent.length / units.wanted.length);
  return units.file.repeat(depth) + indent.slice(depth * units.wanted.length);
}

/** One step of indentation: a tab, or the most frequent step of blanks from a line to the next. */
function unitOf(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== "").map(indentOf);
  const tabs = indents.filter((indent) => indent.startsWith("\t")).length;
  const blanks = indents.filter((indent) => indent.startsWith(" ")).length;
  if (tabs > blanks) return "\t";
  const steps = new Map<number, number>();
  for (const [index, indent] of indents.entries()) {
    const step = indent.length - (indents[index - 1]?.length ?? Infinity);
    if (step > 1) steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  const ranked = [...steps].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return " ".repeat(ranked[0]?.[0] ?? 0);
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** Columns, a tab being worth four; only compared. */
function widthOf(indent: string): number {
  return indent.replaceAll("\t", "    ").length;
}
