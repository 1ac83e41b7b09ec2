/**
 * Mounts and a command as a profile of macOS's `sandbox-exec`. Pure text. Its rules know no mounts: what is
 * hidden is what may not be read, and the last rule that fits decides.
 */
import type { Launch, SandboxProfile } from "./mount.ts";

/** Where the files of people and other disks are: what a profile that begins with nothing leaves out. */
const PEOPLE = ["/Users", "/Volumes", "/Network", "/private/tmp", "/private/var/tmp"];

/** The command line that runs `argv` within a profile. */
export function seatbeltCommand(
  argv: readonly string[],
  { profile, program }: { profile: SandboxProfile; program: string },
): Launch["argv"] {
  const { clear, unset, set } = profile.environment;
  const environment = [
    "/usr/bin/env",
    ...(clear ? ["-i"] : unset.flatMap((name) => ["-u", name])),
    ...Object.entries(set).map(([name, value]) => `${name}=${value}`),
  ];
  return [program, "-p", seatbeltProfile(profile), ...environment, ...argv];
}

/** The profile as `sandbox-exec` reads it. */
export function seatbeltProfile({ base, network, mounts }: SandboxProfile): string {
  const rules = mounts.map(({ kind, path, source }) => {
    const place = `(subpath ${quote(path)})`;
    switch (kind) {
      case "writable":
        return `(allow file-read* file-write* ${place}${
          source === undefined ? "" : ` (subpath ${quote(source)})`
        })`;
      case "readonly":
        return `(allow file-read* ${place})\n(deny file-write* ${place})`;
      default:
        return `(deny file-read* file-write* ${place})`;
    }
  });
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (regex #"^/dev/fd/"))',
    ...(network ? [] : ["(deny network*)", '(allow network* (local ip "localhost:*"))']),
    "(deny mach-register)",
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    "(deny process-info* (target others))",
    "(allow process-info* (target same-sandbox))",
    ...(base === "disk" ? [] : PEOPLE.map((path) => `(deny file-read* (subpath ${quote(path)}))`)),
    ...rules,
  ].join("\n");
}

function quote(path: string): string {
  return `"${path.replace(/[\\"]/g, "\\$&")}"`;
}
