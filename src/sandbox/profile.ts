/**
 * What of the machine a command sees and may change. Made anew for each command, because what is there changes.
 */
import type { SandboxPolicy } from "../core/sandbox.ts";
import { closedProfile } from "./closed.ts";
import { foreignProfile } from "./foreign.ts";
import type { SandboxProfile } from "./mount.ts";
import { openProfile } from "./open.ts";
import type { ProfileOptions, SandboxPaths } from "./sandbox_paths.ts";

/** The profile of one command. */
export function buildProfile(
  policy: SandboxPolicy,
  paths: SandboxPaths & ProfileOptions,
): SandboxProfile {
  const { foreign } = paths;
  if (foreign !== undefined) return foreignProfile(policy, { ...paths, foreign });
  if (!policy.write) return closedProfile(policy, paths);
  const isKeyed = policy.needs.some((need) => need === "keys" || need === "registries");
  return openProfile(policy, isKeyed ? { ...paths, cache: paths.keyedCache } : paths);
}
