/**
 * Whether a command has a power in its sandbox.
 */
import type { Power, SandboxPolicy } from "../core/sandbox.ts";

/** Whether a policy gives it: one that may write nothing gives none. */
export function hasPower({ write, needs }: SandboxPolicy, power: Power): boolean {
  return write && (power === "write" || needs.includes(power));
}
