/**
 * Where the workspace is now: the directories of the session, to which the user can add, and the one directory
 * that the user has limited it to, if any. All who hold one see each change at once. Owned by the workspace.
 */
import { ToolError } from "../core/errors.ts";
import type { ResolvedPath } from "../core/files.ts";
import { contains, describePath, type Roots } from "./paths.ts";

export interface ReachOptions {
  /** Absolute and canonical, as all that follows. */
  readonly cwd: string;
  readonly added: readonly string[];
  /** Directories of ally's own that no focus shuts off. */
  readonly kept: readonly string[];
}

/** The roots as they are now: with a focus, that alone. */
export class Reach implements Roots {
  /** The whole workspace, whatever the focus. */
  readonly whole: Roots;
  readonly #cwd: string;
  readonly #all: string[];
  readonly #kept: readonly string[];
  #focus: string | undefined;

  constructor({ cwd, added, kept }: ReachOptions) {
    this.#cwd = cwd;
    this.#all = [cwd, ...added];
    this.#kept = kept;
    this.whole = { cwd, all: this.#all };
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

  /** Limits the session to a directory of the workspace, or no longer. */
  limit(directory: string | undefined): void {
    this.#focus = directory;
  }

  /** Makes a directory part of the workspace; false if it is already. */
  add(directory: string): boolean {
    if (this.#all.some((root) => contains(root, directory))) return false;
    this.#all.push(directory);
    return true;
  }

  /** @throws {ToolError} security: the path lies outside of the focus */
  require(path: ResolvedPath): ResolvedPath {
    const focus = this.#focus;
    if (focus === undefined || path.inside) return path;
    if (this.#kept.some((directory) => contains(directory, path.absolute))) return path;
    const { display } = describePath(focus, this.whole);
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
