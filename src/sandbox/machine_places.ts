/**
 * What a sandbox has to know of the machine before every command, and what hardly ever changes: it is looked at again
 * only where a directory that decides it has changed.
 */
import { resolve } from "node:path";
import { type DiskView, remember } from "./disk_view.ts";
import { hideMounts } from "./hidden_places.ts";
import { isWorldReadable, kindOf, mayBeRoot } from "./inspect.ts";
import type { Mount } from "./mount.ts";
import { findSecretFiles, type Homes, type SecretFile } from "./secret_files.ts";
import { locateSockets, readSocketFile, socketPathsIn } from "./sockets.ts";
import { isSystemPlace, SYSTEM_PLACES, SYSTEM_STATE } from "./system_places.ts";
import { findToolchains, type ToolchainPlaces } from "./toolchains.ts";

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

/** Places of the machine as they are now. */
export interface MachinePlaces {
  /** What hardly ever changes. */
  standing(): StandingPlaces;
  /** Sockets that somebody listens at, canonical. */
  sockets(): readonly string[];
}

/** What is looked at again only where a directory that decides it has changed. */
export interface StandingPlaces {
  /** Keys, passwords, histories. */
  readonly secrets: readonly SecretFile[];
  /** The user's own programs. */
  readonly toolchains: ToolchainPlaces;
  /** The system's programs and settings. */
  readonly system: readonly Mount[];
  /** Of `/run` what is no service. */
  readonly run: readonly Mount[];
  /** Settings of the system that are not for everybody, where this user may read all. */
  readonly privateSettings: readonly Mount[];
}

/** Makes it. Nothing is looked at before the first question. */
export function createMachinePlaces(
  options: Homes & {
    roots: () => readonly string[];
    pathDirectories: readonly string[];
    env: Readonly<Record<string, string>>;
    /** The table of sockets as it was, where it cannot be read. @default no socket is known then */
    socketTable?: string;
  },
): MachinePlaces {
  return {
    standing: remember((disk) => ({
      secrets: findSecretFiles(options, disk),
      toolchains: findToolchains(options, disk),
      system: findSystem(disk),
      run: RUN_VISIBLE.map((name) => `/run/${name}`).filter((path) => disk.realPath(path) === path)
        .map((path): Mount => ({ kind: "readonly", path })),
      privateSettings: findPrivateSettings(disk),
    })),
    sockets: () => locateSockets(socketPathsIn(readSocketFile() ?? options.socketTable ?? "")),
  };
}

/** Where directories of programs are links into others, as most systems have them, links are enough. */
function findSystem(disk: DiskView): Mount[] {
  return [...SYSTEM_PLACES, ...SYSTEM_STATE].filter((path) => disk.has(path)).map((path): Mount => {
    const target = kindOf(path) === "link" ? Deno.readLinkSync(path) : undefined;
    return target !== undefined && isSystemPlace(resolve("/", target))
      ? { kind: "link", path, source: target }
      : { kind: "readonly", path };
  });
}

function findPrivateSettings(disk: DiskView): Mount[] {
  if (Deno.build.os === "windows" || !mayBeRoot()) return [];
  const paths = [...disk.namesIn("/etc") ?? []].map((name) => `/etc/${name}`);
  return hideMounts(paths.filter((path) => !isWorldReadable(path)));
}
