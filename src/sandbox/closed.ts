/**
 * The closed profile: system directories, the workspace and the programs of the user, all read-only, on a disk
 * that is otherwise empty; no home, no socket, no network, a `/tmp` that is gone at the end. What runs in it can
 * read the workspace and change nothing, whatever it is.
 */
import { dirname } from "node:path";
import type { SandboxPolicy } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { closedEnvironment } from "./environment.ts";
import { hiddenMounts, hideMount } from "./hidden_places.ts";
import { kindOf } from "./inspect.ts";
import { type Mount, type SandboxProfile, sortMounts } from "./mount.ts";
import { findRepositories, historyMounts } from "./repository.ts";
import type { SandboxPaths } from "./sandbox_paths.ts";
import { socketMounts } from "./sockets.ts";

/** The profile of a command that was given no power. */
export function closedProfile(policy: SandboxPolicy, paths: SandboxPaths): SandboxProfile {
  const { home, allyHome, env, places } = paths;
  const roots = paths.roots();
  const toolchains = places.toolchains();
  const isInRoot = (path: string) => roots.some((root) => contains(root, path));
  const shown = [
    ...places.system(),
    ...[paths.outputs].filter((path) => kindOf(path) !== undefined),
    ...toolchains.paths.filter((path) => !isInRoot(path)),
    ...repositoryPlaces(roots, policy).filter((path) => !isInRoot(path)),
    ...roots,
  ];
  const emptied = [home, home !== "" && contains(home, allyHome) ? "" : allyHome].filter((path) =>
    path !== "" && path !== "/" && !isInRoot(path)
  );
  const own = sortMounts([
    { kind: "scratch", path: "/tmp" },
    { kind: "scratch", path: "/var/tmp" },
    ...emptied.map(empty),
    ...shown.map((path): Mount => ({ kind: "readonly", path })),
  ]);
  const hidden = [
    ...places.privateSettings().map(hideMount),
    ...socketMounts(places.sockets(), { home, needed: shown }),
    ...hiddenMounts(places.secrets()).filter(({ path }) => path !== allyHome || !isInRoot(path)),
    ...historyMounts(roots, policy),
    ...(policy.hidden ?? []).filter((path) => kindOf(path) !== undefined).map(hideMount),
  ].filter(({ path }) => isShown(own, path));
  return {
    base: "nothing",
    network: false,
    abstractSockets: false,
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

/** Whether the innermost mount that a path lies in shows what is there. */
function isShown(mounts: readonly Mount[], path: string): boolean {
  const innermost = mounts.findLast((mount) => contains(mount.path, path));
  return innermost?.kind === "readonly";
}
