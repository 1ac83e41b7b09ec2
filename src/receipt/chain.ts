/**
 * The chain of a receipt: each line holds its number, the hash of the line before it, and as its last field the hash
 * of all of itself that stands before that field. So no line can be changed, removed or moved unnoticed.
 */
import { sha256 } from "../lib/fs.ts";
import { parseJson } from "../lib/json_text.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import { jsonLine } from "../lib/text.ts";

/** How far a chain goes. */
export interface Link {
  /** Number of its last line; 0 of an empty one. */
  readonly line: number;
  /** Hash of that line, SHA-256 in hexadecimal; null of an empty chain. */
  readonly hash: string | null;
}

/** A chain without a line. */
export const EMPTY_CHAIN: Link = { line: 0, hash: null };

/** What is found in the text of a chain. */
export interface CheckedChain {
  /** The lines up to the first break, as objects. */
  readonly lines: readonly JsonObject[];
  /** Their hashes. */
  readonly hashes: readonly string[];
  /** Where the chain breaks first; absent if it does not. */
  readonly broken?: { readonly line: number; readonly why: string };
  /** Number of a last line that was not written to its end. */
  readonly torn?: number;
}

/** The next line of a chain, without a line end, and the link that it is. */
export function addLink(body: JsonObject, last: Link): { text: string; link: Link } {
  const line = last.line + 1;
  const open = jsonLine({ line, ...body, previous: last.hash }).slice(0, -1);
  const hash = hashOf(open);
  return { text: `${open},"hash":"${hash}"}`, link: { line, hash } };
}

/** Follows a chain from its beginning to its end or its first break. */
export function checkChain(text: string): CheckedChain {
  const lines: JsonObject[] = [];
  const hashes: string[] = [];
  const texts = text.split("\n");
  const rest = texts.pop() ?? "";
  let last = EMPTY_CHAIN;
  for (const one of texts) {
    const read = readLink(one, last);
    const line = last.line + 1;
    if (typeof read === "string") return { lines, hashes, broken: { line, why: read } };
    lines.push(read.body);
    hashes.push(read.hash);
    last = { line, hash: read.hash };
  }
  return { lines, hashes, ...rest !== "" && { torn: last.line + 1 } };
}

/** A line with its hash, or what is wrong with it. */
function readLink(text: string, last: Link): { body: JsonObject; hash: string } | string {
  const [, open = "", hash = ""] = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/.exec(text) ?? [];
  if (open === "") return "it is no line of a receipt: it does not end with its hash";
  if (hashOf(open) !== hash) return "it was changed after ally wrote it: its hash does not fit";
  const body = parseJson(`${open}}`);
  if (!isObject(body)) return "it is no line of a receipt: it is not JSON";
  if (body.line !== last.line + 1 || body.previous !== last.hash) {
    return "a line before it is missing, or was added, moved or replaced: it does not follow the one above it";
  }
  return { body, hash };
}

function hashOf(text: string): string {
  return sha256(new TextEncoder().encode(text));
}
