/**
 * What of the disk a command sees and may write, as a list of mounts in the order in which they are made:
 * a place that lies in another comes after it, so that the innermost one decides. Made anew for each
 * command, because what is there changes.
 */
import { join } from "node:path";
import type { Need, SandboxPolicy } from "../../core/sandbox.ts";
import { contains } from "../../lib/contains.ts";
import { kindOf, realPath } from "./inspect.ts";
import type { Mount, SandboxProfile } from "./mount.ts";
import { repositoryMounts } from "./repository.ts";
import { findSecretFiles, type Homes } from "./secret_files.ts";

/** Where things are; all absolute and canonical. */
export interface SandboxPaths extends Homes {
  /** The working directory and each added directory, at this moment. */
  readonly roots: () => readonly string[];
  /** Whole outputs of commands, which the model is told of. */
  readonly outputs: string;
  /** What commands of this session find as `/tmp`. */
  readonly tmp: string;
  /** The caches of this project's commands. */
  readonly cache: string;
  /** Directories of PATH. */
  readonly pathDirectories: readonly string[];
  /** Socket of the user's ssh agent, or "". */
  readonly sshAgent: string;
}

/** Of `/run`, which is otherwise hidden with the sockets of all services. */
const RUN_VISIBLE = [
  "systemd/resolve",
  "resolvconf",
  "NetworkManager/resolv.conf",
  "NetworkManager/no-stub-resolv.conf",
  "nscd",
  "current-system",
  "booted-system",
  "opengl-driver",
  "wrappers",
];
const TEMPORARY = ["/tmp", "/var/tmp"];

/** The profile of one command. */
export function buildProfile(policy: SandboxPolicy, paths: SandboxPaths): SandboxProfile {
  const has = (need: Need) => policy.needs.includes(need);
  const { write } = policy;
  const mounts = [
    ...temporaryMounts(paths),
    ...(has("services") ? [] : serviceMounts()),
    ...secretMounts(paths, policy.needs),
    ...rootMounts(paths, write),
    ...repositoryMounts(paths.roots(), {
      write,
      content: write && has("repository"),
      config: write && has("repository_config"),
    }),
    ...ruleMounts(policy),
  ];
  return { network: has("network"), mounts: sortMounts(mounts) };
}

/** In the order in which they are made: outer places first, and of one place only the later mount. */
export function sortMounts(mounts: readonly Mount[]): Mount[] {
  const last = new Map(mounts.map((mount) => [mount.path, mount]));
  const depth = ({ path }: Mount) => path === "/" ? 0 : path.split("/").length;
  return [...last.values()].sort((one, other) => depth(one) - depth(other));
}

/** One `/tmp` for all commands of a session; what the user needs of the real one stays in sight. */
function temporaryMounts({ tmp, home, pathDirectories }: SandboxPaths): Mount[] {
  const own = TEMPORARY.flatMap((path): Mount[] =>
    kindOf(path) === "directory" ? [{ kind: "writable", path, source: tmp }] : []
  );
  const hidden = (path: string) => TEMPORARY.some((one) => path !== one && contains(one, path));
  const visible = [home, ...pathDirectories].filter((path) => path !== "" && hidden(path))
    .filter((path) => kindOf(path) === "directory");
  return [...own, ...visible.map((path): Mount => ({ kind: "readonly", path }))];
}

/** Who may talk to the machine's services can have anything done outside. */
function serviceMounts(): Mount[] {
  if (kindOf("/run") !== "directory") return [];
  const visible = RUN_VISIBLE.map((name) => `/run/${name}`)
    .filter((path) => realPath(path) === path);
  return [
    { kind: "empty", path: "/run" },
    ...visible.map((path): Mount => ({ kind: "readonly", path })),
  ];
}

/** Secret places and ally's own files, out of sight, unless a need shows them. */
export function hiddenMounts(homes: Homes, needs: readonly Need[] = []): Mount[] {
  return findSecretFiles(homes)
    .filter(({ shownFor }) => shownFor === undefined || !needs.includes(shownFor))
    .map(({ path, isDirectory }) => ({ kind: isDirectory ? "empty" : "blank", path }));
}

function secretMounts(paths: SandboxPaths, needs: readonly Need[]): Mount[] {
  const { outputs, cache } = paths;
  const agent = needs.includes("keys") ? realPath(paths.sshAgent) : undefined;
  return [
    ...hiddenMounts(paths, needs),
    ...(kindOf(outputs) === "directory" ? [{ kind: "readonly", path: outputs } as const] : []),
    { kind: "writable", path: cache },
    ...(agent ? [{ kind: "readonly", path: agent } as const] : []),
  ];
}

/** What the user's own rules keep from reading or from changes, where it is there. */
function ruleMounts({ hidden = [], unwritable = [] }: SandboxPolicy): Mount[] {
  const there = (path: string) => kindOf(path) !== undefined;
  return [
    ...unwritable.filter(there).map((path): Mount => ({ kind: "readonly", path })),
    ...hidden.filter(there).map(hideMount),
  ];
}

/** The mount that hides what lies at a path. */
export function hideMount(path: string): Mount {
  return { kind: kindOf(path) === "directory" ? "empty" : "blank", path };
}

/** The workspace, of which ally's own part stays as it is. */
function rootMounts({ roots, allyHome }: SandboxPaths, write: boolean): Mount[] {
  return roots().flatMap((path): Mount[] => {
    const own = realPath(join(path, ".ally"));
    // Where ally's own files are the workspace, they are not for commands.
    const open = write && path !== allyHome;
    return [
      { kind: open ? "writable" : "readonly", path },
      ...(own !== undefined && own !== allyHome ? [{ kind: "readonly", path: own } as const] : []),
    ];
  });
}
