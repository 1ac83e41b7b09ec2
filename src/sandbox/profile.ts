/**
 * What of the machine a command sees and may change. Made anew for each command, because what is there changes.
 */
import type { SandboxPolicy } from "../core/sandbox.ts";
import { closedProfile } from "./closed.ts";
import type { GitLimits } from "./environment.ts";
import { foreignProfile } from "./foreign.ts";
import type { SandboxProfile } from "./mount.ts";
import { openProfile } from "./open.ts";
import type { SandboxPaths } from "./sandbox_paths.ts";

/** The profile of one command, and of git in it. */
export function buildProfile(
  policy: SandboxPolicy,
  paths: SandboxPaths & GitLimits,
): SandboxProfile {
  const { foreign } = paths;
  if (foreign !== undefined) return foreignProfile(policy, { ...paths, foreign });
  return policy.write ? openProfile(policy, paths) : closedProfile(policy, paths);
}
