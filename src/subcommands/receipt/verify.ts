/**
 * `ally verify FILE`: whether the chain of a receipt is whole, whether ally wrote it, and whether the files are as it
 * says. Exit code 1 if anything is not so.
 */
import { relative } from "node:path";
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import { openStandardStreams } from "../../app/standard_streams.ts";
import { contains } from "../../lib/contains.ts";
import { jsonLine, plural, quoteName } from "../../lib/text.ts";
import { type CheckedPath, checkFiles } from "../../receipt/file_states.ts";
import { hasEnded, readFileLines } from "../../receipt/lines.ts";
import type { ReceiptRequest } from "./command.ts";
import { type ReadReceipt, readReceipt } from "./read_receipt.ts";

/** Paths that are listed; JSON has all. */
const MAX_LISTED = 20;

/** Checks it and returns the exit code. @throws {UsageError} the file is no receipt */
export async function verifyReceipt({ file, json }: ReceiptRequest, io: Io): Promise<number> {
  const { out } = openStandardStreams(io);
  const receipt = await readReceipt(file, io);
  const files = checkFiles(readFileLines(receipt.lines));
  const wrong = files.filter(({ state }) => state !== "as_recorded");
  const isRight = receipt.broken === undefined && wrong.length === 0;
  if (json) out(jsonLine(reportOf(receipt, { files, isRight })));
  else out([...describeChain(receipt), ...describeFiles(files, wrong, receipt)].join("\n"));
  return isRight ? EXIT.done : EXIT.failed;
}

function reportOf(
  receipt: ReadReceipt,
  { files, isRight }: { files: readonly CheckedPath[]; isRight: boolean },
) {
  const { path, start, lines, hashes, broken, torn, known } = receipt;
  return {
    type: "verify",
    ok: isRight,
    receipt: path,
    id: start.id,
    session_id: start.session,
    cwd: start.cwd,
    lines: lines.length,
    sha256: hashes.at(-1) ?? null,
    complete: hasEnded(lines),
    known: known ?? null,
    tampered: tamperedLines(receipt),
    ...broken && { broken },
    ...torn !== undefined && { torn },
    files,
  };
}

function describeChain(receipt: ReadReceipt): string[] {
  const { lines, hashes, broken, torn, known } = receipt;
  const notes: string[] = [];
  if (broken) {
    const rest = "Believe nothing from there on; what stands before it holds.";
    notes.push(`Broken at line ${broken.line}: ${broken.why}.`, rest);
  } else {
    notes.push(
      `The chain holds: ${plural(lines.length, "line")}, the last hash is ${hashes.at(-1)}.`,
    );
  }
  if (torn !== undefined) {
    notes.push(`Line ${torn} is not whole: ally was stopped while it wrote it.`);
  } else if (!broken && !hasEnded(lines)) {
    notes.push("It ends before its run did: ally was stopped, or the disk was full.");
  }
  for (const line of tamperedLines(receipt)) {
    notes.push(`Line ${line}: somebody else changed the receipt meanwhile; ally wrote it again.`);
  }
  if (!broken && known === undefined) {
    notes.push(
      "This ally keeps no hashes of it: compare the last hash with the one that its run told.",
    );
  }
  return notes;
}

function describeFiles(
  files: readonly CheckedPath[],
  wrong: readonly CheckedPath[],
  { start: { cwd } }: ReadReceipt,
): string[] {
  if (files.length === 0) return ["It names no changed file."];
  const all = files.length === 1 ? "The 1 path is" : `All ${files.length} paths are`;
  if (wrong.length === 0) return [`${all} as it says.`];
  const name = (path: string) => quoteName(contains(cwd, path) ? relative(cwd, path) || "." : path);
  const shown = wrong.slice(0, MAX_LISTED)
    .map(({ path, line, why }) => `- ${name(path)} (line ${line}): ${why}`);
  const more = wrong.length > shown.length ? [`- and ${wrong.length - shown.length} more`] : [];
  const isBack = files.every(({ state }) => state === "as_before");
  const what = isBack
    ? `${all} as before the run: it was taken back.`
    : `${wrong.length} of ${plural(files.length, "path")} ${
      wrong.length === 1 ? "is" : "are"
    } not as it says:`;
  const isChanged = wrong.some(({ state }) => state === "changed" || state === "missing");
  const advice = isChanged
    ? "ally undo --receipt would refuse to take the run back, since files changed after it."
    : "ally undo --receipt takes the run back.";
  return isBack ? [what] : [what, ...shown, ...more, advice];
}

function tamperedLines({ lines }: ReadReceipt): number[] {
  return lines.flatMap(({ type }, index) => type === "tampered" ? [index + 1] : []);
}
