/**
 * `ally undo --receipt FILE`: takes back what a run did to files, commands included, as one; each change can be made
 * again with `/redo`. If a file changed since, it is named, and nothing is changed.
 */
import { EXIT } from "../../app/exit_codes.ts";
import { describeRecovery } from "../../app/housekeeping.ts";
import type { Io } from "../../app/io.ts";
import { openStandardStreams } from "../../app/standard_streams.ts";
import { ToolError } from "../../core/errors.ts";
import { jsonLine, plural, quoteName } from "../../lib/text.ts";
import { checkFiles } from "../../receipt/file_states.ts";
import { readFileLines, type ReceiptChange, type ReceiptStart } from "../../receipt/lines.ts";
import { allyPaths } from "../../store/paths.ts";
import { canonicalDirectory } from "../../workspace/roots.ts";
import type { UndoneFile } from "../../workspace/undo.ts";
import { Workspace } from "../../workspace/workspace.ts";
import type { ReceiptRequest } from "./command.ts";
import { type ReadReceipt, readReceipt } from "./read_receipt.ts";

/** Files that are listed; JSON has all. */
const MAX_LISTED = 20;

/** What came of it. */
interface UndoReport {
  readonly ok: boolean;
  /** Numbers of the changes that were taken back. */
  readonly changes: readonly number[];
  /** Numbers of those that had been taken back before, or are no longer kept. */
  readonly gone: readonly number[];
  readonly files: readonly UndoneFile[];
  readonly error?: string;
  readonly suggestion?: string;
}

/** Takes the run back and returns the exit code. @throws {UsageError} the file is no receipt */
export async function undoByReceipt({ file, json }: ReceiptRequest, io: Io): Promise<number> {
  const { out, err } = openStandardStreams(io);
  const receipt = await readReceipt(file, io);
  const report = receipt.broken === undefined
    ? await takeBack(receipt, { io, warn: err })
    : refuse({
      error:
        `Cannot undo by ${receipt.path}: it is broken at line ${receipt.broken.line}, where ${receipt.broken.why}.`,
      suggestion: "Nothing was changed. /undo at the prompt takes back one change after the other.",
    });
  if (json) {
    const files = report.files.map(({ path, action }) => ({ path: path.absolute, action }));
    out(jsonLine({ type: "undo", ...report, files }));
  } else if (report.ok) out(describe(report));
  else err([`ally: ${report.error}`, report.suggestion ?? ""].join("\n").trimEnd());
  return report.ok ? EXIT.done : EXIT.failed;
}

/** Takes back what is still there of the run's changes, or says why not. */
async function takeBack(
  receipt: ReadReceipt,
  { io, warn }: { io: Io; warn: (text: string) => void },
): Promise<UndoReport> {
  const wanted = standingChanges(receipt);
  const workspace = openWorkspace(receipt.start, { io, warn });
  try {
    for (const recovery of await workspace.recover()) warn(describeRecovery(recovery).text);
    const patches = (await workspace.listPatches())
      .filter(({ number, time, call_id: id }) => {
        const change = wanted.get(number);
        return change?.made === time && change.call_id === id;
      });
    const changes = patches.map(({ number }) => number);
    const gone = [...wanted.keys()].filter((number) => !changes.includes(number));
    if (changes.length === 0 && !isAsBefore(receipt)) {
      return refuse({
        error: `Cannot undo by ${receipt.path}: this ally keeps none of its changes any more.`,
        suggestion:
          "They were made on another machine, by an ally with another home (ALLY_HOME), " +
          "or are too old. ally verify says how the files are.",
      });
    }
    return { ok: true, changes, gone, files: await workspace.takeBack(patches) };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return refuse({
      error: error.message,
      suggestion: "Move these files away or put back what the run left, and try again. " +
        "/undo at the prompt takes back one change after the other.",
    });
  } finally {
    workspace.close();
  }
}

function openWorkspace(
  { cwd, roots }: ReceiptStart,
  { io: { env }, warn }: { io: Io; warn: (text: string) => void },
): Workspace {
  const { patches, snapshots } = allyPaths(canonicalDirectory(cwd), env);
  return new Workspace({
    cwd,
    addDirs: roots.filter((root) => root !== cwd),
    patchDir: patches,
    snapshots: { directory: snapshots, path: env.get("PATH") ?? "", notice: warn },
  });
}

/** The changes that the receipt does not say to be taken back, by their numbers. */
function standingChanges({ lines }: ReadReceipt): Map<number, ReceiptChange> {
  const known = new Map<number, ReceiptChange>();
  const standing = new Map<number, ReceiptChange>();
  for (const line of readFileLines(lines)) {
    if (line.type === "change") known.set(line.change, line);
    const change = known.get(line.change);
    if (line.type === "undone") standing.delete(line.change);
    else if (change !== undefined) standing.set(line.change, change);
  }
  return standing;
}

function isAsBefore({ lines }: ReadReceipt): boolean {
  return checkFiles(readFileLines(lines)).every(({ state }) => state === "as_before");
}

function refuse(problem: { error: string; suggestion: string }): UndoReport {
  return { ok: false, changes: [], gone: [], files: [], ...problem };
}

function describe({ changes, gone, files }: UndoReport): string {
  if (changes.length === 0) {
    return "There is nothing to take back: the files are as before the run.";
  }
  const rows = files.map(({ action, path }) =>
    action === "left"
      ? `- left ${quoteName(path.display)}, whose content was too large to be saved`
      : `- ${action} ${quoteName(path.display)}`
  );
  const more = rows.length > MAX_LISTED ? [`- and ${rows.length - MAX_LISTED} more`] : [];
  const before = gone.length === 0 ? [] : [
    `${plural(gone.length, "change")} had been taken back before, or ${
      gone.length === 1 ? "is" : "are"
    } no longer kept.`,
  ];
  return [
    `Took back ${plural(changes.length, "change")}; /redo at the prompt makes them again.`,
    ...rows.slice(0, MAX_LISTED),
    ...more,
    ...before,
  ].join("\n");
}
