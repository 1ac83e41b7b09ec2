/**
 * The files as one call sees them. Its paths mean what they meant when it was judged. The changes planned so far in the
 * reply count as made, so that the second edit of a file is planned on what the first leaves. Commits go to the disk.
 */
import { ToolError } from "../core/errors.ts";
import type {
  Change,
  CommitResult,
  Committer,
  DirectoryEntry,
  FileInfo,
  FileLines,
  Files,
  FileText,
  LineRange,
  LineSpan,
  ResolvedPath,
  ResolvedPaths,
} from "../core/files.ts";
import { UTF_8 } from "./decode.ts";
import { firstLine, sliceLines } from "./lines.ts";
import { findMovedLines } from "./moved_lines.ts";

/** Files seen through planned changes. */
export class PlannedView implements Files {
  readonly #files: Files;
  readonly #resolved: ResolvedPaths;
  /** The text each changed file will hold, null if it will be gone. */
  readonly #planned: ReadonlyMap<string, string | null>;
  readonly #pending: readonly Change[];

  constructor(
    files: Files,
    { pending, resolved }: { pending: readonly Change[]; resolved: ResolvedPaths },
  ) {
    this.#files = files;
    this.#resolved = resolved;
    this.#pending = pending;
    this.#planned = new Map(pending.map(({ path, after }) => [path.absolute, after]));
  }

  get cwd(): string {
    return this.#files.cwd;
  }

  get pending(): boolean {
    return this.#pending.length > 0;
  }

  /** @throws {ToolError} as of the files; user: it leads elsewhere than when it was resolved first */
  async resolve(path: string): Promise<ResolvedPath> {
    const now = this.#files.resolve(path);
    const first = this.#resolved.get(path);
    if (first === undefined) {
      this.#resolved.set(path, now);
      return await now;
    }
    const [judged, { absolute }] = await Promise.all([first, now]);
    if (judged.absolute === absolute) return judged;
    throw new ToolError(
      `Cannot use ${judged.display}: a link makes it lead elsewhere than when this call was judged.`,
      { kind: "user", suggestion: "Call it again." },
    );
  }

  async info(path: ResolvedPath): Promise<FileInfo | undefined> {
    const text = this.#planned.get(path.absolute);
    if (text === null) return undefined;
    const info = await this.#files.info(path);
    if (text === undefined) return info;
    const { modified, mode } = info ?? { modified: Date.now(), mode: 0o644 };
    return { kind: "file", size: byteLength(text), modified, mode };
  }

  async read(path: ResolvedPath, options?: { unseen?: boolean }): Promise<FileText> {
    const text = this.#text(path);
    if (text === undefined) return await this.#files.read(path, options);
    return { path, text, encoding: UTF_8.name, size: byteLength(text) };
  }

  async lines(path: ResolvedPath, range: LineRange): Promise<FileLines> {
    const text = this.#text(path);
    if (text === undefined) return await this.#files.lines(path, range);
    return { path, first: firstLine(range), ...sliceLines(text, range) };
  }

  movedLines(path: ResolvedPath): LineSpan | undefined {
    return this.#pending
      .filter((change) => change.path.absolute === path.absolute)
      .reduce<LineSpan | undefined>(
        (moved, change) => findMovedLines(change, moved),
        this.#files.movedLines(path),
      );
  }

  async head(path: ResolvedPath, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const text = this.#text(path);
    if (text === undefined) return await this.#files.head(path, length);
    return new TextEncoder().encode(text.slice(0, length)).slice(0, length);
  }

  async bytes(
    path: ResolvedPath,
    range: { readonly start: number; readonly length: number },
  ): Promise<Uint8Array<ArrayBuffer>> {
    const text = this.#text(path);
    if (text === undefined) return await this.#files.bytes(path, range);
    const { start, length } = range;
    return new TextEncoder().encode(text).slice(start, start + length);
  }

  list(path: ResolvedPath): Promise<DirectoryEntry[]> {
    return this.#files.list(path);
  }

  isLeftOut(path: string, searched: string): boolean {
    return this.#files.isLeftOut(path, searched);
  }

  async staleness(
    path: ResolvedPath,
  ): Promise<{ message: string; suggestion: string } | undefined> {
    return this.#planned.has(path.absolute) ? undefined : await this.#files.staleness(path);
  }

  commit(changes: readonly Change[], by: Committer): Promise<CommitResult> {
    return this.#files.commit(changes, by);
  }

  similar(path: ResolvedPath): Promise<string[]> {
    return this.#files.similar(path);
  }

  /** The planned text, or undefined if no change of the file is planned. */
  #text(path: ResolvedPath): string | undefined {
    const text = this.#planned.get(path.absolute);
    if (text !== null) return text;
    throw new ToolError(`Cannot read ${path.display}: an earlier call of this reply deletes it.`, {
      kind: "user",
    });
  }
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
