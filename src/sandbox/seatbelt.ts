/**
 * Profiles as rules of macOS's `sandbox-exec`. Pure text, tried on no Mac. Its rules know no mounts: the last rule that
 * fits decides, what is hidden is what may not be read, and what would come from elsewhere is found there by variables.
 */
import { directoriesAbove } from "../lib/contains.ts";
import { anchorsOf, type Launch, type Mount, type SandboxProfile } from "./mount.ts";

/** What a rule may say of a place. */
type Filter = "literal" | "subpath";

/** Where programs of the system and what they load are, beside the places of every Unix. */
const SYSTEM = [
  "/System",
  "/Library/Apple",
  "/Library/Developer",
  "/Library/Frameworks",
  "/Library/Preferences/Logging",
  "/private/var/db/dyld",
  "/private/var/db/timezone",
  "/private/var/db/xcode_select_link",
  "/private/var/select",
  "/Applications/Xcode.app",
];
/** Services without which programs do not start: users, log, directories for temporary files. */
const SERVICES = [
  "com.apple.bsd.dirhelper",
  "com.apple.logd",
  "com.apple.system.logger",
  "com.apple.system.notification_center",
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
];
/** Services of the network: settings, names, certificates. */
const NETWORK_SERVICES = [
  "com.apple.SystemConfiguration.DNSConfiguration",
  "com.apple.SystemConfiguration.configd",
  "com.apple.networkd",
  "com.apple.ocspd",
  "com.apple.trustd",
  "com.apple.trustd.agent",
];
/** A path on Linux that is a link on a Mac. */
const LINKED = /^\/(?:etc|tmp|var)(?=\/|$)/;
/** Where commands believe that they keep what is temporary. */
const TEMPORARY = /^\/(?:var\/)?tmp(?=\/|$)/;

/** How a command is confined; `tmp` is where it keeps what is temporary, canonical. */
interface SeatbeltOptions {
  readonly profile: SandboxProfile;
  readonly program: string;
  readonly tmp: string;
}

/** The command line that runs `argv` within a profile. */
export function seatbeltCommand(
  argv: readonly string[],
  { profile, program, tmp }: SeatbeltOptions,
): Launch["argv"] {
  const { clear, unset, set, late } = profile.environment;
  const environment = [
    "/usr/bin/env",
    ...(clear ? ["-i"] : unset.flatMap((name) => ["-u", name])),
    ...Object.entries({ ...set, ...late }).map(([name, value]) =>
      `${name}=${value.replace(TEMPORARY, tmp)}`
    ),
  ];
  return [program, "-p", seatbeltProfile(profile, { tmp }), ...environment, ...argv];
}

/** The profile as `sandbox-exec` reads it. */
export function seatbeltProfile(profile: SandboxProfile, { tmp }: { tmp: string }): string {
  const mounts = profile.mounts.map((mount) => ({ ...mount, path: toMacPath(mount.path) }));
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-exec*)",
    "(allow process-fork)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow ipc-posix-sem)",
    ...lookups(SERVICES),
    ...baseRules(profile),
    rule("allow file-read* file-write*", { literal: ["/dev/null", "/dev/zero"] }),
    rule("allow file-read*", { literal: ["/dev/random", "/dev/urandom"] }),
    '(allow file-read* file-write* (regex #"^/dev/fd/"))',
    ...mounts.flatMap(mountRules),
    // Last: it lies among ally's own files, which are hidden.
    rule("allow file-read* file-write*", { subpath: [tmp] }),
    aboveRule(mounts, tmp),
    ...mounts.flatMap((mount) => anchorRules(mount, mounts)),
    ...networkRules(profile, mounts),
  ].join("\n");
}

/** What lies below the mounts. */
function baseRules({ base }: SandboxProfile): string[] {
  return base === "disk" ? ["(allow file-read*)"] : [
    rule("allow file-read*", { literal: ["/"] }),
    rule("allow file-read*", { subpath: SYSTEM }),
  ];
}

/** A program looks at the directories above what it reads, and may not see what else is in them. */
function aboveRule(mounts: readonly Mount[], tmp: string): string {
  const shown = mounts.filter(({ kind, source }) =>
    kind === "readonly" || (kind === "writable" && source === undefined)
  );
  const above = [...SYSTEM, tmp, ...shown.map(({ path }) => path)].flatMap(directoriesAbove);
  return rule("allow file-read-metadata", {
    literal: [...new Set([...above, "/etc", "/tmp", "/var"])].sort(),
  });
}

function mountRules({ kind, path, source }: Mount): string[] {
  const place = { subpath: [path] };
  if (kind === "readonly") {
    return [rule("allow file-read*", place), rule("deny file-write*", place)];
  }
  return kind === "writable" && source === undefined
    ? [rule("allow file-read* file-write*", place)]
    : [rule("deny file-read* file-write*", place)];
}

/** A rule is bound to a name: what a rule protects is not to get another one, by moving a directory above it. */
function anchorRules(mount: Mount, mounts: readonly Mount[]): string[] {
  const anchors = anchorsOf(mount, mounts);
  return anchors.length === 0 ? [] : [rule("deny file-write-unlink", { literal: anchors })];
}

/** Addresses of the network, and of sockets in files only those that a profile shows or all. */
function networkRules(
  { network, abstractSockets }: SandboxProfile,
  mounts: readonly Mount[],
): string[] {
  const sockets = abstractSockets ? [rule("allow network-outbound", { subpath: ["/"] })] : [];
  if (!network) return sockets;
  const shown = mounts.filter(({ kind }) => kind === "readonly").map(({ path }) => path);
  return [
    "(allow system-socket)",
    '(allow network-outbound (remote ip "*:*"))',
    '(allow network-bind (local ip "*:*"))',
    '(allow network-inbound (local ip "*:*"))',
    ...lookups(NETWORK_SERVICES),
    rule("allow network-outbound", { literal: ["/private/var/run/mDNSResponder", ...shown] }),
    ...sockets,
  ];
}

function lookups(names: readonly string[]): string[] {
  return [`(allow mach-lookup${names.map((name) => ` (global-name "${name}")`).join("")})`];
}

function rule(head: string, places: Partial<Record<Filter, readonly string[]>>): string {
  const filters = Object.entries(places)
    .flatMap(([filter, paths]) => paths.map((path) => `(${filter} ${quote(path)})`));
  return `(${head} ${filters.join(" ")})`;
}

function toMacPath(path: string): string {
  return path.replace(LINKED, (link) => `/private${link}`);
}

function quote(path: string): string {
  return `"${path.replace(/[\\"]/g, "\\$&")}"`;
}
