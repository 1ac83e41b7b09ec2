/**
 * What a sandbox has to know of the machine before every command, and what hardly ever changes: it is looked at again
 * only where a directory that decides it has changed.
 */
import { type DiskView, isWorldReadable, remember } from "./inspect.ts";
import { findSecretFiles, type Homes, type SecretFile } from "./secret_files.ts";
import { readSocketFile, socketPathsIn } from "./sockets.ts";
import { SYSTEM_PLACES } from "./system_places.ts";
import { findToolchains, type ToolchainPlaces } from "./toolchains.ts";

/** Beside the programs: settings, and what packages are installed. */
const SYSTEM_STATE = [
  "/etc",
  "/var/lib/dpkg",
  "/var/lib/rpm",
  "/var/lib/pacman/local",
  "/var/cache/fontconfig",
  "/run/current-system",
];

/** Places of the machine as they are now. */
export interface MachinePlaces {
  /** Keys, passwords, histories. */
  secrets(): readonly SecretFile[];
  /** Of the user's own programs. */
  toolchains(): ToolchainPlaces;
  /** Of the system's programs and settings. */
  system(): readonly string[];
  /** Of sockets that somebody listens at. */
  sockets(): readonly string[];
  /** Settings of the system that are not for everybody, where this user may read all. */
  privateSettings(): readonly string[];
}

/** Makes it. Nothing is looked at before the first question. */
export function createMachinePlaces(
  options: Homes & {
    pathDirectories: readonly string[];
    env: Readonly<Record<string, string>>;
    /** The table of sockets as it was, where it cannot be read. @default no socket is known then */
    socketTable?: string;
  },
): MachinePlaces {
  return {
    secrets: remember((disk) => findSecretFiles(options, disk)),
    toolchains: remember((disk) => findToolchains(options, disk)),
    system: remember((disk) => [...SYSTEM_PLACES, ...SYSTEM_STATE].filter((one) => disk.has(one))),
    sockets: () => socketPathsIn(readSocketFile() ?? options.socketTable ?? ""),
    privateSettings: remember(findPrivateSettings),
  };
}

function findPrivateSettings(disk: DiskView): string[] {
  if (Deno.build.os === "windows" || !mayBeRoot()) return [];
  return [...disk.namesIn("/etc") ?? []].map((name) => `/etc/${name}`)
    .filter((path) => !isWorldReadable(path));
}

/** Whether this user reads what is not for everybody; true where Deno does not say. */
function mayBeRoot(): boolean {
  try {
    return Deno.uid() === 0;
  } catch {
    return true;
  }
}
