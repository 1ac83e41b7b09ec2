/**
 * Records what commands had changed when their ally was killed, as a change that can be taken back: by its journal, and
 * by what is there now.
 */
import { contains } from "../lib/contains.ts";
import { isGone } from "../lib/fs.ts";
import { TimeSlice } from "../lib/time_slice.ts";
import { findAbandonedJournals, type JournalContents } from "./command_journal.ts";
import { lendContents } from "./git_contents.ts";
import type { KnownTree } from "./known_tree.ts";
import { leaseObjects } from "./object_lease.ts";
import type { ObjectStore } from "./objects.ts";
import { isSameSide, type PatchChange } from "./patch.ts";
import { adoptContents, idsOf, objectsOf } from "./patch_contents.ts";
import type { PatchStore } from "./patches.ts";
import { MAX_TOTAL, readTree } from "./read_tree.ts";
import { TreeScan } from "./tree_scan.ts";
import type { Recovery } from "./undo.ts";

interface CommandDeps {
  readonly roots: readonly string[];
  readonly objects: ObjectStore;
  readonly patches: PatchStore;
}

/** Records what is in the journals of a directory. Never throws. */
export async function recoverCommands(directory: string, deps: CommandDeps): Promise<Recovery[]> {
  const ended: Recovery[] = [];
  try {
    for (const { remove, ...journal } of await findAbandonedJournals(directory)) {
      const number = await record(journal, deps);
      remove();
      if (number !== undefined) ended.push({ number, work: "command", isCut: journal.isCut });
    }
  } catch {
    // What cannot be read now is there at the next start.
  }
  return ended;
}

async function record(
  { commands, paths, replaced }: Omit<JournalContents, "isCut">,
  { roots, objects, patches }: CommandDeps,
): Promise<number | undefined> {
  if (paths.size === 0 || !await objects.isAvailable()) return undefined;
  const needed = async () => ({
    ofChanges: [
      ...idsOf(paths.values()),
      ...(await patches.list()).flatMap(({ changes }) => objectsOf(changes)),
    ],
    ofFiles: [],
  });
  using _ = await leaseObjects(objects, { needed });
  const slice = new TimeSlice();
  const reading = { objects, roots, slice };
  // Git may have what was there before.
  const lent = await lendContents(reading);
  const scanned = await new TreeScan({ roots: { all: roots }, excluded: [objects.directory] })
    .run({ watch: undefined, slice });
  const { tree } = await readTree(scanned, { ...reading, old: undefined, room: MAX_TOTAL, lent });
  const { changes } = await adoptContents(
    compare({ paths, replaced }, { tree, roots }),
    objects,
  );
  if (changes.length === 0) return undefined;
  const [first] = commands;
  return await patches.record({
    time: new Date().toISOString(),
    tool: first?.tool ?? "bash",
    call_id: first?.call_id ?? "",
    command: commands.map(({ command }) => command).join("\n"),
    changes: changes.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  });
}

/** What differs at these paths, and in directories that were not there before. */
function compare(
  { paths, replaced }: Pick<JournalContents, "paths" | "replaced">,
  { tree, roots }: { tree: KnownTree; roots: readonly string[] },
): PatchChange[] {
  const changes: PatchChange[] = [];
  const made: string[] = [];
  for (const [path, before] of paths) {
    if (!roots.some((root) => contains(root, path))) continue;
    const after = tree.get(path)?.side ?? null;
    // It may be ignored by git.
    if (after === null && (before === null || !isGone(path))) continue;
    const isMade = before?.kind !== "directory" || replaced.has(path);
    if (after?.kind === "directory" && isMade) made.push(path);
    if (!isSameSide(before, after)) changes.push({ path, before, after });
  }
  for (const [path, { side }] of made.length > 0 ? tree : []) {
    const isNew = !paths.has(path) && made.some((one) => contains(one, path));
    if (isNew) changes.push({ path, before: null, after: side });
  }
  return changes;
}
