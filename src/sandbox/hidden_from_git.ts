/**
 * What git says of changes to paths that its sandbox hides: that they were deleted or changed, since it finds nothing
 * there, or nothing that is theirs. Only a note follows from it.
 */
import { basename, join, sep } from "node:path";
import type { SandboxPolicy } from "../core/sandbox.ts";
import { exists } from "../lib/fs.ts";
import { splitLines } from "../lib/text.ts";

/** Characters at the beginning and at the end of the output that are searched. */
const SEARCHED = 15_000;
/** A path behind what git calls its change: `deleted:    a`, ` D a`, `D\ta`, `1 .D N... ... a`. */
const CHANGE =
  /^\s*(?:\p{L}[\p{L} ]*:\s+|[MTD. ]?[MTD]\s+|[12] \S*[MTD]\S* (?:\S+ ){6})"?(?:\.\.\/)*([^\s"].*?)"?$/u;

/** The hidden paths of which output tells a change, while the files that it names are there. */
export function findHiddenFromGit(
  output: string,
  policies: readonly Pick<SandboxPolicy, "hidden">[],
): readonly string[] {
  const hidden = [...new Set(policies.flatMap((policy) => policy.hidden ?? []))];
  const text = output.length <= 2 * SEARCHED
    ? output
    : `${output.slice(0, SEARCHED)}\n${output.slice(-SEARCHED)}`;
  const named = splitLines(text).map((line) => CHANGE.exec(line)?.[1]?.split("/") ?? []);
  return hidden.filter((path) => named.some((parts) => isIn(path, parts)));
}

/** Whether a path that may begin in any directory, by its parts, leads to or into a hidden one, and is there. */
function isIn(path: string, parts: readonly string[]): boolean {
  return parts.some((part, at) =>
    part === basename(path) &&
    path.endsWith(`${sep}${parts.slice(0, at + 1).join(sep)}`) &&
    exists(join(path, ...parts.slice(at + 1)))
  );
}
