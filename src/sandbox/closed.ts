/**
 * The closed profile: system directories, the workspace and the programs of the user, all read-only, on a disk
 * that is otherwise empty; no home, no socket, no network, a `/tmp` that is gone at the end. What runs in it can
 * read the workspace and change nothing, whatever it is.
 */
import type { SandboxPolicy } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import {
  closedEnvironment,
  historySettings,
  identitySettings,
  settingVariables,
} from "./environment.ts";
import { hiddenMounts, hideMounts } from "./hidden_places.ts";
import { historyMounts } from "./history.ts";
import { kindOf } from "./inspect.ts";
import { type Mount, type SandboxProfile, sortMounts } from "./mount.ts";
import { findRepositories } from "./repository.ts";
import type { SandboxPaths } from "./sandbox_paths.ts";
import { socketMounts } from "./sockets.ts";

/** Where programs keep what is gone with them. */
const SCRATCH = "/tmp";
const SECOND_SCRATCH = "/var/tmp";

/** The profile of a command that was given no power. */
export function closedProfile(policy: SandboxPolicy, paths: SandboxPaths): SandboxProfile {
  const { home, env, places, allyHome } = paths;
  const roots = paths.roots();
  const { system, toolchains, privateSettings, secrets } = places.standing();
  const { hidden: denied = [] } = policy;
  const isDenied = (path: string) => denied.some((place) => contains(place, path));
  const isHidden = (path: string) =>
    isDenied(path) ||
    secrets.some((secret) => secret.path !== allyHome && contains(secret.path, path));
  // Where a root holds ally's own files, these are no part of what it shows, unless they are the root.
  const hidesOwn = !roots.includes(allyHome);
  const isInRoot = (path: string) =>
    roots.some((root) =>
      contains(root, path) &&
      !(hidesOwn && contains(root, allyHome) && contains(allyHome, path))
    );
  const shown = [
    ...[paths.outputs, ...paths.skills ?? []].filter((path) => kindOf(path) !== undefined),
    ...[...toolchains.paths, ...repositoryPlaces(roots, policy)].filter((path) => !isHidden(path)),
  ].filter((path) => !isInRoot(path)).concat(roots);
  const own = ownMounts(shown, { home, allyHome, system });
  const hidden = [
    ...privateSettings,
    ...socketMounts(places.sockets(), {
      home,
      needed: [...shown, ...system.map(({ path }) => path)],
    }),
    ...hiddenMounts(secrets).filter(({ path }) => path !== allyHome || hidesOwn),
    ...historyMounts(policy, paths),
    ...hideMounts([...denied, ...roots.filter((root) => isDenied(root))]),
  ].filter(({ path }) => isShown(own, path));
  const environment = closedEnvironment(env, { roots, home, toolchains });
  return {
    base: "nothing",
    network: false,
    abstractSockets: false,
    mounts: sortMounts([...own, ...hidden]),
    environment: {
      ...environment,
      set: {
        ...environment.set,
        ...policy.needs.includes("repository") &&
          settingVariables([...historySettings(policy), ...identitySettings(paths)]),
      },
    },
  };
}

/** What there is on the empty disk. Every mount takes its time, so none is made of what is there already. */
function ownMounts(
  shown: readonly string[],
  { home, allyHome, system }: Pick<SandboxPaths, "home" | "allyHome"> & {
    system: readonly Mount[];
  },
): Mount[] {
  const emptied = [home, home !== "" && contains(home, allyHome) ? "" : allyHome].filter((path) =>
    path !== "" && path !== "/" && !shown.some((one) => contains(one, path))
  );
  const barriers = [SCRATCH, SECOND_SCRATCH, ...emptied, ...allyHome === "" ? [] : [allyHome]];
  const visible = [...system.map(({ path }) => path), ...shown];
  const isThere = (path: string) =>
    visible.some((one) =>
      one !== path && contains(one, path) &&
      !barriers.some((barrier) => contains(one, barrier) && contains(barrier, path))
    );
  const isUsed = (scratch: string) =>
    [...shown, ...emptied].some((path) => contains(scratch, path));
  return sortMounts([
    { kind: "scratch", path: SCRATCH },
    isUsed(SECOND_SCRATCH)
      ? { kind: "scratch", path: SECOND_SCRATCH }
      : { kind: "link", path: SECOND_SCRATCH, source: SCRATCH },
    ...emptied.map((path): Mount => ({
      kind: [...barriers, ...visible].some((one) => one !== path && contains(one, path))
        ? "empty"
        : "directory",
      path,
    })),
    ...system,
    ...shown.filter((path) => !isThere(path)).map((path): Mount => ({ kind: "readonly", path })),
  ]);
}

/** The directories of git outside of the roots, without which nothing of a repository can be read. */
function repositoryPlaces(roots: readonly string[], { needs }: SandboxPolicy): string[] {
  return findRepositories(roots).filter(({ directories }) => directories.length > 0)
    .flatMap(({ dot, tree, directories }) => [
      // To git, files of the repository that are out of sight are deleted.
      needs.includes("repository") ? tree : dot,
      ...directories,
    ]);
}

/** Whether the innermost mount that a path lies in shows what is there. */
function isShown(mounts: readonly Mount[], path: string): boolean {
  const innermost = mounts.findLast((mount) => contains(mount.path, path));
  return innermost?.kind === "readonly";
}
