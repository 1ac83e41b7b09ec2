/**
 * Reads a receipt, and compares it with the hashes that ally itself keeps of it.
 */
import { join, resolve } from "node:path";
import type { Io } from "../../app/io.ts";
import { UsageError } from "../../core/errors.ts";
import { readSmallFile, reasonOf } from "../../lib/fs.ts";
import { checkChain, type CheckedChain } from "../../receipt/chain.ts";
import { readStart, type ReceiptStart } from "../../receipt/lines.ts";
import { findAllyPaths } from "../../store/paths.ts";

/** Bytes of a receipt: far more than a long run makes. */
const MAX_RECEIPT = 512 * 1024 ** 2;

/** A receipt that was read. */
export interface ReadReceipt extends CheckedChain {
  readonly path: string;
  readonly start: ReceiptStart;
  /** Whether this machine's ally knows the receipt as its own: undefined if it keeps nothing of it. */
  readonly known: boolean | undefined;
}

/** @throws {UsageError} there is no such file, or it is no receipt */
export async function readReceipt(
  file: string,
  { cwd, env }: Pick<Io, "cwd" | "env">,
): Promise<ReadReceipt> {
  const path = resolve(cwd(), file);
  const chain = checkChain(await readText(path));
  const start = readStart(chain.lines[0]);
  if (start === undefined) {
    const why = chain.broken?.line === 1 ? ` Line 1: ${chain.broken.why}.` : "";
    throw new UsageError(`${path} is no receipt that this ally understands.${why}`);
  }
  const kept = await readHashes(start, env);
  const changed = kept && findForeign(chain.hashes, kept);
  return {
    ...chain,
    path,
    start,
    known: kept && changed === undefined,
    ...chain.broken === undefined && changed !== undefined && { broken: changed },
  };
}

async function readText(path: string): Promise<string> {
  try {
    return await readSmallFile(path, { maxBytes: MAX_RECEIPT });
  } catch (cause) {
    const why = cause instanceof Deno.errors.NotFound ? "there is no such file" : reasonOf(cause);
    throw new UsageError(`Cannot read the receipt ${path}: ${why}.`, { cause });
  }
}

/** The hashes that ally wrote down beside the receipt. */
async function readHashes(
  { id, cwd }: ReceiptStart,
  env: Io["env"],
): Promise<readonly string[] | undefined> {
  const paths = findAllyPaths(cwd, env);
  try {
    const text = paths && await Deno.readTextFile(join(paths.receipts, id));
    return text?.match(/^[0-9a-f]{64}$/gm) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The first line that is not ally's, though its chain is whole; what a crash kept from one of the two is no matter. */
function findForeign(
  hashes: readonly string[],
  kept: readonly string[],
): { line: number; why: string } | undefined {
  const at = hashes.findIndex((hash, index) => hash !== kept[index]);
  if (at >= 0 && at < kept.length) {
    return { line: at + 1, why: "it is not the line that ally wrote: the chain was made anew" };
  }
  if (at >= 0 && hashes.length > kept.length + 1) {
    return { line: at + 1, why: "ally did not write it: lines were added" };
  }
  if (kept.length > hashes.length + 1) {
    return { line: hashes.length + 1, why: `the end is missing: ally wrote ${kept.length} lines` };
  }
  return undefined;
}
