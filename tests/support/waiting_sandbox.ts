/**
 * Sandboxes that wait for their command, seen from outside.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Stage } from "./confined.ts";
import { idsWith } from "./processes.ts";
import { until } from "./wait.ts";

/** What the first shell of such a sandbox reads. */
const READS = ". /dev/fd/8";

/** Has a command tell which sandbox it is in: by the moment at which the first process began. */
export const WHICH = "cut -d ' ' -f 22 /proc/1/stat; ";

/** The sandboxes of a stage that wait, as `WHICH` tells them. */
export function waitingSandboxes(at: Stage): string[] {
  const outer = idsWith(READS).filter((pid) => idsWith(at.home).includes(pid));
  const read = (path: string) => Deno.readTextFileSync(path).trim().split(" ");
  return outer.flatMap((pid) => read(`/proc/${pid}/task/${pid}/children`))
    .filter((pid) => pid !== "")
    .map((pid) => read(`/proc/${pid}/stat`)[21] ?? "");
}

/** Has a command run in a sandbox, until another one waits for the next. */
export async function waitingAfter(at: Stage, runFirst: () => Promise<unknown>): Promise<string> {
  return await until("a sandbox that waits", async () => {
    await runFirst();
    await delay(100);
    return waitingSandboxes(at)[0];
  });
}
