/**
 * A recorded change told by hashes: what lay at each of its paths before and after, without the content.
 */
import type { PathChange, PathFact } from "../core/action_log.ts";
import { sha256 } from "../lib/fs.ts";
import type { ObjectReader } from "./objects.ts";
import type { Patch, Side } from "./patch.ts";

/** The paths of a change with their hashes; contents of commands are read from the store for it. */
export async function describeChanges(
  { changes }: Pick<Patch, "changes">,
  objects: ObjectReader | undefined,
): Promise<PathChange[]> {
  const paths: PathChange[] = [];
  for (const { path, before, after } of changes) {
    paths.push({
      path,
      before: await factOf(before, objects),
      after: await factOf(after, objects),
    });
  }
  return paths;
}

async function factOf(
  side: Side | null,
  objects: ObjectReader | undefined,
): Promise<PathFact | null> {
  if (side === null || side.kind === "link") return side;
  const mode = side.mode === undefined ? {} : { mode: side.mode.toString(8) };
  if (side.kind === "directory") return { kind: "directory", ...mode };
  const { size, modified } = side;
  // A content that cannot be read is told without a hash: the change has been made.
  const bytes = side.object === undefined
    ? undefined
    : await objects?.read(side.object).catch(() => undefined);
  const hash = side.hash ?? (bytes && sha256(bytes));
  return {
    kind: "file",
    ...hash === undefined
      ? { ...size !== undefined && { size }, ...modified !== undefined && { modified } }
      : { sha256: hash },
    ...mode,
  };
}
