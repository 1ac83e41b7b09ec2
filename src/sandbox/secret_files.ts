/**
 * The secret places that this machine really has, links followed. The sandbox hides exactly these, and judging a
 * command uses the same list.
 */
import { dirname, join } from "node:path";
import { SECRET_PLACES, type SecretPlace } from "../core/secret_places.ts";
import { contains } from "../lib/contains.ts";
import { DiskView } from "./disk_view.ts";
import { kindOf, mayRead } from "./inspect.ts";

/** Where the user's and ally's own files are; absolute and canonical. */
export interface Homes {
  /** The user's home directory, or "" if it is not known. */
  readonly home: string;
  /** ally's own files, or "". */
  readonly allyHome: string;
  /** The workspace, whose files are seen wherever links to them lie. @default none */
  readonly roots?: () => readonly string[];
}

/** A secret place as it is on the disk. */
export interface SecretFile extends Pick<SecretPlace, "holds" | "shownFor"> {
  /** Absolute and canonical. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** Whether it is another user's and this one may not read it: then there is nothing to hide. */
  readonly isOutOfReach: boolean;
}

/** Links of one place that are followed. */
const MAX_LINKS = 200;
/** Programs and settings of the system, which are no keys of the user's. */
const SYSTEMS = /^\/(?:usr|etc|opt|bin|sbin|lib\w*|nix|snap|Library|System|Applications)\//;

/**
 * The places that are there, and the files that links in them lead to: programs that keep settings in a directory of
 * their own leave links in the place of keys. @throws {Deno.errors.NotCapable} ally may not look
 */
export function findSecretFiles(
  { home, allyHome, roots = () => [] }: Homes,
  disk = new DiskView(),
): SecretFile[] {
  const found = new Map<string, SecretFile>();
  const add = (place: string, row: Pick<SecretPlace, "holds" | "shownFor">) => {
    const path = disk.realPath(place);
    if (path === undefined || found.has(path)) return;
    const isSystems = path.startsWith("/etc/");
    // A file that takes its place may be for others to read.
    if (isSystems) disk.watch(dirname(path));
    const isOutOfReach = isSystems && !mayRead(path);
    const isDirectory = kindOf(path) === "directory";
    found.set(path, { ...row, path, isDirectory, isOutOfReach });
    if (isDirectory && !isSystems) linkedFiles(path).forEach((file) => add(file, row));
  };
  const linkedFiles = (directory: string) =>
    (disk.namesIn(directory, (name) => kindOf(join(directory, name)) === "link") ?? [])
      .slice(0, MAX_LINKS)
      .flatMap((name) => disk.realPath(join(directory, name)) ?? [])
      .filter((path) =>
        kindOf(path) === "file" && !contains(directory, path) && !SYSTEMS.test(path) &&
        !roots().some((root) => contains(root, path))
      );
  for (const { path, holds, shownFor } of SECRET_PLACES) {
    const [begin, names] = path.startsWith("/") ? ["/", path.slice(1)] : [home, path];
    if (begin === "") continue;
    for (const place of expand(begin, { names: names.split("/"), disk })) {
      add(place, { holds, ...(shownFor && { shownFor }) });
    }
  }
  if (kindOf(allyHome) === "directory") {
    const holds = "ally's own files";
    found.set(allyHome, { holds, path: allyHome, isDirectory: true, isOutOfReach: false });
  }
  return [...found.values()];
}

/** The paths below a directory that fit a row's names. */
function expand(
  directory: string,
  { names: [name, ...rest], disk }: {
    names: readonly string[];
    disk: DiskView;
  },
): string[] {
  if (name === undefined) return [directory];
  if (!disk.has(directory)) return [];
  const found = name.includes("*")
    ? disk.namesIn(directory, nameMatcher(name)) ?? []
    : disk.has(join(directory, name))
    ? [name]
    : [];
  return found.flatMap((one) => expand(join(directory, one), { names: rest, disk }));
}

function nameMatcher(pattern: string): (name: string) => boolean {
  const [begin = "", end = ""] = pattern.split("*");
  return (name) =>
    name.length >= begin.length + end.length && name.startsWith(begin) && name.endsWith(end);
}
