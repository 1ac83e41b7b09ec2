/**
 * Words that stand for content left out, such as `// ... rest unchanged`: what a model writes when it
 * means to keep what it does not repeat, and what would destroy a file if it were written.
 */
import { ToolError } from "../core/errors.ts";

/** Characters of a line that is looked at; elisions are brief. */
const MAX_LENGTH = 160;

const DOTS = String.raw`(?:\.{3,}|…)`;
const OPEN = String.raw`(?:\/\/+|#+|--+|;+|%+|\/\*+|\{\s*\/\*+|<!--+|\(\*)`;
const CLOSE = String.raw`(?:\*+\/\s*\}?|--+>|\*\))?`;
const THE = String.raw`(?:(?:the|all|your|my|any|keep) )*`;
const WHAT = String.raw`(?:(?:the|this|your|that) )?(?:[\w-]+ ){0,2}`;
const NOUN =
  "(?:code|contents?|files?|functions?|methods?|class(?:es)?|body|implementations?|imports?|logic|" +
  "lines?|fields?|propert(?:y|ies)|props|cases|tests|routes|handlers|options|config(?:uration)?|" +
  "definitions?|document|text|markup|components?|styles?|rules|module|script|section|part|stuff|" +
  "variables|types|constants|exports|entries)";
const OTHERS = "(?:rest|remainder|everything else)";
const UNCHANGED =
  "(?:unchanged|omitted|elided|snipped|as (?:before|above|is)|the same|here|goes here)";

/** A whole comment that is nothing but dots. */
const BARE = new RegExp(`^${OPEN}\\s*${DOTS}\\s*${CLOSE}$`);
/** What a comment says, wherever in its line it begins; a colon before it makes it part of a URL. */
const COMMENT = new RegExp(`(?:^|\\s|[{(\\[,;])${OPEN}\\s*(.*?)\\s*${CLOSE}$`);
/** A line outside of any comment that begins with dots and goes on in words. */
const PLAIN = new RegExp(`^[\\[(<]?(${DOTS} .*?)[\\])>]?$`);

/** What a line says, without the dots and brackets around it. */
const PHRASE = new RegExp(
  `^[(\\[]?(?<dots>${DOTS})?\\s*[(\\[]?(?<words>.*?)[)\\]]?\\s*(?<end>${DOTS})?[.]?$`,
);
/** After dots. */
const DOTTED = [
  new RegExp(`^${THE}(?:${OTHERS}|remaining|unchanged|omitted|snip(?:ped)?|elided)\\b`),
  new RegExp(`^${THE}(?:existing|previous|original|other|same|more|${NOUN})$`),
  new RegExp(
    `^${THE}(?:existing|previous|original|other|same|more|current|old|earlier) ${WHAT}${NOUN}\\b`,
  ),
  /\b(?:unchanged|omitted|elided|for brevity|as before|(?:remains?|stays?) (?:the same|as it is))\b/,
];
/** Without dots: the whole of it must say so. */
const UNDOTTED = [
  new RegExp(`^${THE}${OTHERS}(?: of ${WHAT}${NOUN})?(?: remains?| stays?| is)? ${UNCHANGED}$`),
  /\b(?:omitted|elided|truncated|removed) for brevity$/,
  new RegExp(
    `^${THE}(?:existing|remaining|previous|original|other) ${WHAT}${NOUN}` +
      `(?: remains?| stays?| is| are)? ${UNCHANGED}$`,
  ),
];
/** With dots at the end. */
const TRAILING = [
  new RegExp(`^${THE}${OTHERS}(?: of ${WHAT}${NOUN})?$`),
  new RegExp(`^${THE}(?:existing|remaining|previous|original) ${WHAT}${NOUN}$`),
];

/** A line that stands for others. */
export interface Elision {
  /** 1-based, in the text looked at. */
  readonly line: number;
  /** Without the white space around it. */
  readonly text: string;
}

/**
 * The first line of a new text that stands for content left out, unless the text it replaces (`original`)
 * has the same line. In Markdown, what is fenced as an example is passed over.
 */
export function findElision(text: string, original: string): Elision | undefined {
  let lines: Set<string> | undefined;
  let fence: string | undefined;
  for (const [index, whole] of text.split(/\r\n|\n|\r/).entries()) {
    const line = whole.trim();
    const mark = /^(?:`{3,}|~{3,})/.exec(line)?.[0];
    if (fence === undefined) fence = mark;
    else if (mark === line && line.startsWith(fence)) fence = undefined;
    if (fence !== undefined || !isElidedLine(line)) continue;
    lines ??= new Set(original.split(/\r\n|\n|\r/).map((one) => one.trim()));
    if (!lines.has(line)) return { line: index + 1, text: line };
  }
  return undefined;
}

/**
 * Refuses a new text that leaves content out; `what` begins the error, and `argument` is the one that holds the
 * text, unless it is the whole file. @throws {ToolError} validation
 */
export function refuseElision(
  text: string,
  { original, what, argument, suggestion }: {
    readonly original: string;
    readonly what: string;
    readonly argument?: string;
    readonly suggestion: string;
  },
): void {
  const elision = findElision(text, original);
  if (elision === undefined) return;
  const line = `line ${elision.line}${argument === undefined ? "" : ` of ${argument}`}`;
  throw new ToolError(
    `${what}: ${line} stands for content that is left out: ${elision.text}`,
    { kind: "validation", suggestion },
  );
}

function isElidedLine(line: string): boolean {
  if (line.length > MAX_LENGTH) return false;
  if (BARE.test(line)) return true;
  const comment = COMMENT.exec(line)?.[1];
  if (comment === undefined) {
    const plain = PLAIN.exec(line)?.[1];
    return plain !== undefined && isElisionPhrase(plain, { comment: false });
  }
  return isElisionPhrase(comment, { comment: true });
}

function isElisionPhrase(comment: string, options: { comment: boolean }): boolean {
  const { dots, words, end } = PHRASE.exec(comment.toLowerCase())?.groups ?? {};
  if (words === undefined) return false;
  if (dots !== undefined) return DOTTED.some((pattern) => pattern.test(words));
  if (!options.comment) return false;
  return UNDOTTED.some((pattern) => pattern.test(words)) ||
    (end !== undefined && TRAILING.some((pattern) => pattern.test(words)));
}
