/**
 * The profile of commands that may be somebody else's, as a replay runs them: of the disk they see what the closed
 * profile shows, and of that they may write the workspace and what is temporary.
 */
import type { SandboxPolicy } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { closedProfile } from "./closed.ts";
import { closedEnvironment } from "./environment.ts";
import type { Mount, SandboxEnvironment, SandboxProfile } from "./mount.ts";
import { sortMounts } from "./mount.ts";
import { openProfile } from "./open.ts";
import type { ForeignPlaces, SandboxPaths } from "./sandbox_paths.ts";

/** The profile of a command that may be somebody else's. */
export function foreignProfile(
  policy: SandboxPolicy,
  { foreign, ...paths }: SandboxPaths & { readonly foreign: ForeignPlaces },
): SandboxProfile {
  const { system, toolchains } = paths.places.standing();
  const places = [
    ...system.map(({ path }) => path),
    ...toolchains.paths,
    ...paths.roots(),
    ...foreign.readable,
    foreign.copy,
    paths.outputs,
  ];
  // A command may have made `.git` lead to a repository of the user's.
  const mayShow = ({ kind, path, source }: Mount) =>
    !isShowing(kind) || source !== undefined || places.some((place) => contains(place, path));
  // What the user named is shown as folders of skills are, in whose place it stands: theirs take no part.
  const closed = closedProfile(policy, { ...paths, skills: foreign.readable });
  const base = closed.mounts.filter(mayShow);
  if (!policy.write) return { ...closed, mounts: base };
  const open = openProfile(policy, paths);
  const { shows = [], hides = [] } = Object.groupBy(
    open.mounts,
    ({ kind }) => isShowing(kind) ? "shows" : "hides",
  );
  const own = sortMounts([
    // What one command leaves in /tmp, the next one finds.
    ...base.filter(({ kind }) => kind !== "scratch"),
    ...shows.filter((mount) => mount.path === paths.cache || mayShow(mount)),
  ]);
  const isSeen = ({ path }: Mount) => {
    const innermost = own.findLast((mount) => contains(mount.path, path));
    return innermost !== undefined && isShowing(innermost.kind);
  };
  return {
    base: "nothing",
    network: open.network,
    abstractSockets: open.abstractSockets,
    mounts: sortMounts([...own, ...hides.filter(isSeen)]),
    environment: foreignEnvironment(open.environment, paths),
  };
}

/** Whether a mount shows what is there. */
function isShowing(kind: Mount["kind"]): boolean {
  return kind === "readonly" || kind === "writable";
}

/** The environment of other commands, where programs are found without the links to them. */
function foreignEnvironment(
  environment: SandboxEnvironment,
  { env, home, roots, places }: Omit<SandboxPaths, "foreign">,
): SandboxEnvironment {
  const { toolchains } = places.standing();
  const { PATH = "", GIT_DISCOVERY_ACROSS_FILESYSTEM = "" } =
    closedEnvironment({ ...env, ...environment.set }, { roots: roots(), home, toolchains }).set;
  return {
    ...environment,
    set: { ...environment.set, ...toolchains.env, PATH, GIT_DISCOVERY_ACROSS_FILESYSTEM },
  };
}
