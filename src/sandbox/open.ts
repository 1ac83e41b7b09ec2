/**
 * The profile of a command that was given a power: it sees the machine's disk but for secrets and sockets, and may
 * write the workspace.
 */
import { dirname, join } from "node:path";
import { isTemporary, TEMPORARY } from "../core/path_facts.ts";
import type { Need, SandboxPolicy } from "../core/sandbox.ts";
import { USER_SETTINGS } from "../core/secret_places.ts";
import { contains } from "../lib/contains.ts";
import { openEnvironment } from "./environment.ts";
import { hiddenMounts, hideMounts } from "./hidden_places.ts";
import { historyMounts } from "./history.ts";
import { kindOf, mayCreateIn, realPath } from "./inspect.ts";
import type { StandingPlaces } from "./machine_places.ts";
import { type Mount, type SandboxProfile, sortMounts } from "./mount.ts";
import { missingPlaces, repositoryMounts } from "./repository.ts";
import type { ProfileOptions, SandboxPaths } from "./sandbox_paths.ts";
import { socketMounts } from "./sockets.ts";

/** Where things are, with what hardly ever changes of it. */
interface StandingPaths extends SandboxPaths {
  readonly standing: StandingPlaces;
}

/** The profile of a command that sees the machine's disk. */
export function openProfile(
  policy: SandboxPolicy,
  paths: SandboxPaths & ProfileOptions,
): SandboxProfile {
  const has = (need: Need) => policy.needs.includes(need);
  const standing = paths.places.standing();
  const { unwritable = [] } = policy;
  // Where nothing can be changed, nothing of a repository can.
  const changeable = paths.roots().filter((root) => !unwritable.some((one) => contains(one, root)));
  const machine = [
    ...temporaryMounts(paths),
    ...(has("services")
      ? []
      : [...serviceMounts(standing), ...strangeSockets(policy, { ...paths, standing })]),
    ...secretMounts(policy, { ...paths, standing }),
  ];
  const kept = [
    ...ownMounts(paths),
    ...repositoryMounts(changeable, {
      nested: paths.nested(),
      content: has("repository"),
      config: has("repository_config"),
      isPinned: paths.isPinned,
      hooksPaths: paths.hooksPaths ?? [],
    }),
    // Elsewhere nothing can be written that is the machine's, and nothing of it is to come to sight.
    ...unwritable.flatMap((path) => realPath(path) ?? [])
      .filter((path) => paths.roots().some((root) => contains(root, path)))
      .map((path): Mount => ({ kind: "readonly", path })),
  ];
  const mounts = [
    ...machine,
    ...rootMounts(paths, policy),
    ...withoutHidden(kept, { machine, roots: paths.roots() }),
    ...historyMounts(policy, paths),
    ...hideMounts(policy.hidden ?? []),
  ];
  const absent = [...unwritable, ...missingPlaces(paths.roots(), paths.nested())];
  mounts.push(...absent.flatMap((path) => absentMount(path, mounts)));
  return {
    base: "disk",
    network: has("network"),
    abstractSockets: has("services"),
    mounts: sortMounts(mounts),
    environment: openEnvironment(policy, paths),
  };
}

/** One `/tmp` for all commands of a session; what the user needs of the real one stays in sight. */
function temporaryMounts(paths: SandboxPaths): Mount[] {
  const own = TEMPORARY.flatMap((path): Mount[] =>
    kindOf(path) === "directory" ? [{ kind: "writable", path, source: paths.tmp }] : []
  );
  return [...own, ...visibleTemporary(paths).map((path): Mount => ({ kind: "readonly", path }))];
}

/** What stays in sight of the real `/tmp`. */
function visibleTemporary({ home, pathDirectories }: SandboxPaths): string[] {
  return [home, ...pathDirectories].filter((path) => path !== "" && isTemporary(path))
    .filter((path) => kindOf(path) === "directory");
}

/** Sockets elsewhere, but for those that the keys need. */
function strangeSockets({ needs }: SandboxPolicy, paths: StandingPaths): Mount[] {
  const { home, roots, places, cache, outputs, pathDirectories, standing } = paths;
  const agents = needs.includes("keys")
    ? [
      ...standing.secrets.filter(({ shownFor }) => shownFor === "keys").map(({ path }) => path),
      realPath(paths.sshAgent) ?? paths.sshAgent,
    ]
    : [];
  const needed = [...roots(), ...pathDirectories, cache, outputs, ...agents]
    .filter((path) => path !== "");
  // What lies in a place that is hidden anyway is not to be reached, unless a visible place is in it.
  const hidden = ["/run", ...TEMPORARY];
  const visible = [home, ...needed].filter((path) => path !== "");
  const strange = places.sockets().filter((path) =>
    !agents.some((one) => one !== "" && contains(one, path)) &&
    (!hidden.some((one) => contains(one, path)) || visible.some((one) => contains(one, path)))
  );
  return socketMounts(strange, { home, needed });
}

/** Who may talk to the machine's services can have anything done outside. */
function serviceMounts({ run }: StandingPlaces): Mount[] {
  if (kindOf("/run") !== "directory") return [];
  return [{ kind: "empty", path: "/run" }, ...run];
}

function secretMounts(
  { needs }: SandboxPolicy,
  paths: StandingPaths & ProfileOptions,
): Mount[] {
  const { outputs, skills = [], cache, standing } = paths;
  // In the workspace they are files like others.
  const outside = skills.filter((path) => !paths.roots().some((root) => contains(root, path)));
  const agent = needs.includes("keys") ? realPath(paths.sshAgent) : undefined;
  const visible = [paths.allyHome, ...paths.roots(), ...visibleTemporary(paths)];
  // Of what is not to be seen anyway a mount would leave its name in the `/tmp` of commands.
  const isSeen = (path: string) =>
    !isTemporary(path) || visible.some((one) => contains(one, path) || contains(path, one));
  return [
    ...hiddenMounts(standing.secrets, needs).filter(({ path }) => isSeen(path)),
    ...[outputs, ...outside].filter((path) => kindOf(path) === "directory")
      .map((path): Mount => ({ kind: "readonly", path })),
    // Git needs none, and is to obey no repository there, where commands may write.
    { kind: paths.gitWithKeys ? "empty" : "writable", path: cache },
    ...(agent ? [{ kind: "readonly", path: agent } as const] : []),
  ];
}

/**
 * Without what would show a place that is hidden: links decide where these mounts lie, and anybody can make links. What
 * hides all of a root does not count in it.
 */
function withoutHidden(
  mounts: readonly Mount[],
  { machine, roots }: { readonly machine: readonly Mount[]; readonly roots: readonly string[] },
): Mount[] {
  const hiding = machine.filter(({ kind }) => kind === "empty" || kind === "blank");
  return mounts.filter(({ path }) =>
    !hiding.some((hidden) =>
      contains(hidden.path, path) &&
      !roots.some((root) => contains(hidden.path, root) && contains(root, path))
    )
  );
}

/** Keeps a path from being made, by the first directory that is missing, in what a command may write. */
function absentMount(path: string, mounts: readonly Mount[]): Mount[] {
  let first = path;
  while (kindOf(dirname(first)) === undefined) first = dirname(first);
  const above = dirname(first);
  const isAbsent = kindOf(first) === undefined && kindOf(above) === "directory";
  if (!isAbsent || !mayCreateIn(above)) return [];
  const innermost = sortMounts(mounts).findLast((mount) => contains(mount.path, first));
  const isOpen = innermost?.kind === "writable" && innermost.source === undefined;
  return isOpen ? [{ kind: "empty", path: first, isPlaceholder: true }] : [];
}

/** The workspace, as far as no rule denies what holds it. Where ally's own files are that, they are not for commands. */
function rootMounts(
  { roots, allyHome }: SandboxPaths,
  { hidden = [], unwritable = [] }: SandboxPolicy,
): Mount[] {
  return roots().map((path): Mount => {
    const isIn = (places: readonly string[]) => places.some((place) => contains(place, path));
    if (isIn(hidden)) return { kind: "empty", path };
    return { kind: path === allyHome || isIn(unwritable) ? "readonly" : "writable", path };
  });
}

/** What of the workspace stays as it is: ally's own part, and what shells and git obey outside of every sandbox. */
function ownMounts({ roots, allyHome, home }: SandboxPaths): Mount[] {
  return roots().flatMap((root) =>
    [
      join(root, ".ally"),
      ...(home !== "" && contains(root, home) ? USER_SETTINGS.map((name) => join(home, name)) : []),
    ].flatMap((path) => realPath(path) ?? [])
      // What a link leads to elsewhere can be written by nobody anyway.
      .filter((path) => path !== allyHome && path !== root && contains(root, path))
  )
    .map((path): Mount => ({ kind: "readonly", path }));
}
