/**
 * The secret places that this machine really has, links followed. The sandbox hides exactly these, and judging a
 * command uses the same list.
 */
import { delimiter, dirname, join, parse, resolve } from "node:path";
import {
  rowsAt,
  SECRET_PLACES,
  SECRET_VARIABLES,
  type SecretPlace,
} from "../core/secret_places.ts";
import { contains } from "../lib/contains.ts";
import { realPathOrSame } from "../lib/fs.ts";
import { DiskView } from "./disk_view.ts";
import { kindOf, mayRead } from "./inspect.ts";

/** Where the user's and ally's own files are; absolute and canonical. */
export interface Homes {
  /** The user's home directory, or "" if it is not known. */
  readonly home: string;
  /** ally's own files, or "". */
  readonly allyHome: string;
  /** The workspace, whose files are seen wherever links to them lie, and whatever names them. @default none */
  readonly roots?: () => readonly string[];
  /** Where variables say that secret places are, by absolute paths. @default nowhere else */
  readonly named?: readonly SecretPlace[];
}

/** A secret place as it is on the disk. */
export interface SecretFile extends Pick<SecretPlace, "holds" | "shownFor"> {
  /** Absolute and canonical. */
  readonly path: string;
  readonly isDirectory: boolean;
  /** Whether it is another user's and this one may not read it: then there is nothing to hide. */
  readonly isOutOfReach: boolean;
}

/**
 * Where variables say that secret places are: by absolute paths, and by those to which links lead now. To be asked once
 * for each environment, which does not change.
 */
export function findNamedPlaces(
  variables: Readonly<Record<string, string>>,
  { home, cwd }: { readonly home: string; readonly cwd: string },
): SecretPlace[] {
  return SECRET_VARIABLES.flatMap(({ variable, path, isList }) => {
    const value = variables[variable] ?? "";
    const named = (isList ? value.split(delimiter) : [value]).filter((one) => one !== "")
      .map((one) => resolve(cwd, home === "" ? one : one.replace(/^~(?=\/|$)/, home)))
      .filter((place) => home === "" || place !== join(home, path));
    return [...new Set([...named, ...named.map(realPathOrSame)])].flatMap((place) =>
      rowsAt(path).map(({ below, row }) => ({ ...row, path: `${place}${below}` }))
    );
  });
}

/** Links of one place that are followed. */
const MAX_LINKS = 200;
/** Programs and settings of the system, which are no keys of the user's. */
const SYSTEMS = /^\/(?:usr|etc|opt|bin|sbin|lib\w*|nix|snap|Library|System|Applications)\//;

/**
 * The places that are there, those that variables name, and the files that links in them lead to: programs that keep
 * settings in a directory of their own leave links in the place of keys.
 * @throws {Deno.errors.NotCapable} ally may not look
 */
export function findSecretFiles(
  { home, allyHome, roots = () => [], named = [] }: Homes,
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
  for (const { path, holds, shownFor } of named) {
    const { root } = parse(path);
    for (const place of expand(root, { names: path.slice(root.length).split(/[\\/]/), disk })) {
      const real = disk.realPath(place);
      if (real !== undefined && mayBeSecret(real, { home, roots: roots() })) {
        add(place, { holds, ...(shownFor && { shownFor }) });
      }
    }
  }
  if (kindOf(allyHome) === "directory") {
    const holds = "ally's own files";
    found.set(allyHome, { holds, path: allyHome, isDirectory: true, isOutOfReach: false });
  }
  return [...found.values()];
}

/**
 * Whether a variable may make a place, canonical, a secret one: not what is the project's, unless that is the user's
 * home, and by a slip neither the home, nor the workspace, nor directories of the system's.
 */
function mayBeSecret(
  path: string,
  { home, roots }: { home: string; roots: readonly string[] },
): boolean {
  const isProjects = roots.some((root) =>
    contains(root, path) && !(home !== "" && contains(root, home))
  );
  const kind = kindOf(path);
  if (isProjects || kind !== "directory") return !isProjects && kind === "file";
  return !SYSTEMS.test(`${path}/`) && dirname(path) !== parse(path).root &&
    ![home, ...roots].some((one) => one !== "" && contains(path, one));
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
