/**
 * Private keys in PEM, PuTTY's files and similar armour, over many lines. Each run of key material is a secret by itself,
 * so that what stands between (line numbers of a listing, the signs of a diff, escaped line ends) stays.
 */
import type { SecretMatch } from "./secret_match.ts";

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\bPrivate-Lines: \d/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\bPrivate-MAC:/g;
/** Characters a block may have; a key of 16,384 bits has about 13,000. */
const MAX_BLOCK_LENGTH = 40_000;
/** A run between both ends is key material from this length on; without one end, only a whole line is. */
const MIN_RUN_LENGTH = 6;
const MIN_LINE_LENGTH = 40;

/** Characters of a full line of a block: most programs write 64, ssh-keygen 70. */
const FULL_LINES: ReadonlySet<number> = new Set([64, 70]);
const MAX_FULL_LINE = 70;
/** So many in a row are a piece of a block. */
const MIN_FULL_LINES = 3;

/** The key material in a text. Linear: blocks do not overlap. */
export function findPrivateKeys(text: string): SecretMatch[] {
  if (text.includes("PRIVATE KEY") || text.includes("Private-")) return findBlocks(text);
  // Where a block says what it is, as a certificate does, it is no key.
  return /-----(?:BEGIN|END) /.test(text) ? [] : findPieces(text);
}

/** Lines that may be those of a block of which the text has neither beginning nor end, whatever stands before each. */
function findPieces(text: string): SecretMatch[] {
  const findings: SecretMatch[] = [];
  let row: SecretMatch[] = [];
  let lineStart = 0;
  while (lineStart < text.length) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline < 0 ? text.length : newline;
    const end = text[lineEnd - 1] === "\r" ? lineEnd - 1 : lineEnd;
    const start = end - fullLineLength(text, { start: lineStart, end });
    if (start === end) row = [];
    else row.push({ start, end, kind: "private_key" });
    if (row.length === MIN_FULL_LINES) findings.push(...row);
    else if (row.length > MIN_FULL_LINES) findings.push(row.at(-1)!);
    lineStart = lineEnd + 1;
  }
  return findings;
}

/** How many characters at the end of a line are one of a block; a hash, which has no letters of both cases, is none. */
function fullLineLength(text: string, { start, end }: { start: number; end: number }): number {
  let at = end;
  while (at > start && end - at <= MAX_FULL_LINE && isBase64(text.charCodeAt(at - 1))) at--;
  // The sign of a diff.
  if (text[at] === "+" && FULL_LINES.has(end - at - 1)) at++;
  const line = FULL_LINES.has(end - at) && text[at - 1] !== "=" ? text.slice(at, end) : "";
  return /[a-z]/.test(line) && /[A-Z]/.test(line) ? line.length : 0;
}

function isBase64(code: number): boolean {
  return code >= 0x61 && code <= 0x7a || code >= 0x41 && code <= 0x5a ||
    code >= 0x2f && code <= 0x39 || code === 0x2b;
}

function findBlocks(text: string): SecretMatch[] {
  const begins = [...text.matchAll(BEGIN)].map((match) => match.index + match[0].length);
  const ends = [...text.matchAll(END)].map((match) => match.index);
  const findings: SecretMatch[] = [];
  let done = 0;
  let next = 0;
  for (const [index, start] of begins.entries()) {
    if (start < done) continue;
    while (next < ends.length && ends[next]! < start) {
      addTail(ends[next++]!);
    }
    const limit = Math.min(begins[index + 1] ?? text.length, start + MAX_BLOCK_LENGTH);
    const end = ends[next];
    const closed = end !== undefined && end <= limit;
    done = closed ? end : limit;
    if (closed) next++;
    findings.push(
      ...findRuns(text, { start, end: done, minLength: closed ? MIN_RUN_LENGTH : MIN_LINE_LENGTH }),
    );
  }
  while (next < ends.length) addTail(ends[next++]!);
  return findings;

  /** The end of a block whose beginning is not in the text. */
  function addTail(end: number): void {
    const start = Math.max(done, end - MAX_BLOCK_LENGTH);
    findings.push(...findRuns(text, { start, end, minLength: MIN_LINE_LENGTH }));
    done = end;
  }
}

function findRuns(
  text: string,
  { start, end, minLength }: { start: number; end: number; minLength: number },
): SecretMatch[] {
  const block = text.slice(start, end);
  const findings: SecretMatch[] = [];
  for (const match of block.matchAll(/\\[nrt]|[A-Za-z0-9+/]+={0,3}/g)) {
    const [run] = match;
    if (run.length < minLength || run.startsWith("\\")) continue;
    const at = start + match.index;
    // "Proc-Type: 4,ENCRYPTED" and the like stand before the key.
    if (run.length < MIN_LINE_LENGTH && isHeader(text, at)) continue;
    findings.push({ start: at, end: at + run.length, kind: "private_key" });
  }
  return findings;
}

/** Whether the line around an offset has the form "Name: value". */
function isHeader(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 200), at).replace(/^[^]*\n/, "");
  const [after = ""] = text.slice(at, at + 200).split("\n", 1);
  const line = before + after;
  return /[A-Za-z][A-Za-z-]{2,30}: /.test(line);
}
