/**
 * What a sandbox has to know of the machine before every command, and what hardly ever changes: it is looked at again
 * only where a directory that decides it has changed.
 */
import { type DiskView, isWorldReadable, remember } from "./inspect.ts";
import { findSecretFiles, type Homes, type SecretFile } from "./secret_files.ts";
import { SYSTEM_PLACES } from "./system_places.ts";
import { findToolchains, type ToolchainPlaces } from "./toolchains.ts";

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

/** Places of the machine as they are now. */
export interface MachinePlaces {
  /** Keys, passwords, histories. */
  secrets(): readonly SecretFile[];
  /** Of the user's own programs. */
  toolchains(): ToolchainPlaces;
  /** Of the system's programs and settings. */
  system(): readonly string[];
  /** Settings of the system that are not for everybody, where this user may read all. */
  privateSettings(): readonly string[];
}

/** Makes it. Nothing is looked at before the first question. */
export function createMachinePlaces(
  options: Homes & {
    pathDirectories: readonly string[];
    env: Readonly<Record<string, string>>;
  },
): MachinePlaces {
  return {
    secrets: remember((disk) => findSecretFiles(options, disk)),
    toolchains: remember((disk) => findToolchains(options, disk)),
    system: remember((disk) => [...SYSTEM_PLACES, ...SYSTEM_STATE].filter((one) => disk.has(one))),
    privateSettings: remember(findPrivateSettings),
  };
}

function findPrivateSettings(disk: DiskView): string[] {
  if (Deno.build.os === "windows" || Deno.uid() !== 0) return [];
  return [...disk.namesIn("/etc") ?? []].map((name) => `/etc/${name}`)
    .filter((path) => !isWorldReadable(path));
}
