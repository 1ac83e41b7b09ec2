/**
 * Undo and redo of one workspace, with previews, lists, what commands changed, and the recovery of what a killed
 * ally left half done. One thing happens at a time.
 */
import { join } from "node:path";
import type { FileEvent, LogFiles } from "../core/action_log.ts";
import type { CommandChanges, TrackCommands } from "../core/command_watch.ts";
import type { OpenLister } from "../lib/directory_listing.ts";
import { listNames } from "../lib/fs.ts";
import { messageOf } from "../lib/text.ts";
import type { FileDifference } from "./change_diff.ts";
import { ObjectStore } from "./objects.ts";
import { type Patch, type PatchChange, selectNotable } from "./patch.ts";
import type { PatchEvent, PatchStore } from "./patches.ts";
import { describePath, type Roots } from "./paths.ts";
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

/** The changes of one workspace. */
export class ChangeHistory {
  readonly #deps: UndoDeps;
  readonly #notice: (text: string) => void;
  /** Loaded with the first command that may change something. */
  #snapshots: Promise<Snapshots | undefined> | undefined;
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
  undo(number: number | undefined): Promise<UndoResult> {
    return undoChange(number, this.#deps);
  }

  /** Makes the change again that was undone last. @throws {ToolError} */
  redo(): Promise<UndoResult> {
    return redoChange(this.#deps);
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
    const { changesAfter, rewindFiles } = await import("./rewind.ts");
    return await rewindFiles(await changesAfter(after, this.#deps), this.#deps);
  }

  /** Takes back these changes, given the newest first. @throws {ToolError} as `rewindFiles` */
  async takeBack(changes: readonly Patch[]): Promise<UndoneFile[]> {
    const { rewindFiles } = await import("./rewind.ts");
    return await rewindFiles(changes, this.#deps);
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
  readonly watch: TrackCommands = async (commands, by) => {
    const snapshots = await this.#loadSnapshots();
    const { tool, callId, confined } = by;
    const command = { tool, call_id: callId, command: commands.join("\n") };
    if (snapshots === undefined || !await snapshots.begin(by.signal, command)) return undefined;
    return async () => {
      try {
        return await recordCommand(await snapshots.end({ confined, ...command }), {
          roots: this.#deps.roots,
          patches: this.#deps.patches,
          notice: this.#notice,
          by: command,
        });
      } finally {
        snapshots.forgetJournal(command);
      }
    };
  };

  /** Takes the first snapshot in the background. */
  async warm(): Promise<void> {
    const snapshots = await this.#loadSnapshots();
    await snapshots?.warm();
  }

  /** Has somebody else see all that the first snapshot sees. */
  walkWith(openLister: OpenLister): void {
    this.#openLister = openLister;
  }

  /** Stops work in the background. */
  close(): void {
    this.#closed = true;
    void this.#snapshots?.then((snapshots) => snapshots?.close());
  }

  #loadSnapshots(): Promise<Snapshots | undefined> {
    return this.#snapshots ??= this.#createSnapshots();
  }

  async #createSnapshots(): Promise<Snapshots | undefined> {
    const { roots, objects } = this.#deps;
    if (objects === undefined) return undefined;
    const [{ Snapshots }, { CommandJournal }] = await Promise.all([
      import("./snapshots.ts"),
      import("./command_journal.ts"),
    ]);
    if (this.#closed) return undefined;
    const readPatches = () => this.#deps.patches.list();
    const ownFiles = this.#ownFiles;
    return new Snapshots({
      objects,
      roots,
      ownFiles,
      notice: this.#notice,
      readPatches,
      openLister: this.#openLister,
      journal: new CommandJournal(journalsOf(objects)),
    });
  }
}

/** Where it is noted what commands that run have changed. */
function journalsOf({ directory }: ObjectStore): string {
  return join(directory, "running");
}

/** Records the changes of a command, if there are any, as one that can be undone; warns if they cannot be stored. */
async function recordCommand(
  changes: readonly PatchChange[],
  { roots, patches, notice, by }: {
    roots: Roots;
    patches: PatchStore;
    notice: (text: string) => void;
    by: { tool: string; call_id: string; command: string };
  },
): Promise<CommandChanges | undefined> {
  if (changes.length === 0) return undefined;
  const sorted = changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const time = new Date().toISOString();
  const patchNumber = await patches.record({ time, ...by, changes: sorted }).catch((error) => {
    notice(`What this command changed cannot be undone: ${messageOf(error)}`);
    return undefined;
  });
  const notable = selectNotable(sorted);
  const namesOf = (some: readonly PatchChange[]) =>
    some.map(({ path }) => describePath(path, roots).display);
  return {
    files: namesOf(notable),
    created: namesOf(notable.filter(({ before }) => before === null)),
    removed: namesOf(notable.filter(({ after }) => after === null)),
    patchNumber,
  };
}
