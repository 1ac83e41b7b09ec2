/**
 * Receipts of runs, as a script makes and reads them.
 */
import assert from "node:assert/strict";
import { addLink, EMPTY_CHAIN } from "../../src/receipt/chain.ts";
import { type Finished, type Place, runAlly } from "./program.ts";

/** A line of a receipt. */
export type ReceiptLine = Record<string, unknown> & { readonly type: string };

/** The lines of the receipt `r.jsonl` of a place, some kinds only if they are named. */
export async function receiptLines(place: Place, ...kinds: string[]): Promise<ReceiptLine[]> {
  const lines: ReceiptLine[] = (await place.read("r.jsonl")).trim().split("\n")
    .map((line) => JSON.parse(line));
  return kinds.length === 0 ? lines : lines.filter(({ type }) => kinds.includes(type));
}

/** Runs `ally -p --receipt r.jsonl` with some flags more. */
export async function runWithReceipt(
  place: Place,
  ...args: string[]
): Promise<Finished> {
  return await runAlly(place, { args: ["-p", "--receipt", "r.jsonl", ...args, "go"] });
}

/** What `ally verify --json` says of the receipt, and its exit code. */
export async function verifyJson(place: Place): Promise<{ code: number; report: VerifyReport }> {
  const { code, stdout, stderr } = await runAlly(place, { args: ["verify", "--json", "r.jsonl"] });
  assert.equal(stderr, "");
  return { code, report: JSON.parse(stdout) };
}

/** What `ally verify --json` prints, as far as tests look at it. */
export interface VerifyReport {
  readonly ok: boolean;
  readonly lines: number;
  readonly complete: boolean;
  readonly known: boolean | null;
  readonly tampered: readonly number[];
  readonly broken?: { readonly line: number; readonly why: string };
  readonly torn?: number;
  readonly files: readonly { readonly path: string; readonly state: string }[];
}

/** The same lines with other contents, in a chain that holds. */
export function chainAnew(lines: readonly ReceiptLine[]): string {
  let link = EMPTY_CHAIN;
  let text = "";
  for (const { line: _line, previous: _previous, hash: _hash, ...body } of lines) {
    const added = addLink(body, link);
    text += `${added.text}\n`;
    link = added.link;
  }
  return text;
}
