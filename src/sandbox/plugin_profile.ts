/**
 * A sandbox that shows nothing but what is named: the system's programs, and the places that a plugin was
 * granted. Where a command's sandbox hides some places of the machine, this one begins with an empty disk.
 */
import { join } from "node:path";
import type { PluginProfile } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { standAlone } from "../lib/process.ts";
import {
  type BubblewrapOptions,
  deviceArguments,
  limitScript,
  mountArguments,
  namespaceArguments,
  procArguments,
  REQUIRE_OWNER,
  withInputs,
} from "./bubblewrap.ts";
import { hideMounts } from "./hidden_places.ts";
import { isAbsentOrEmpty, kindOf, realPath } from "./inspect.ts";
import { anchorMounts, type Launch, type Mount, type SandboxProfile, sortMounts } from "./mount.ts";
import { mountCheck } from "./mount_check.ts";
import { SYSTEM_PLACES } from "./system_places.ts";

/** Of `/etc` what programs need that look for names, times, certificates and each other. */
const ETC = [
  "alternatives",
  "ca-certificates",
  "crypto-policies",
  "fonts",
  "group",
  "gai.conf",
  "host.conf",
  "hosts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "passwd",
  "pki",
  "resolv.conf",
  "services",
  "ssl",
  "timezone",
];
/** Of these nothing is written in a place that a plugin was granted. */
const PROTECTED = [".git", ".ally"];
/** Bytes that a program may keep in `/tmp`. */
const TEMPORARY = 512 * 1024 * 1024;
/** Kilobytes of memory that a program may keep. */
const MEMORY_KB = 2 * 1024 * 1024;

/** The places of a plugin as mounts, outer ones first; `hidden` is not to be seen whatever is readable. */
function pluginMounts(
  { readable, writable, scratch, hidden: unseen, unwritable }: PluginProfile,
  hidden: readonly Mount[],
): Mount[] {
  const guarded = writable.flatMap((path) => PROTECTED.map((name) => join(path, name)));
  const isMade = (path: string) => !isAbsentOrEmpty(path);
  const mount = (kind: Mount["kind"]) => (path: string): Mount => ({ kind, path });
  const own = sortMounts([
    ...[
      ...scratch.map(mount("empty")),
      ...readable.map(mount("readonly")),
      ...writable.map(mount("writable")),
      ...[...guarded, ...unwritable.filter(isMade)].map(mount("readonly")),
      ...hideMounts(unseen),
      // On a link nothing can be mounted, but on what it leads to.
    ].filter(({ path }) => ![undefined, "link"].includes(kindOf(path))),
    ...unwritable.filter(isAbsentOrEmpty).map(mount("empty")),
  ]);
  const covered = hidden.filter(({ path }) =>
    own.every((one) => one.path !== path) &&
    own.some((one) => one.kind !== "empty" && contains(one.path, path))
  );
  return sortMounts([...own, ...covered]);
}

/** The same for a system without mounts, with the places of the system's programs. */
export function pluginSandboxProfile(
  profile: PluginProfile,
  hidden: readonly Mount[],
): SandboxProfile {
  const { system, secret } = systemPlaces(hidden);
  return {
    base: "nothing",
    network: profile.network,
    abstractSockets: false,
    mounts: sortMounts([
      ...system.map((path): Mount => ({ kind: "readonly", path })),
      ...secret,
      ...pluginMounts(profile, hidden),
    ]),
    // It is made where a plugin is started.
    environment: { clear: false, unset: [], set: {} },
  };
}

/** The places of the system's programs that are there, and what in them is hidden. */
function systemPlaces(hidden: readonly Mount[]): { system: string[]; secret: Mount[] } {
  const system = [...SYSTEM_PLACES, ...ETC.map((name) => `/etc/${name}`)]
    .filter((path) => kindOf(path) !== undefined);
  return { system, secret: hidden.filter(({ path }) => system.some((one) => contains(one, path))) };
}

/** The command line that runs `argv` in such a sandbox. */
export function pluginCommand(
  argv: readonly string[],
  { profile, cwd, hidden, options }: {
    profile: PluginProfile;
    cwd: string;
    hidden: readonly Mount[];
    options: BubblewrapOptions;
  },
): Launch["argv"] {
  const { system, secret } = systemPlaces(hidden);
  const mounts = pluginMounts(profile, hidden);
  // Any of them may lie where commands write; through a link one shows what that leads to now.
  const checked = mounts.filter(({ path }) => realPath(path) === path);
  const args = [
    ...namespaceArguments(profile),
    ...system.flatMap((path) => ["--ro-bind", path, path]),
    ...deviceArguments(options),
    "--remount-ro",
    "/dev",
    ...procArguments(options),
    "--size",
    String(TEMPORARY),
    "--tmpfs",
    "/tmp",
    ...[...secret, ...anchorMounts(mounts)].flatMap(mountArguments),
    ...[
      ...profile.unwritable.filter(isAbsentOrEmpty),
      ...hideMounts(profile.hidden).filter(({ kind }) => kind === "empty").map(({ path }) => path),
    ].flatMap((path) => ["--remount-ro", path]),
    "--remount-ro",
    "/",
    "--chdir",
    cwd,
    "--",
    "/bin/sh",
    "-c",
    [
      "exec 3>&2 2>/dev/null",
      REQUIRE_OWNER,
      ...mountCheck(checked),
      limitScript(options, MEMORY_KB),
      'exec "$@" 2>&3 3>&-',
    ].join("\n"),
    "sh",
    ...argv,
  ];
  return standAlone(withInputs(options, args));
}
