/**
 * The closed profile: system directories, the workspace and the programs of the user, all read-only, on a disk
 * that is otherwise empty; no home, no socket, no network, a `/tmp` that is gone at the end. What runs in it can
 * read the workspace and change nothing, whatever it is.
 */
import { dirname } from "node:path";
import type { SandboxPolicy } from "../../core/sandbox.ts";
import { contains } from "../../lib/contains.ts";
import { closedEnvironment } from "./environment.ts";
import { isWorldReadable, kindOf, namesIn } from "./inspect.ts";
import { hiddenMounts, hideMount } from "./hidden_places.ts";
import { type Mount, type SandboxProfile, sortMounts } from "./mount.ts";
import { findRepositories, historyMounts } from "./repository.ts";
import type { SandboxPaths } from "./sandbox_paths.ts";
import { SYSTEM_PLACES } from "./system_places.ts";
import { findToolchains } from "./toolchains.ts";

/** Beside the programs: settings, what packages are installed, how many processors there are. */
const SYSTEM_STATE = [
  "/etc",
  "/var/lib/dpkg",
  "/var/lib/rpm",
  "/var/lib/pacman/local",
  "/var/cache/fontconfig",
  "/run/current-system",
  "/sys/devices/system",
];

/** The profile of a command that was given no power. */
export function closedProfile(policy: SandboxPolicy, paths: SandboxPaths): SandboxProfile {
  const { home, env, pathDirectories } = paths;
  const roots = paths.roots();
  const toolchains = findToolchains({ home, pathDirectories, env });
  const isInRoot = (path: string) => roots.some((root) => contains(root, path));
  const shown = [
    ...[...SYSTEM_PLACES, ...SYSTEM_STATE, paths.outputs].filter((path) =>
      kindOf(path) !== undefined
    ),
    ...toolchains.paths.filter((path) => !isInRoot(path)),
    ...repositoryPlaces(roots, policy).filter((path) => !isInRoot(path)),
    ...roots,
  ];
  const own = sortMounts([
    { kind: "scratch", path: "/tmp" },
    { kind: "scratch", path: "/var/tmp" },
    ...(home === "" || isInRoot(home) || home === "/" ? [] : [empty(home)]),
    ...shown.map((path): Mount => ({ kind: "readonly", path })),
  ]);
  const hidden = [
    ...privateSettings(),
    ...hiddenMounts(paths).filter(({ path }) => path !== paths.allyHome || !isInRoot(path)),
    ...historyMounts(roots, policy),
    ...(policy.hidden ?? []).filter((path) => kindOf(path) !== undefined).map(hideMount),
  ].filter(({ path }) => isShown(own, path));
  return {
    base: "nothing",
    network: false,
    mounts: sortMounts([...own, ...hidden]),
    environment: closedEnvironment(env, { roots, home, toolchains: toolchains.env }),
  };
}

function empty(path: string): Mount {
  return { kind: "empty", path };
}

/** The directories of git outside of the roots, without which nothing of a repository can be read. */
function repositoryPlaces(roots: readonly string[], { needs }: SandboxPolicy): string[] {
  return findRepositories(roots).flatMap(({ dot, directories }) => [
    // To git, files of the repository that are out of sight are deleted.
    needs.includes("repository") ? dirname(dot) : dot,
    ...directories,
  ]);
}

/** Of the settings of the system, which root may read all, those that are not for everybody. */
function privateSettings(): Mount[] {
  if (Deno.uid() !== 0) return [];
  return [...namesIn("/etc") ?? []].map((name) => `/etc/${name}`)
    .filter((path) => !isWorldReadable(path)).map(hideMount);
}

/** Whether the innermost mount that a path lies in shows what is there. */
function isShown(mounts: readonly Mount[], path: string): boolean {
  const innermost = mounts.findLast((mount) => contains(mount.path, path));
  return innermost?.kind === "readonly";
}
