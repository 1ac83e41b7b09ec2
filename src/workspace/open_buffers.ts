/**
 * Files as an editor has them: what a person has typed there and not saved is what they mean, so it is what the model
 * reads. Nothing is written over it: such a file is changed once it is saved.
 */
import type { ResolvedPath } from "../core/files.ts";
import { decodeText, isBinary } from "./decode.ts";
import type { Staleness } from "./ledger.ts";
import { loadRegular } from "./regular_file.ts";
import type { WorkspaceRoots } from "./roots.ts";

/** The text of a file in an editor, by its absolute path; undefined if it is not open there. Never throws. */
export type ReadBuffer = (absolute: string) => Promise<string | undefined>;

/** What the editor has of a file that is not on disk; undefined if both are the same, or it is not open there. */
export async function readUnsaved(
  path: ResolvedPath,
  { readBuffer, roots }: { readBuffer: ReadBuffer | undefined; roots: WorkspaceRoots },
): Promise<string | undefined> {
  if (readBuffer === undefined || !path.inside) return undefined;
  const file = await loadRegular(path, roots);
  if (file === undefined || isBinary(file.bytes)) return undefined;
  const typed = await readBuffer(path.absolute);
  if (typed === undefined) return undefined;
  const { text } = await decodeText(file.bytes);
  return withPlainLineEnds(typed) === withPlainLineEnds(text) ? undefined : typed;
}

/** Why a file with unsaved changes is not changed. */
export function unsavedProblem({ display }: ResolvedPath): Staleness {
  return {
    message: `Cannot change ${display}: it has changes in the user's editor that are not saved.`,
    suggestion: "Ask the user to save it, then read it again.",
  };
}

function withPlainLineEnds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
