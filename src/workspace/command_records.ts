/**
 * What commands do to the files of a workspace, recorded as changes that can be undone: what one did until its call
 * ended and, if it goes on in the background, what it does after that. This is looked for when the next command begins,
 * before changes are shown or taken back, and when the task ends. Nobody can tell who changed a file between two calls
 * while a task ran: it counts as the task's, unless ally wrote it itself.
 */
import type { CommandChanges, FollowedTasks, TrackCommands } from "../core/command_watch.ts";
import { abortable } from "../lib/async.ts";
import { messageOf } from "../lib/text.ts";
import type { JournaledCommand } from "./command_journal.ts";
import { isSameSide, type Patch, type PatchChange, selectNotable } from "./patch.ts";
import type { PatchStore } from "./patches.ts";
import { describePath, type Roots } from "./paths.ts";
import type { Snapshots } from "./snapshots.ts";

/** What changes are recorded with. */
interface RecordDeps {
  readonly snapshots: Snapshots;
  readonly roots: Roots;
  readonly patches: PatchStore;
  /** Tells the user what cannot be undone. */
  readonly notice: (text: string) => void;
}

/** How a change is recorded. */
type RecordedBy = Pick<Patch, "tool" | "call_id" | "command" | "byTask">;

/** A command that goes on in the background. */
interface RunningTask {
  readonly command: JournaledCommand;
  readonly name: string;
  /** What has changed, by path. */
  readonly changes: Map<string, PatchChange>;
}

/** The commands of one workspace. */
export class CommandRecords {
  readonly #deps: RecordDeps;
  /** Commands whose calls have not ended, each with what settles when its call has. */
  readonly #called = new Map<JournaledCommand, PromiseWithResolvers<void>>();
  readonly #tasks = new Set<RunningTask>();
  /** Settle when tasks have ended and what they did is recorded. */
  readonly #ends = new Set<Promise<void>>();
  /** Settles when the last change is recorded: there is one at a time, so that their order is that of the looks. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: RecordDeps) {
    this.#deps = deps;
  }

  /** Takes a snapshot before commands run, and records what they changed when their call has ended. */
  readonly watch: TrackCommands = async (commands, { tool, callId, confined, signal }) => {
    const { snapshots } = this.#deps;
    const command = { tool, call_id: callId, command: commands.join("\n") };
    await abortable(this.recordTasks(), signal).catch(() => {});
    if (!await snapshots.begin(signal, command)) return undefined;
    this.#called.set(command, Promise.withResolvers());
    return (tasks) => this.#queue(() => this.#finish(command, { confined, tasks }));
  };

  /** Records what tasks have changed until now. While a call's command runs, that one's end does it. */
  async recordTasks(): Promise<void> {
    if (!this.#isWithTasksAlone) return;
    await this.#queue(async () => {
      if (!this.#isWithTasksAlone) return;
      const how = { confined: true, words: this.#words };
      await this.#recordAsTasks(await this.#deps.snapshots.collect(how));
      this.#deps.snapshots.forgetJournal();
    });
  }

  /** Settles when what tasks did is recorded; all must have ended, or be about to. */
  async tasksRecorded(): Promise<void> {
    await Promise.all(this.#ends);
  }

  /**
   * Does work of ally's own on these paths, absolute: what it changes is recorded by itself, and not as a task's. It is
   * given what tasks have changed there until now, as it was recorded.
   */
  async leaveOut<T>(
    paths: readonly string[],
    work: (byTasks: Patch | undefined) => Promise<T>,
  ): Promise<T> {
    if (!this.#isWithTasksAlone) return await work(undefined);
    return await this.#queue(async () => {
      const collect = () => this.#deps.snapshots.collectAt(paths, { words: this.#words });
      const byTasks = await this.#recordAsTasks(await collect());
      try {
        return await work(byTasks);
      } finally {
        await collect();
      }
    });
  }

  get #isWithTasksAlone(): boolean {
    return this.#tasks.size > 0 && this.#called.size === 0;
  }

  /** The words of all commands that run. */
  get #words(): string {
    const running = [...this.#called.keys(), ...Array.from(this.#tasks, ({ command }) => command)];
    return running.map(({ command }) => command).join("\n");
  }

  async #finish(
    command: JournaledCommand,
    { confined, tasks }: { confined: boolean; tasks: FollowedTasks | undefined },
  ): Promise<CommandChanges | undefined> {
    const { snapshots } = this.#deps;
    const how = { confined, words: this.#words };
    try {
      const changes = await (tasks ? snapshots.collect(how) : snapshots.end(how));
      return this.#describe(changes, await this.#record(changes, command));
    } finally {
      if (tasks) this.#follow(command, { confined, tasks });
      this.#called.get(command)?.resolve();
      this.#called.delete(command);
      snapshots.forgetJournal({ ended: tasks ? undefined : command });
    }
  }

  /** Keeps a command's snapshot open until its tasks have ended. */
  #follow(
    command: JournaledCommand,
    { confined, tasks }: { confined: boolean; tasks: FollowedTasks },
  ): void {
    const task: RunningTask = { command, name: tasks.name, changes: new Map() };
    this.#tasks.add(task);
    const end = this.#endTask(task, { confined, tasks }).finally(() => this.#ends.delete(end));
    this.#ends.add(end);
  }

  async #endTask(
    task: RunningTask,
    { confined, tasks: { ended, onEnd } }: { confined: boolean; tasks: FollowedTasks },
  ): Promise<void> {
    await Promise.allSettled([ended]);
    // What changes while a call's command runs is recorded as that one's.
    while (this.#called.size > 0) {
      await Promise.all(Array.from(this.#called.values(), ({ promise }) => promise));
    }
    const { snapshots } = this.#deps;
    await this.#queue(async () => {
      await this.#recordAsTasks(await snapshots.end({ confined, words: this.#words }));
      this.#tasks.delete(task);
      snapshots.forgetJournal({ ended: task.command });
    });
    const changes = [...task.changes.values()];
    onEnd(this.#describe(changes.filter(({ before, after }) => !isSameSide(before, after))));
  }

  async #recordAsTasks(changes: readonly PatchChange[]): Promise<Patch | undefined> {
    const [first] = this.#tasks;
    if (first === undefined) return undefined;
    const { tool, call_id } = first.command;
    const command = Array.from(this.#tasks, ({ name, command }) => `${name}: ${command.command}`)
      .join("\n");
    for (const { changes: known } of this.#tasks) {
      for (const change of changes) {
        const { before } = known.get(change.path) ?? change;
        known.set(change.path, { ...change, before });
      }
    }
    return await this.#record(changes, { tool, call_id, command, byTask: true });
  }

  /** Stores changes, if there are any, as one that can be undone; undefined, with a warning, if they cannot be stored. */
  async #record(
    changes: readonly PatchChange[],
    { tool, call_id, command, byTask }: RecordedBy,
  ): Promise<Patch | undefined> {
    if (changes.length === 0) return undefined;
    const patch = {
      time: new Date().toISOString(),
      tool,
      call_id,
      ...command !== undefined && { command },
      ...byTask && { byTask },
      changes: changes.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    };
    try {
      return { number: await this.#deps.patches.record(patch), ...patch };
    } catch (error) {
      this.#deps.notice(`What this command changed cannot be undone: ${messageOf(error)}`);
      return undefined;
    }
  }

  #describe(
    changes: readonly PatchChange[],
    patch?: Patch,
  ): CommandChanges | undefined {
    if (changes.length === 0) return undefined;
    const notable = selectNotable(changes.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
    const namesOf = (some: readonly PatchChange[]) =>
      some.map(({ path }) => describePath(path, this.#deps.roots).display);
    return {
      files: namesOf(notable),
      created: namesOf(notable.filter(({ before }) => before === null)),
      removed: namesOf(notable.filter(({ after }) => after === null)),
      patchNumber: patch?.number,
    };
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}
