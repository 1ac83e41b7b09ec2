/**
 * What a command did, as one numbered change that can be undone. Called by the workspace when a command
 * has ended.
 */
import type { CommandChanges } from "../core/command_watch.ts";
import { messageOf } from "../lib/text.ts";
import { type PatchChange, selectNotable } from "./patch.ts";
import type { PatchStore } from "./patches.ts";
import { describePath, type Roots } from "./paths.ts";

/** Records the changes of a command, if there are any; that they cannot be stored is told. */
export async function recordCommand(
  changes: readonly PatchChange[],
  { roots, patches, notice, by }: {
    roots: Roots;
    patches: PatchStore;
    notice: (text: string) => void;
    by: { tool: string; call_id: string; command: string };
  },
): Promise<CommandChanges | undefined> {
  if (changes.length === 0) return undefined;
  const sorted = changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const time = new Date().toISOString();
  const patchNumber = await patches.record({ time, ...by, changes: sorted }).catch((error) => {
    notice(`What this command changed cannot be undone: ${messageOf(error)}`);
    return undefined;
  });
  const files = selectNotable(sorted).map(({ path }) => describePath(path, roots).display);
  return { files, patchNumber };
}
