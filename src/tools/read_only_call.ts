/**
 * Which calls can change no file, as far as that is known before they run. From it follows whether the files have to be
 * watched meanwhile, and whether other calls may run beside it. Pure.
 */
import type { Access, Verdict } from "../core/permission.ts";
import { policiesOf } from "../permission/sandbox_policy.ts";

/**
 * Whether all that a call runs is held where it can change nothing, or was judged to read only. `sandboxed` says
 * whether the sandbox holds it.
 */
export function runsWithoutChanges(
  { accesses, verdict }: { readonly accesses: readonly Access[]; readonly verdict: Verdict },
  { sandboxed }: { sandboxed: boolean },
): boolean {
  return accesses.some(({ kind }) => kind === "run") && changesNothing(verdict, { sandboxed });
}

/** Whether the sandbox holds a call with this verdict, where calls run `sandboxed` at all. */
export function isConfined({ sandboxPolicy }: Verdict, { sandboxed }: { sandboxed: boolean }) {
  return sandboxed && sandboxPolicy?.sandboxRequired === true;
}

function changesNothing(verdict: Verdict, how: { sandboxed: boolean }): boolean {
  const { risk, decision } = verdict;
  // What asked although it is safe runs as it was written, and not as it was understood.
  if (!isConfined(verdict, how)) return risk === "safe" && decision === "allow";
  return !mayWrite(verdict);
}

/** Whether some of what runs may change the workspace, where the sandbox holds it. */
export function mayWrite({ sandboxPolicy, parted }: Verdict): boolean {
  return sandboxPolicy?.write === true ||
    [...parted?.values() ?? []].flatMap(policiesOf).some(({ write }) => write);
}
