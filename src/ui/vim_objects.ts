/**
 * The text objects of vi: what `iw`, `a"` or `i(` mean around a place of a text. Pure.
 */
import { lineAt, nextBoundary } from "./graphemes.ts";
import { blankOrNot, type KindOf, kindOf } from "./vim_motions.ts";

/** A part of a text. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** What is looked for, and where. */
interface Place {
  readonly text: string;
  readonly at: number;
  /** So many words, or levels of brackets. */
  readonly count: number;
  /** Whether what surrounds it belongs to it, as after `a`. */
  readonly isAround: boolean;
}

type Find = (place: Place) => Span | undefined;

const FINDERS: ReadonlyMap<string, Find> = new Map([
  ["w", (place: Place) => findWords(place, kindOf)],
  ["W", (place: Place) => findWords(place, blankOrNot)],
  ...['"', "'", "`"].map((quote) => [quote, (place: Place) => findQuoted(place, quote)] as const),
  ...["()b", "[]", "{}B", "<>"].flatMap((names) =>
    Array.from(names, (name) => [name, (place: Place) => findBracketed(place, names)] as const)
  ),
]);

/** What may stand behind `i` or `a`, as a class of a regular expression. */
export const OBJECTS = "[wW\"'`()b[\\]{}B<>]";

/** Where an object such as `iw` is; undefined if there is none. */
export function findObject(
  object: string,
  { text, at, count }: Omit<Place, "isAround">,
): Span | undefined {
  const isAround = object.startsWith("a");
  return FINDERS.get(object.slice(1))?.({ text, at, count, isAround });
}

/** Words of the line; blanks between them count too, unless they go with a word. */
function findWords({ text, at, count, isAround }: Place, kind: KindOf): Span | undefined {
  const runs = splitRuns(text, { line: lineAt(text, at), kind });
  const own = runs.findIndex(({ to }) => at < to);
  if (own === -1) return undefined;
  const isBlank = (index: number) => runs[index]?.isBlank === true;
  let first = own;
  let last = own - 1;
  for (let n = 0; n < count && last < runs.length - 1; n++) {
    last++;
    if (isAround && (isBlank(own) || isBlank(last + 1))) last++;
  }
  last = Math.min(last, runs.length - 1);
  if (isAround && !isBlank(own) && !isBlank(last) && isBlank(own - 1)) first--;
  return { from: runs[first]?.from ?? at, to: runs[last]?.to ?? at };
}

function splitRuns(
  text: string,
  { line, kind }: { line: Span; kind: KindOf },
): (Span & { isBlank: boolean })[] {
  const runs: (Span & { isBlank: boolean })[] = [];
  for (let from = line.from; from < line.to;) {
    const first = kind(text.slice(from, nextBoundary(text, from)));
    let to = nextBoundary(text, from);
    const isSame = () => to < line.to && kind(text.slice(to, nextBoundary(text, to))) === first;
    while (first !== "paste" && isSame()) to = nextBoundary(text, to);
    runs.push({ from, to, isBlank: first === "blank" });
    from = to;
  }
  return runs;
}

/** What stands between quotes of the line, around the place or behind it; with the quotes go blanks beside them. */
function findQuoted({ text, at, isAround }: Place, quote: string): Span | undefined {
  const line = lineAt(text, at);
  const quotes = [...text.slice(line.from, line.to).matchAll(/\\[^]|["'`]/g)]
    .flatMap(({ 0: found, index }) => found === quote ? [line.from + index] : []);
  for (let n = 0; n + 1 < quotes.length; n += 2) {
    const [open = 0, close = 0] = quotes.slice(n, n + 2);
    if (close < at) continue;
    if (!isAround) return { from: open + 1, to: close };
    const behind = /^[ \t]*/.exec(text.slice(close + 1, line.to))?.[0].length ?? 0;
    const before = /[ \t]*$/.exec(text.slice(line.from, open))?.[0].length ?? 0;
    return { from: behind > 0 ? open : open - before, to: close + 1 + behind };
  }
  return undefined;
}

/** What stands between brackets around the place, on several lines too. */
function findBracketed(
  { text, at, count, isAround }: Place,
  [opening = "", closing = ""]: string,
): Span | undefined {
  let open = at;
  for (let n = 0, depth = text[at] === closing ? -1 : 0; n < count; open--) {
    if (open < 0) return undefined;
    if (text[open] === closing) depth++;
    else if (text[open] === opening && depth-- === 0) {
      depth = 0;
      if (++n === count) break;
    }
  }
  let depth = 0;
  for (let close = open; close < text.length; close++) {
    if (text[close] === opening) depth++;
    else if (text[close] === closing && --depth === 0) {
      return isAround ? { from: open, to: close + 1 } : { from: open + 1, to: close };
    }
  }
  return undefined;
}
