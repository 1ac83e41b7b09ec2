/**
 * The sockets of the machine that somebody listens at: who may talk to one can have things done outside of the
 * sandbox, as a container engine, an agent with keys or an editor does them.
 */
import { dirname, isAbsolute, join } from "node:path";
import { contains } from "../lib/contains.ts";
import { entriesOf, kindOf, realPath } from "./inspect.ts";
import type { Mount } from "./mount.ts";

/** Where it is. */
export const SOCKET_TABLE = "/proc/net/unix";
/** Flag of a socket that listens, and the type of one that takes datagrams without it. */
const LISTENS = 0x10000;
const DATAGRAM = 2;

/** Directories of so many programs that one socket does not close them; below the home or absolute. */
const SHARED = [".config", ".cache", ".local", ".local/share", ".local/state", "Library"];

/** The kernel's table of local sockets; undefined if Deno does not show it, as it does only with every permission. */
export function readSocketFile(): string | undefined {
  try {
    return Deno.readTextFileSync(SOCKET_TABLE);
  } catch {
    return undefined;
  }
}

/** The paths in that table, absolute; sockets without a file are left out. */
export function socketPathsIn(table: string): string[] {
  const paths = table.split("\n").slice(1).flatMap((line) => {
    const match = /^\S+ \S+ \S+ (\S+) (\S+) \S+ +\d+ (\/.*)$/.exec(line);
    if (!match) return [];
    const [, flags = "", type = "", path = ""] = match;
    const takes = (parseInt(flags, 16) & LISTENS) !== 0 || parseInt(type, 16) === DATAGRAM;
    return takes ? [path] : [];
  });
  return [...new Set(paths)];
}

/** Directories with many files, of which the sandbox shows nothing anyway. */
const HIDDEN = ["/run", "/tmp", "/var/tmp"];

/**
 * Where the sockets of these paths are, links resolved: nothing can be mounted on a link. Of one that is not there any
 * more it is all that are beside it: a program may give a socket its name only once it listens, and the table knows the
 * first one.
 */
export function locateSockets(paths: readonly string[]): string[] {
  const located = paths.map((path) => ({ path, real: realPath(path) }));
  const gone = located.filter(({ real }) => real === undefined || kindOf(real) !== "other")
    .flatMap(({ path }) => realPath(dirname(path)) ?? []);
  const directories = new Set(gone.filter((path) => !HIDDEN.includes(path)));
  const beside = [...directories].flatMap((directory) =>
    [...entriesOf(directory) ?? []].filter(([, kind]) => kind === "other")
      .map(([name]) => join(directory, name))
  );
  return [...new Set([...located.flatMap(({ real }) => real ?? []), ...beside])];
}

/**
 * The mounts that hide sockets. Where the directory of one serves for little else, all of it is hidden: whoever listens
 * may begin anew, with another file of the same name.
 */
export function socketMounts(
  sockets: readonly string[],
  { home, needed }: {
    home: string;
    /** Places that have to stay in sight: roots, programs, what a need shows. */
    needed: readonly string[];
  },
): Mount[] {
  const shared = [home, ...SHARED.map((name) => `${home}/${name}`)];
  return sockets.filter((path) => kindOf(path) === "other").map((path): Mount => {
    const directory = dirname(path);
    const keeps = directory.split("/").length < 3 || shared.includes(directory) ||
      needed.some((place) => contains(directory, place) || contains(place, directory));
    return keeps || !isAbsolute(directory)
      ? { kind: "blank", path }
      : { kind: "empty", path: directory };
  });
}
