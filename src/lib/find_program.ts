/**
 * Finds programs. Those that ally starts for itself (git, bash, bwrap) come only from where neither a workspace nor
 * another user can put one; those that a person has named, from everywhere but a project.
 */
import { dirname, isAbsolute, join, resolve } from "node:path";
import { contains } from "./contains.ts";
import { exists, realPathOrSame } from "./fs.ts";

/** Where programs are looked for by default. */
export const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * Where a program is found: as named if the name has a slash, else in the directories of `path`.
 * Undefined if it is nowhere or may not be executed.
 * @throws {Deno.errors.NotCapable} Deno may not look there
 */
export function findProgram(
  program: string,
  options: { path: string; cwd: string },
): Promise<string | undefined> {
  const bare = !/[\\/]/.test(program);
  const places = bare
    ? options.path.split(separator()).map((place) => join(resolve(options.cwd, place), program))
    : [isAbsolute(program) ? program : resolve(options.cwd, program)];
  return Promise.try(() => {
    for (const place of places) {
      const found = executableAt(place);
      if (found !== undefined) return found;
    }
    return undefined;
  });
}

/**
 * The file of a program, with the ending that the system gives it; undefined if there is none to execute.
 * @throws {Deno.errors.NotCapable} Deno may not look there
 */
function executableAt(path: string): string | undefined {
  const endings = onWindows() ? ["", ".exe", ".cmd", ".bat"] : [""];
  return endings.map((ending) => path + ending).find((file) => {
    try {
      const { isFile, mode } = Deno.statSync(file);
      return isFile && (mode === null || (mode & 0o111) !== 0);
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      return false;
    }
  });
}

/**
 * Looked at before all others, and all that is trusted where the whole disk is the workspace. What macOS has there is
 * old, or asks for Xcode: there the order of PATH holds.
 */
const SYSTEM_DIRECTORIES = [...SYSTEM_PATH.split(":"), "/usr/sbin", "/sbin"];

/** What npm puts on PATH for as long as it runs a script of a project. */
const NODE_PROGRAMS = /[\\/]node_modules[\\/]\.bin[\\/]?$/;

/** Where programs may come from. */
export interface OwnProgramOptions {
  /** Directories, as in PATH. */
  readonly path: string;
  /** The workspace as it is now, absolute and canonical. */
  readonly roots: readonly string[];
}

/**
 * The absolute path of a program for ally's own use; undefined if no trusted directory has it.
 * @throws {Deno.errors.NotCapable} Deno may not look there
 */
export function findOwnProgram(name: string, options: OwnProgramOptions): string | undefined {
  for (const directory of trustedDirectories(options)) {
    const program = executableAt(join(directory, name));
    // A link may lead back into the workspace.
    if (program && !isInWorkspace(Deno.realPathSync(program), options.roots)) return program;
  }
  return undefined;
}

/** The value of PATH without the directories that are not trusted. @throws as `findOwnProgram` */
export function trustedPath(options: OwnProgramOptions): string {
  return trustedDirectories(options).join(separator());
}

/**
 * The value of PATH without relative directories and those of projects, for programs that a person has named by a
 * setting or a variable: a project must not put others in their place.
 */
export function pathOutside(
  { path, roots, home }: OwnProgramOptions & {
    /** The home directory, "" if it is not known: a workspace that holds it is the person's own. */
    readonly home: string;
  },
): string {
  const own = home && realPathOrSame(home);
  const others = roots.filter((root) => own === "" || !contains(root, own));
  const isOutside = (directory: string) =>
    isAbsolute(directory) && !isOfProject(resolve(directory), others) &&
    !isOfProject(realPathOrSame(directory), others);
  return path.split(separator()).filter(isOutside).join(separator());
}

/**
 * The value of PATH with the directories of projects behind all others, but for those that are `activated`: what only
 * they have is still found, and no other program is replaced by one of theirs.
 */
export function pathProjectsLast(
  { activated = [], ...options }: OwnProgramOptions & {
    readonly home: string;
    /** Directories of projects that stay where they are. @default none */
    readonly activated?: readonly string[];
  },
): string {
  const all = options.path.split(separator()).filter((directory) => directory !== "");
  const outside = pathOutside(options).split(separator());
  const isLast = (directory: string) =>
    !outside.includes(directory) && !activated.includes(directory);
  if (!all.some(isLast)) return options.path;
  const ordered = [...all.filter((directory) => !isLast(directory)), ...all.filter(isLast)];
  return [...new Set(ordered)].join(separator());
}

/** Whether a directory of programs is in a workspace, or in a project that a workspace is a part of. */
function isOfProject(directory: string, roots: readonly string[]): boolean {
  if (isInWorkspace(directory, roots) || NODE_PROGRAMS.test(directory)) return true;
  const holder = dirname(dirname(directory));
  return isInVirtualEnvironment(directory) && roots.some((root) => contains(holder, root));
}

function trustedDirectories({ path, roots }: OwnProgramOptions): string[] {
  const trusted = path.split(separator()).filter((directory) =>
    isAbsolute(directory) && isTrusted(directory, roots)
  );
  const { system = [], other = [] } = Object.groupBy(
    trusted,
    (directory) => SYSTEM_DIRECTORIES.includes(directory) ? "system" : "other",
  );
  if (roots.includes("/")) return system;
  return Deno.build.os === "darwin" ? trusted : [...system, ...other];
}

function isTrusted(directory: string, roots: readonly string[]): boolean {
  if (isInWorkspace(directory, roots)) return false;
  try {
    const real = Deno.realPathSync(directory);
    if (isInWorkspace(real, roots)) return false;
    const { isDirectory, mode } = Deno.statSync(real);
    const isOpenToAll = !onWindows() && ((mode ?? 0) & 0o002) !== 0;
    // What is active of a project is not trusted, wherever it lies.
    const isActivated = NODE_PROGRAMS.test(real) || isInVirtualEnvironment(real);
    return isDirectory && !isOpenToAll && !isActivated;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return false;
  }
}

function isInWorkspace(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => root !== "/" && contains(root, path));
}

function isInVirtualEnvironment(directory: string): boolean {
  return exists(join(dirname(directory), "pyvenv.cfg"));
}

/** What stands between the directories of PATH. */
function separator(): string {
  return onWindows() ? ";" : ":";
}

function onWindows(): boolean {
  return Deno.build.os === "windows";
}
