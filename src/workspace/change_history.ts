/**
 * Undo and redo of one workspace, with previews, lists, what commands changed, and the recovery of what a killed
 * ally left half done. One thing happens at a time.
 */
import { join } from "node:path";
import type { FileEvent, LogFiles } from "../core/action_log.ts";
import type { TrackCommands } from "../core/command_watch.ts";
import type { OpenLister } from "../lib/directory_listing.ts";
import { listNames } from "../lib/fs.ts";
import type { FileDifference } from "./change_diff.ts";
import type { CommandRecords } from "./command_records.ts";
import { ObjectStore } from "./objects.ts";
import type { Patch } from "./patch.ts";
import type { PatchEvent, PatchStore } from "./patches.ts";
import type { Roots } from "./paths.ts";
import type { RewindPreview } from "./rewind.ts";
import type { Snapshots } from "./snapshots.ts";
import {
  createContentReader,
  type Direction,
  findNextPatch,
  planSteps,
  recoverAbandoned,
  type Recovery,
  redoChange,
  undoChange,
  type UndoDeps,
  type UndoneFile,
  type UndoResult,
} from "./undo.ts";
import type { ChangeSummary } from "./undo_list.ts";
import type { UndoPreview } from "./undo_preview.ts";

/** Changes that a list shows. */
const MAX_LISTED = 30;

/** How changes made by commands are kept so that they can be undone. */
export interface SnapshotOptions {
  /** Where contents are stored; made when the first one is. */
  readonly directory: string;
  /** Where programs are found, as in PATH. */
  readonly path: string;
  /** Tells the user what cannot be undone, each reason once. */
  readonly notice: (text: string) => void;
}

/** What records the changes of commands. */
interface OpenCommands {
  readonly snapshots: Snapshots;
  readonly records: CommandRecords;
}

/** The changes of one workspace. */
export class ChangeHistory {
  readonly #deps: UndoDeps;
  readonly #notice: (text: string) => void;
  /** Loaded with the first command that may change something. */
  #commands: Promise<OpenCommands | undefined> | undefined;
  #closed = false;
  /** Files that ally writes in the workspace: no snapshot holds them. */
  readonly #ownFiles: string[] = [];
  #openLister: OpenLister | undefined;
  #recovery: Promise<readonly Recovery[]> | undefined;

  constructor(
    options: { roots: Roots; patches: PatchStore; snapshots?: SnapshotOptions | undefined },
  ) {
    const { roots, patches, snapshots } = options;
    this.#notice = snapshots?.notice ?? (() => {});
    const objects = snapshots && new ObjectStore({ ...snapshots, roots });
    this.#deps = { roots, patches, objects };
  }

  /** Takes back the newest change, or the one with a number. @throws {ToolError} */
  async undo(number: number | undefined): Promise<UndoResult> {
    if (number === undefined) await this.recordTasks();
    for (;;) {
      const patch = await findNextPatch("undo", { number, ...this.#deps });
      const done = await this.#undoOne(patch);
      // A patch whose paths are all as before already is passed over.
      if (done.files.length > 0 || number !== undefined) return done;
    }
  }

  async #undoOne(patch: Patch): Promise<UndoResult> {
    const { number, tool } = patch;
    return await this.#apply([patch], async (all) => {
      if (all.length === 1) return await undoChange(patch, this.#deps);
      return { number, tool, files: await this.#takeBack(all) };
    });
  }

  /** Makes the change again that was undone last. @throws {ToolError} */
  async redo(): Promise<UndoResult> {
    const patch = await findNextPatch("redo", { number: undefined, ...this.#deps });
    return await this.#apply([patch], () => redoChange(patch, this.#deps));
  }

  /** What undo or redo would do. @throws {ToolError} */
  async preview(direction: Direction, number: number | undefined): Promise<UndoPreview> {
    const { roots, patches } = this.#deps;
    const patch = await findNextPatch(direction, { patches, number });
    const { steps } = await planSteps(patch, { direction, roots });
    await using objects = this.#deps.objects?.reader();
    const read = createContentReader(patch.number, objects);
    const { previewSteps } = await import("./undo_preview.ts");
    return await previewSteps(patch, { steps, roots, read });
  }

  /** What the change with a number did. @throws {ToolError} user: there is none */
  async diff(number: number): Promise<FileDifference[]> {
    const { diffChange } = await import("./change_diff.ts");
    return await diffChange(number, this.#deps);
  }

  /** How files differ from what they were before all changes after the one with a number. */
  async diffSince(after: number): Promise<FileDifference[]> {
    const { diffSince } = await import("./change_diff.ts");
    return await diffSince(after, this.#deps);
  }

  /** What taking back all changes after the one with a number would do. */
  async previewRewind(after: number): Promise<RewindPreview> {
    const { changesAfter, previewRewind } = await import("./rewind.ts");
    return await previewRewind(await changesAfter(after, this.#deps), this.#deps);
  }

  /** Takes back all changes after the one with a number. @throws {ToolError} as `rewindFiles` */
  async rewind(after: number): Promise<UndoneFile[]> {
    const { changesAfter } = await import("./rewind.ts");
    return await this.takeBack(await changesAfter(after, this.#deps));
  }

  /** Takes back these changes, given the newest first. @throws {ToolError} as `rewindFiles` */
  async takeBack(changes: readonly Patch[]): Promise<UndoneFile[]> {
    return await this.#apply(changes, (all) => this.#takeBack(all));
  }

  async #takeBack(changes: readonly Patch[]): Promise<UndoneFile[]> {
    const { rewindFiles } = await import("./rewind.ts");
    return await rewindFiles(changes, this.#deps);
  }

  /** Records what background tasks have changed until now, so that it can be shown and taken back. */
  async recordTasks(): Promise<void> {
    await (await this.#commands)?.records.recordTasks();
  }

  /** Settles when what background tasks did is recorded; all must have ended. */
  async tasksRecorded(): Promise<void> {
    await (await this.#commands)?.records.tasksRecorded();
  }

  /**
   * Does work of ally's own on these paths, absolute: what it changes is recorded by itself, and not as a background
   * task's. It is given what tasks have changed there until now, as it was recorded.
   */
  async leaveOut<T>(
    paths: readonly string[],
    work: (byTasks: Patch | undefined) => Promise<T>,
  ): Promise<T> {
    const records = (await this.#commands)?.records;
    return records === undefined ? await work(undefined) : await records.leaveOut(paths, work);
  }

  /** Takes changes one way; `work` gets them with what tasks have done to their paths since they were shown before them. */
  async #apply<T>(
    changes: readonly Patch[],
    work: (all: readonly Patch[]) => Promise<T>,
  ): Promise<T> {
    const paths = new Set(changes.flatMap(({ changes }) => changes.map(({ path }) => path)));
    return await this.leaveOut([...paths], (later) => {
      const isWithin = later?.changes.every(({ path }) => paths.has(path));
      return work(isWithin ? [later!, ...changes] : changes);
    });
  }

  /** Has what becomes of files told by hashes. A file of ally's own in the workspace is no part of it. */
  setListener(log: LogFiles, ownFile: string): void {
    this.#ownFiles.push(ownFile);
    this.#deps.patches.setListener(async (event) => log(await this.#describe(event)));
  }

  /** Whether a path is one of ally's own files. */
  isOwn(path: string): boolean {
    return this.#ownFiles.includes(path);
  }

  async #describe(event: PatchEvent): Promise<FileEvent> {
    if (event.kind !== "changed") return event;
    const { number, time, tool, call_id: callId } = event.patch;
    const { describeChanges } = await import("./change_facts.ts");
    await using objects = this.#deps.objects?.reader();
    const paths = await describeChanges(event.patch, objects);
    return { kind: "changed", number, time, tool, callId, paths };
  }

  /** The newest changes that can be taken back, summed up. */
  async list(): Promise<ChangeSummary[]> {
    const { roots, patches } = this.#deps;
    await using objects = this.#deps.objects?.reader();
    const { summarizePatch } = await import("./undo_list.ts");
    const listed: ChangeSummary[] = [];
    for (const patch of (await patches.list()).slice(0, MAX_LISTED)) {
      listed.push(await summarizePatch(patch, { roots, objects }));
    }
    return listed;
  }

  /** Finishes or takes back what a killed ally left half done; does so once. */
  recover(): Promise<readonly Recovery[]> {
    return this.#recovery ??= this.#recover();
  }

  async #recover(): Promise<readonly Recovery[]> {
    const { roots, objects, patches } = this.#deps;
    const ended = await recoverAbandoned(this.#deps);
    if (objects === undefined) return ended;
    const journals = journalsOf(objects);
    if (listNames(journals).length === 0) return ended;
    const { recoverCommands } = await import("./recover_commands.ts");
    return [...ended, ...await recoverCommands(journals, { roots: roots.all, objects, patches })];
  }

  /** Takes a snapshot before commands run, and records what they changed when they have ended. */
  readonly watch: TrackCommands = async (commands, by) =>
    await (await this.#loadCommands())?.records.watch(commands, by);

  /** Takes the first snapshot in the background. */
  async warm(): Promise<void> {
    await (await this.#loadCommands())?.snapshots.warm();
  }

  /** Has somebody else see all that the first snapshot sees. */
  walkWith(openLister: OpenLister): void {
    this.#openLister = openLister;
  }

  /** Stops work in the background. */
  close(): void {
    this.#closed = true;
    void this.#commands?.then((commands) => commands?.snapshots.close());
  }

  #loadCommands(): Promise<OpenCommands | undefined> {
    return this.#commands ??= this.#openCommands();
  }

  async #openCommands(): Promise<OpenCommands | undefined> {
    const { roots, patches, objects } = this.#deps;
    if (objects === undefined) return undefined;
    const [{ Snapshots }, { CommandJournal }, { CommandRecords }] = await Promise.all([
      import("./snapshots.ts"),
      import("./command_journal.ts"),
      import("./command_records.ts"),
    ]);
    if (this.#closed) return undefined;
    const notice = this.#notice;
    const snapshots = new Snapshots({
      objects,
      roots,
      ownFiles: this.#ownFiles,
      notice,
      readPatches: () => patches.list(),
      openLister: this.#openLister,
      journal: new CommandJournal(journalsOf(objects)),
    });
    return { snapshots, records: new CommandRecords({ snapshots, roots, patches, notice }) };
  }
}

/** Where it is noted what commands that run have changed. */
function journalsOf({ directory }: ObjectStore): string {
  return join(directory, "running");
}
