/**
 * The `@path` in a person's words: where one stands, and what it may mean. An `@` within a word, as in an
 * address, is text. Pure; `attach.ts` looks which of the meanings is there.
 */

/** One `@path` as written. */
export interface Mention {
  /** What it may mean, the most likely first: with and without the punctuation behind it. */
  readonly paths: readonly string[];
  /** Lines wanted, 1-based; absent if all are. */
  readonly lines?: { readonly first: number; readonly last: number };
  /** Whether it can hardly be anything but a path. */
  readonly isCertain: boolean;
  /** Whether the text begins with it, as one does that addresses an agent. */
  readonly leads: boolean;
}

const MENTION =
  /(?<=^|[\s([{<,;:"'`])@(?:"(?<double>[^"\n]+)"|'(?<single>[^'\n]+)'|(?<plain>(?:\\[^\n]|[^\s\\"'`])+))/g;
const LINES = /(?::|#L)(\d+)(?:-L?(\d+))?$/;
const PUNCTUATION = /[.,;:!?)\]}>]$/;

/** All mentions of a text, in order; the same one counts once. */
export function findMentions(text: string): Mention[] {
  const found = new Map<string, Mention>();
  for (const { groups = {}, index } of text.matchAll(MENTION)) {
    const quoted = groups.double ?? groups.single;
    const mention = quoted === undefined ? parseUnquoted(groups.plain ?? "") : {
      ...splitLineSuffix(quoted),
      isCertain: true,
    };
    const key = JSON.stringify(mention);
    const leads = text.slice(0, index).trim() === "";
    if (!found.has(key)) found.set(key, { ...mention, leads });
  }
  return [...found.values()];
}

/** A path as completion writes it: blanks and quotes are escaped. */
export function escapeMention(path: string): string {
  return path.replace(/[\s\\"'`]/g, "\\$&");
}

/** A path as it was before it was escaped. */
export function unescapeMention(text: string): string {
  return text.replace(/\\([^\n])/g, "$1");
}

function parseUnquoted(written: string): Omit<Mention, "leads"> {
  const isCertain = /\/|\.\w|[*?]/.test(written);
  let text = written;
  const { paths, lines } = splitLineSuffix(unescapeMention(text));
  const all = [...paths];
  while (PUNCTUATION.test(text)) {
    text = text.slice(0, -1);
    all.push(unescapeMention(text), ...splitLineSuffix(unescapeMention(text)).paths);
  }
  const shorter = lines ?? splitLineSuffix(unescapeMention(text)).lines;
  return {
    paths: [...new Set(all)].filter((path) => path !== ""),
    ...(shorter && { lines: shorter }),
    isCertain,
  };
}

/** `a.ts:10-20`, `a.ts:10`, `a.ts#L10-L20`: the path as it stands, then the one before the lines. */
function splitLineSuffix(path: string): Pick<Mention, "paths" | "lines"> {
  const match = LINES.exec(path);
  if (match === null || match.index === 0) return { paths: [path] };
  const first = Number(match[1]);
  const last = Math.max(first, Number(match[2] ?? first));
  return { paths: [path, path.slice(0, match.index)], lines: { first, last } };
}
