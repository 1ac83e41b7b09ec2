/**
 * Where the workspace is now: the directories of the session, to which the user can add, and the one directory
 * that the user has limited it to, if any. All who hold one see each change at once.
 */
import { dirname } from "node:path";
import { ToolError, UsageError } from "../core/errors.ts";
import type { ResolvedPath } from "../core/files.ts";
import { contains } from "../lib/contains.ts";
import { linkedFinder, remember } from "../sandbox/disk_view.ts";
import { identityOf } from "../sandbox/inspect.ts";
import { describePath, resolvePath, type Roots } from "./paths.ts";
import { SYSTEM_PATH } from "../lib/find_program.ts";
import { realPathOrSame, reasonOf, tryLstat } from "../lib/fs.ts";

/** The directories of a workspace. */
interface WorkspaceRootsOptions {
  /** Absolute and canonical, like the others. */
  readonly cwd: string;
  readonly added: readonly string[];
  /** Directories of ally's own that can be used whatever the focus. */
  readonly alwaysAllowed: readonly string[];
}

/** The roots as they are now: with a focus, only that. */
export class WorkspaceRoots implements Roots {
  /** The whole workspace, whatever the focus. */
  readonly unfocused: Roots;
  readonly #cwd: string;
  readonly #all: string[];
  readonly #alwaysAllowed: readonly string[];
  #isHidden: (absolute: string) => boolean = () => false;
  /** Of what is hidden, the files that have other names as well. */
  #findLinked: (() => ReadonlyMap<string, string>) | undefined;
  #focus: string | undefined;

  constructor({ cwd, added, alwaysAllowed }: WorkspaceRootsOptions) {
    this.#cwd = cwd;
    this.#all = [cwd, ...added];
    this.#alwaysAllowed = alwaysAllowed;
    this.unfocused = { cwd, all: this.#all };
  }

  get cwd(): string {
    return this.#focus ?? this.#cwd;
  }

  get all(): readonly string[] {
    return this.#focus === undefined ? this.#all : [this.#focus];
  }

  /** The directory that the session is limited to. */
  get focus(): string | undefined {
    return this.#focus;
  }

  /** Limits the session to a directory. @throws {ToolError} user: it is not a directory of the workspace */
  async setFocus(path: string): Promise<ResolvedPath> {
    const { absolute } = resolvePath(path, { cwd: this.cwd, all: this.unfocused.all });
    const found = describePath(absolute, this.unfocused);
    const info = await Deno.stat(absolute).catch(() => undefined);
    if (!info?.isDirectory) {
      const why = info === undefined ? "there is no such directory" : "it is not a directory";
      throw focusError(found, why, "Name a directory of the workspace.");
    }
    if (!found.inside) {
      const next = `Make it part of it first: /add-dir ${found.absolute}`;
      throw focusError(found, "it lies outside of the workspace", next);
    }
    this.#focus = absolute;
    return found;
  }

  /** Lifts the limit. */
  clearFocus(): void {
    this.#focus = undefined;
  }

  /**
   * Forbids reading what lies at or below absolute paths, and below where links that come later make them lead, and what
   * git keeps that may hold it.
   */
  async hide(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    const { isContentOf, keptElsewhereFinder, placesOfContents, repositoriesHolding } =
      await import("../sandbox/history.ts");
    const find = remember((disk) => {
      const histories = repositoriesHolding(paths, disk).flatMap(({ directories }) => directories);
      for (const directory of histories) disk.watch(directory);
      const linked = histories.flatMap(placesOfContents)
        .filter((place) => !histories.some((directory) => contains(directory, place)));
      const places = paths.flatMap((path) => [path, disk.realPath(path) ?? path]);
      return { places: [...new Set([...places, ...linked])], histories };
    });
    const isKeptElsewhere = keptElsewhereFinder(paths);
    this.#isHidden = (absolute) => {
      const { places, histories } = find();
      return places.some((place) => contains(place, absolute)) ||
        histories.some((directory) => isContentOf(directory, absolute)) ||
        isKeptElsewhere(absolute);
    };
    this.#findLinked = linkedFinder(paths);
  }

  /** Whether reading a path is forbidden. */
  isHidden(absolute: string): boolean {
    return this.#isHidden(absolute);
  }

  /** @throws {ToolError} permission: reading the path is forbidden */
  requireReadable({ absolute, display }: ResolvedPath): void {
    const mayBeLinked = this.#findLinked !== undefined && (tryLstat(absolute)?.nlink ?? 1) > 1;
    const isLinked = mayBeLinked && this.#findLinked!().has(identityOf(absolute) ?? "");
    if (!isLinked && !this.isHidden(absolute)) return;
    throw new ToolError(`Permission denied: the user forbids reading ${display}.`, {
      kind: "permission",
    });
  }

  /** Makes a directory part of the workspace; undefined if it is already. @throws {UsageError} as `addedDirectory` */
  add(path: string): Promise<string | undefined> {
    return Promise.try(() => {
      const { absolute } = resolvePath(path, this);
      const directory = addedDirectory(absolute);
      if (this.#all.some((root) => contains(root, directory))) return undefined;
      this.#all.push(directory);
      return directory;
    });
  }

  /** @throws {ToolError} security: the path lies outside of the focus */
  requireInFocus(path: ResolvedPath): ResolvedPath {
    const focus = this.#focus;
    if (focus === undefined || path.inside) return path;
    if (this.#alwaysAllowed.some((directory) => contains(directory, path.absolute))) return path;
    const { display } = describePath(focus, this.unfocused);
    throw new ToolError(
      `Cannot use ${path.display}: it lies outside of ${display}, which the user has limited this session to.`,
      {
        kind: "security",
        suggestion: "Stay within it, or say what you would need: only the user can lift the " +
          "limit, with /defocus.",
      },
    );
  }
}

/** The real path of a directory. @throws {UsageError} there is none */
export function canonicalDirectory(path: string): string {
  try {
    const canonical = Deno.realPathSync(path);
    if (Deno.statSync(canonical).isDirectory) return canonical;
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound;
    const why = isMissing ? "there is no such directory" : reasonOf(error);
    throw new UsageError(`Cannot use the directory ${path}: ${why}.`, { cause: error });
  }
  throw new UsageError(`Cannot use the directory ${path}: it is not a directory.`);
}

/**
 * The real path of a directory beside the first. @throws {UsageError} there is none, it is the whole disk, or holds the
 * system's programs
 */
export function addedDirectory(path: string): string {
  const directory = canonicalDirectory(path);
  const isDisk = dirname(directory) === directory;
  const holdsPrograms = SYSTEM_PATH.split(":").some((one) =>
    contains(directory, realPathOrSame(one))
  );
  if (!isDisk && !holdsPrograms) return directory;
  const why = isDisk
    ? "it is the whole disk, of which a sandbox could keep nothing from commands"
    : "it holds programs of the system, with which ally keeps commands in their sandbox";
  throw new UsageError(
    `Cannot add the directory ${directory}: ${why}. ` +
      `Name the directories that are needed, or start in it (-C ${directory}): commands have no sandbox then.`,
  );
}

function focusError({ display }: ResolvedPath, why: string, suggestion: string): ToolError {
  return new ToolError(`Cannot limit the session to ${display}: ${why}. ${suggestion}`, {
    kind: "user",
  });
}
