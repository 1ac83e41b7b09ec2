/**
 * The user's files, as the port `Files` offers them: every read is remembered, every change is atomic, can be
 * undone, and is refused if the file is no longer what was read. Nothing else reads or writes them.
 */
import type { LogFiles } from "../core/action_log.ts";
import type { TrackCommands } from "../core/command_watch.ts";
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
import { secretAt, secretFinder, type SecretPlace } from "../core/secret_places.ts";
import { contains } from "../lib/contains.ts";
import type { OpenLister } from "../lib/directory_listing.ts";
import { isMissing, lstatCanonical } from "../lib/fs.ts";
import type { FileDifference } from "./change_diff.ts";
import { ChangeHistory, type SnapshotOptions } from "./change_history.ts";
import { FileChecks } from "./checks.ts";
import { commitChanges } from "./commit.ts";
import { BINARY_SAMPLE, decodeText, isBinary, UTF_8 } from "./decode.ts";
import { ioError } from "./io_error.ts";
import { Ledger, type Staleness } from "./ledger.ts";
import { firstLine, scanLines, sliceLines } from "./lines.ts";
import { lostRootError } from "./lost_root.ts";
import { type ReadBuffer, readUnsaved, unsavedProblem } from "./open_buffers.ts";
import type { Patch } from "./patch.ts";
import { PatchStore } from "./patches.ts";
import { isSystemPath, resolvePath } from "./paths.ts";
import { PlannedView } from "./planned_view.ts";
import {
  binaryFileError,
  loadRegular,
  MAX_LOADED_BYTES,
  openRegular,
  toFileInfo,
} from "./regular_file.ts";
import type { RewindPreview } from "./rewind.ts";
import { addedDirectory, canonicalDirectory, WorkspaceRoots } from "./roots.ts";
import { findSimilar } from "./similar.ts";
import type { Direction, Recovery, UndoneFile, UndoResult } from "./undo.ts";
import type { ChangeSummary } from "./undo_list.ts";
import type { UndoPreview } from "./undo_preview.ts";

const MAX_RECENT = 5;
/** Paths that a session remembers to have touched. */
const MAX_TOUCHED = 100;

/** What a workspace is made of. */
interface WorkspaceOptions {
  readonly cwd: string;
  readonly addDirs?: readonly string[];
  /** Directories of ally's own that can be read whatever the session is limited to. */
  readonly alwaysAllowed?: readonly string[];
  /** The user's home: what holds secrets there no search shows unless it was searched itself. @default none */
  readonly home?: string;
  /** ally's own files, which no search shows either. @default none */
  readonly allyHome?: string;
  /** Where variables say that secret places are, which are the user's own where the workspace holds the home. @default nowhere */
  readonly named?: readonly SecretPlace[];
  /** Where undo patches are kept; made when the first is needed. */
  readonly patchDir: string;
  /** How changes made by commands are kept; without it they cannot be undone. */
  readonly snapshots?: SnapshotOptions;
  /** Whether changed files are checked for syntax errors. @default true */
  readonly fileChecks?: boolean | undefined;
  /** Reads files as an editor has them. @default what is on disk is all there is */
  readonly readBuffer?: ReadBuffer | undefined;
}

/** The files of one session. */
export class Workspace implements Files {
  readonly pending = false;
  readonly #options: WorkspaceOptions;
  readonly #roots: WorkspaceRoots;
  readonly #ledger = new Ledger();
  readonly #patches: PatchStore;
  readonly #history: ChangeHistory;
  readonly #checks: FileChecks | undefined;
  readonly #findNamed: (path: string) => string | undefined;
  #recent: readonly string[] = [];
  /** The oldest first; all forks of a workspace share it. */
  readonly #touched: Set<string>;
  /** Settles when the last commit or undo is done; all forks of a workspace share one queue. */
  readonly #commitQueue: { last: Promise<unknown> };

  /**
   * With `shared` a fork: the same files for an agent that has read none of them yet.
   * @throws {UsageError} a directory does not exist
   */
  constructor(options: WorkspaceOptions, shared?: Workspace) {
    this.#options = options;
    this.#findNamed = secretFinder(options.named ?? []);
    this.#commitQueue = shared === undefined ? { last: Promise.resolve() } : shared.#commitQueue;
    this.#touched = shared === undefined ? new Set() : shared.#touched;
    if (shared !== undefined) {
      this.#roots = shared.#roots;
      this.#patches = shared.#patches;
      this.#history = shared.#history;
      this.#checks = shared.#checks;
      return;
    }
    const cwd = canonicalDirectory(options.cwd);
    const added = (options.addDirs ?? []).map(addedDirectory);
    this.#roots = new WorkspaceRoots({ cwd, added, alwaysAllowed: options.alwaysAllowed ?? [] });
    this.#patches = new PatchStore(options.patchDir);
    const { snapshots } = options;
    this.#history = new ChangeHistory({
      roots: this.#roots.unfocused,
      patches: this.#patches,
      snapshots,
    });
    this.#checks = options.fileChecks === false ? undefined : new FileChecks();
  }

  /** Where relative paths start. */
  get cwd(): string {
    return this.#roots.cwd;
  }

  /** The working directory and each added directory, or the one it is limited to; absolute and canonical. */
  get roots(): readonly string[] {
    return this.#roots.all;
  }

  /** The same files for another agent; each agent has its own record of what it has read. */
  fork(): Workspace {
    return new Workspace(this.#options, this);
  }

  /** Absolute paths that agents read or changed in this session, the newest first. */
  get touched(): readonly string[] {
    return [...this.#touched].reverse();
  }

  /** The roots, which can be changed through it. */
  get workspaceRoots(): WorkspaceRoots {
    return this.#roots;
  }

  /** The files as they will be once the changes planned so far are made, in order, for a call that resolved these paths. */
  view(pending: readonly Change[], resolved: ResolvedPaths = new Map()): Files {
    return new PlannedView(this, { pending, resolved });
  }

  resolve(path: string): Promise<ResolvedPath> {
    return Promise.try(() => this.#roots.requireInFocus(resolvePath(path, this.#roots)));
  }

  info(path: ResolvedPath): Promise<FileInfo | undefined> {
    return Promise.try(() => this.#info(path));
  }

  #info(path: ResolvedPath): FileInfo | undefined {
    try {
      const info = toFileInfo(lstatCanonical(path.absolute));
      const acts = info.kind === "file" && isSystemPath(path.absolute, this.#roots);
      return acts ? { ...info, kind: "other" } : info;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw ioError(`look at ${path.display}`, error);
    }
  }

  async read(path: ResolvedPath, options?: { unseen?: boolean }): Promise<FileText> {
    this.#roots.requireReadable(path);
    const file = await loadRegular(path, this.#roots);
    if (file === undefined) throw await this.#missingError(path);
    if (isBinary(file.bytes)) throw binaryFileError(path);
    const unsaved = await this.#readUnsaved(path);
    if (unsaved !== undefined) {
      return { path, text: unsaved, encoding: UTF_8.name, size: file.bytes.length };
    }
    const { text, encoding } = await decodeText(file.bytes);
    if (!options?.unseen) {
      this.#ledger.record(path, file.state);
      this.#touch(path);
    }
    return { path, text, encoding: encoding.name, size: file.bytes.length };
  }

  async lines(path: ResolvedPath, range: LineRange): Promise<FileLines> {
    this.#roots.requireReadable(path);
    const unsaved = await this.#readUnsaved(path);
    if (unsaved !== undefined) {
      return { path, first: firstLine(range), ...sliceLines(unsaved, range) };
    }
    const file = await openRegular(path, this.#roots);
    if (file === undefined) throw await this.#missingError(path);
    const { handle, stats } = file;
    try {
      const head = new Uint8Array(BINARY_SAMPLE);
      const { bytesRead } = await handle.read(head, 0, BINARY_SAMPLE, 0);
      if (isBinary(head.subarray(0, bytesRead))) throw binaryFileError(path);
      const found = await scanLines(handle, range, { toEnd: stats.size <= MAX_LOADED_BYTES });
      if (found.hash !== undefined) {
        this.#ledger.record(path, { hash: found.hash, inode: stats.ino });
        this.#ledger.recordNumbers(path);
        this.#touch(path);
      }
      return { path, lines: found.lines, first: firstLine(range), total: found.total };
    } finally {
      await handle.close();
    }
  }

  isLeftOut(path: string, searched: string): boolean {
    const { home = "", allyHome } = this.#options;
    const isOwn = (one: string) => allyHome !== undefined && contains(allyHome, one);
    const holdsHome = home !== "" && this.roots.some((root) => contains(root, home));
    const [held, named] = [path, searched].map((one) =>
      secretAt(one, { inside: true, home }) ?? (isOwn(one) ? "ally's own files" : undefined) ??
        (holdsHome ? this.#findNamed(one) : undefined)
    );
    return this.#roots.isHidden(path) || held !== undefined && named === undefined;
  }

  movedLines(path: ResolvedPath): LineSpan | undefined {
    return this.#ledger.movedLines(path);
  }

  head(path: ResolvedPath, length: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.bytes(path, { start: 0, length });
  }

  async bytes(
    path: ResolvedPath,
    { start, length }: { readonly start: number; readonly length: number },
  ): Promise<Uint8Array<ArrayBuffer>> {
    this.#roots.requireReadable(path);
    const file = await openRegular(path, this.#roots);
    if (file === undefined) throw await this.#missingError(path);
    try {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, file.stats.size - start)));
      const { bytesRead } = await file.handle.read(bytes, 0, bytes.length, start);
      return bytes.slice(0, bytesRead);
    } finally {
      await file.handle.close();
    }
  }

  async list(path: ResolvedPath): Promise<DirectoryEntry[]> {
    try {
      const { listHeld } = await import("./held_directory.ts");
      return await listHeld(path, this.#roots);
    } catch (error) {
      if (error instanceof ToolError) throw error;
      const info = await this.info(path);
      if (info === undefined) throw await this.#missingError(path);
      if (info.kind === "directory") throw ioError(`list ${path.display}`, error);
      throw new ToolError(`Cannot list ${path.display}: it is not a directory.`, {
        kind: "user",
        suggestion: "Name a directory, or use read for a file.",
      });
    }
  }

  async staleness(path: ResolvedPath): Promise<Staleness | undefined> {
    const info = await this.info(path);
    if (info?.kind !== "file") return undefined;
    const file = await loadRegular(path, this.#roots);
    if (file === undefined) return undefined;
    if (!isBinary(file.bytes)) {
      const isUnsaved = await this.#readUnsaved(path) !== undefined;
      return isUnsaved ? unsavedProblem(path) : this.#ledger.staleness(path, file.state);
    }
    return {
      message: `Cannot change ${path.display}: it is a binary file.`,
      suggestion: "Use a program made for that kind of file.",
    };
  }

  async commit(changes: readonly Change[], by: Committer): Promise<CommitResult> {
    const own = changes.find(({ path }) => this.#history.isOwn(path.absolute));
    if (own !== undefined) {
      throw new ToolError(
        `Cannot change ${own.path.display}: ally writes the receipt of this run to it.`,
        {
          kind: "security",
          suggestion: "Leave this file alone.",
        },
      );
    }
    const paths = changes.map(({ path }) => path.absolute);
    const receipt = await this.#queue(async () => {
      const options = { roots: this.#roots, patches: this.#patches, ...by };
      const { patchNumber, files } = await this.#history.leaveOut(
        paths,
        () => commitChanges(changes, options),
      );
      for (const change of changes) this.#ledger.recordMove(change);
      for (const { path, state } of files) {
        if (state === undefined) this.#ledger.forget(path);
        else if (!by.unseen) this.#ledger.record(path, state);
        if (state !== undefined) this.#touch(path);
        const others = this.#recent.filter((display) => display !== path.display);
        this.#recent = [path.display, ...others].slice(0, MAX_RECENT);
      }
      const bytesWritten = files.map((file) => file.bytes);
      return { patchNumber, bytesWritten, recentlyModified: this.#recent };
    });
    return { ...receipt, fileChecks: await this.#checks?.run(changes) ?? [] };
  }

  similar(path: ResolvedPath): Promise<string[]> {
    return findSimilar(path, this.#roots);
  }

  /**
   * Takes back the newest change of the project, or the one with a number. What the model read before
   * counts as changed since, so that it reads the file again before it changes it.
   * @throws {ToolError} user: there is nothing to undo, or a file changed since
   */
  undo(number?: number): Promise<UndoResult> {
    return this.#queue(async () => this.#forgetUndone(await this.#history.undo(number)));
  }

  /** Makes the change again that was undone last. @throws {ToolError} as `undo` */
  redo(): Promise<UndoResult> {
    return this.#queue(async () => this.#forgetUndone(await this.#history.redo()));
  }

  /** What the next undo or redo would do; nothing is changed. @throws {ToolError} as `undo` */
  preview(direction: Direction, number?: number): Promise<UndoPreview> {
    return this.#queue(() => this.#history.preview(direction, number));
  }

  /** What the change with a number did. @throws {ToolError} user: there is none */
  diff(number: number): Promise<FileDifference[]> {
    return this.#queue(() => this.#history.diff(number));
  }

  /** How files differ from what they were before all changes after the one with a number. */
  diffSince(after: number): Promise<FileDifference[]> {
    return this.#queue(() => this.#history.diffSince(after));
  }

  /** Number of the newest change ever made in the project, 0 if there is none. */
  newestChangeNumber(): Promise<number> {
    return this.#queue(async () => {
      await this.#history.recordTasks();
      return await this.#patches.lastNumber();
    });
  }

  /** Records what background tasks have changed until now: to be called before changes are listed, shown or taken back. */
  async recordTasks(): Promise<void> {
    await this.#history.recordTasks();
  }

  /** Settles when what background tasks did is recorded; all must have ended. */
  async tasksRecorded(): Promise<void> {
    await this.#history.tasksRecorded();
  }

  /** What taking back all changes after the one with a number would do; nothing is changed. */
  previewRewind(after: number): Promise<RewindPreview> {
    return this.#queue(() => this.#history.previewRewind(after));
  }

  /** Takes back all changes after the one with a number. @throws {ToolError} as `undo` */
  rewind(after: number): Promise<readonly UndoneFile[]> {
    return this.#queue(async () => this.#forgetRemoved(await this.#history.rewind(after)));
  }

  /** Takes back these changes, given the newest first. @throws {ToolError} as `undo` */
  takeBack(changes: readonly Patch[]): Promise<readonly UndoneFile[]> {
    return this.#queue(async () => this.#forgetRemoved(await this.#history.takeBack(changes)));
  }

  /** Has what becomes of files told by hashes, for a receipt, which itself is a file of ally's own. */
  setListener(log: LogFiles, ownFile: string): void {
    this.#history.setListener(log, ownFile);
  }

  /** The changes that can be taken back, newest first. */
  listPatches(): Promise<Patch[]> {
    return this.#queue(() => this.#patches.list());
  }

  /** The changes that can be made again, the next one first. */
  listRedoable(): Promise<Patch[]> {
    return this.#queue(() => this.#patches.listRedoable());
  }

  /** The newest changes that can be taken back, summed up. */
  listChanges(): Promise<ChangeSummary[]> {
    return this.#queue(() => this.#history.list());
  }

  /**
   * Finishes or takes back what a killed ally left half done, and says what it was. Done once, at the latest before
   * the first change.
   */
  recover(): Promise<readonly Recovery[]> {
    return this.#history.recover();
  }

  /** The port `CommandWatch`: what commands change becomes one change that can be undone. */
  readonly watchCommands: TrackCommands = async (commands, by) => {
    const finish = await this.#history.watch(commands, by);
    return finish && (async (tasks) => {
      const changes = await finish(tasks);
      const number = changes?.patchNumber;
      if (number === undefined) return changes;
      // What others wrote meanwhile goes too: that is a change of its own, which can be undone.
      const takeBack = async () => {
        const record = await this.#history.watch(commands, by);
        try {
          await this.undo(number);
        } finally {
          await record?.();
        }
      };
      return { ...changes!, takeBack };
    });
  };

  /** Takes the first snapshot in the background, so that the first command need not wait for it. */
  async warm(): Promise<void> {
    await this.#history.warm();
  }

  /** Has somebody else see every directory that is walked when all of the workspace is. */
  walkWith(openLister: OpenLister): void {
    this.#history.walkWith(openLister);
  }

  /** Stops work in the background. */
  close(): void {
    this.#history.close();
  }

  #readUnsaved(path: ResolvedPath): Promise<string | undefined> {
    const { readBuffer } = this.#options;
    return readUnsaved(path, { readBuffer, roots: this.#roots });
  }

  #touch({ absolute }: ResolvedPath): void {
    this.#touched.delete(absolute);
    this.#touched.add(absolute);
    const [oldest] = this.#touched;
    if (this.#touched.size > MAX_TOUCHED && oldest !== undefined) this.#touched.delete(oldest);
  }

  #forgetUndone(undone: UndoResult): UndoResult {
    this.#forgetRemoved(undone.files);
    return undone;
  }

  #forgetRemoved(files: readonly UndoneFile[]): readonly UndoneFile[] {
    for (const { path, action } of files) if (action === "removed") this.#ledger.forget(path);
    return files;
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#commitQueue.last.then(() => this.recover()).then(work);
    this.#commitQueue.last = result.catch(() => {});
    return result;
  }

  async #missingError(path: ResolvedPath): Promise<ToolError> {
    const lost = lostRootError(path, this.#roots);
    if (lost !== undefined) return lost;
    const near = await this.similar(path);
    return new ToolError(`Cannot find ${path.display}: there is no such file or directory.`, {
      kind: "user",
      suggestion: near.length > 0
        ? `Did you mean ${near.join(" or ")}?`
        : "Use glob or ls to see which files there are.",
    });
  }
}
