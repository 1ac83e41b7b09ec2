/**
 * The OS sandbox of a session: tried before the first command, then every judged command is started in it,
 * with a `/tmp` and caches that commands share and nobody else uses.
 */
import { join } from "node:path";
import { ToolError } from "../core/errors.ts";
import type {
  EndedPart,
  GitSetting,
  Need,
  PluginProfile,
  Review,
  SandboxedProgram,
  SandboxMode,
  SandboxPolicy,
  SandboxProgram,
  SandboxProofs,
  SandboxStatus,
} from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { type DirectoryLister, openLister } from "../lib/directory_listing.ts";
import { errorCode, listNames, reasonOf, requireWrite } from "../lib/fs.ts";
import { Semaphore } from "../lib/pool.ts";
import { isAlive } from "../lib/process.ts";
import { type Spawn, type Stamp, Standby } from "../lib/standby.ts";
import type { Confinement, DecidedCommand, RunningWriters } from "./confinement.ts";
import { isAbsentOrEmpty, isEmpty, kindOf } from "./inspect.ts";
import type { ConfineOptions, Launch } from "./mount.ts";
import type { RepositoryWatch } from "./repository_watch.ts";
import type { SandboxPaths } from "./sandbox_paths.ts";

/** Milliseconds between looks at repositories that what runs may still write. */
const LOOK_MS = 1000;

/** What is known of the sandbox, and what confines commands if there is one. */
interface Backend {
  readonly status: SandboxStatus;
  readonly confinement?: Confinement;
}

/** Whether commands are confined, and around which directories. */
interface SandboxOptions {
  readonly mode: SandboxMode;
  readonly paths: Omit<SandboxPaths, "tmp" | "cache" | "keyedCache" | "env" | "places" | "nested">;
  /** A directory of the project's own; made when first needed, and what is in it belongs to this class. */
  readonly directory: string;
  /** The directory of what is to be reviewed if an ally is killed, of all projects; made when first needed. */
  readonly records: string;
  /** The environment that commands get. */
  readonly env: Readonly<Record<string, string>>;
  /** What sandboxes of this process have proven. @default nothing is known, and nothing kept */
  readonly proofs?: SandboxProofs | undefined;
}

/** What a command may do, and how it is started. */
interface CommandOptions extends Pick<ConfineOptions, "cwd" | "merge" | "errorsAt" | "hasInput"> {
  readonly policy: SandboxPolicy;
  /** What runs at once with it; all of that is confined first, and finished together. @default it is alone */
  readonly list?: CommandList;
}

/** What parts of a command line have in common that run at once; empty before the first. */
export interface CommandList {
  /** Whether some part has the user's keys. @default false */
  readonly hasKeys?: boolean;
  watch?: RepositoryWatch;
}

/** A command as it is to be started. */
export interface ConfinedCommand extends Omit<Launch, "prewarmed"> {
  /** Starts it, if it has such input, in what was made ready for it. @default nothing is made ready */
  readonly spawn?: Spawn;
  /** To be called when it has ended; ends what it left running. */
  readonly finish: () => Promise<EndedCommand>;
}

/** What is known of a command once it has ended. */
export interface EndedCommand {
  /** What it might do, or each of its parts. */
  readonly policies: readonly SandboxPolicy[];
  readonly leftBehind: boolean;
  /** Repositories that it made without the power to, and what would run by others, by the names that they got. */
  readonly setAside: readonly string[];
  /** Hooks of the workspace, absolute, that it would have run, and did not because it had keys. */
  readonly skippedHooks: readonly string[];
  /** What would have seen the user's keys, as it is shown, so that a command of git got none of them. */
  readonly keysWithheldFor: readonly string[];
  /** Of a command in parts: what only their sandboxes can have written. @default not known */
  readonly ownErrors?: string;
  /** Of a command in parts: the parts that were started. @default not known */
  readonly parts?: readonly EndedPart[];
}

/** Words that may remove directories. */
const REMOVES = /\brm\b/;

/** Confines commands. */
export class Sandbox {
  readonly #options: SandboxOptions;
  /** What only this session uses. */
  readonly #sessionDirectory: string;
  #backend: Promise<Backend> | undefined;
  /** Keeps bubblewrap ready for whatever sandbox is needed. */
  readonly #standby = new Standby();
  /** Keeps a whole sandbox ready, in which nothing can be changed. */
  readonly #prewarmed = new Standby();
  readonly #deciding = new Semaphore({ limit: 1 });
  #running = 0;
  readonly #learning = {
    makers: () => this.#makers,
    others: () => this.#writers - this.#makers,
  };
  /** Of them, commands that may write, and those that may make repositories. */
  #writers = 0;
  #makers = 0;
  /** Commands that may write and have not ended. */
  #writing = 0;
  /** Of all commands so far. */
  #count = 0;
  /** What was set aside between commands and has not been told. */
  #untold: readonly string[] = [];
  #nextLook: ReturnType<typeof setTimeout> | undefined;
  /** What commands set that have not ended and may write repositories. */
  readonly #settings = new Set<readonly GitSetting[]>();
  /** Empty directories that keep anything else from being made in their place while commands run. */
  readonly #placeholders = new Set<string>();

  constructor(options: SandboxOptions) {
    this.#options = options;
    const session = `${Deno.pid}-${crypto.randomUUID().slice(0, 8)}`;
    this.#sessionDirectory = join(options.directory, session);
  }

  /**
   * Reviews what commands did to repositories of the workspace while an ally ran that was killed; to be done before
   * anything is started there. Returns what a person is to know of it.
   */
  async makeUpReviews(): Promise<readonly string[]> {
    const { records, paths } = this.#options;
    if (listNames(records).length === 0) return [];
    const { makeUpReviews } = await import("./missed_reviews.ts");
    return await makeUpReviews(records, paths.roots());
  }

  /** What is known of it; the first question finds out, which takes a few processes. */
  async status(): Promise<SandboxStatus> {
    const { status } = await this.#getBackend();
    return status;
  }

  /**
   * Finds out in the background what the first command would otherwise wait for; `walked` settles when the workspace
   * has been walked with `openLister`, if it is.
   */
  warm(walked: Promise<unknown>): void {
    void Promise.all([this.#getBackend(), walked])
      .then(([{ confinement }]) => confinement?.repositories.learn(this.#learning))
      .catch(() => {});
  }

  /** Opens directories for a walk through all of the workspace; what a sandbox must know of them is noted. */
  async openLister(): Promise<DirectoryLister> {
    const { confinement } = await this.#getBackend();
    return confinement?.repositories.openLister() ?? openLister();
  }

  /**
   * A command within what it may do; undefined if there is no sandbox and none was asked for.
   * @throws {ToolError} system: there is none, and the command must not run without; security: it would remove
   *   repositories, which stay
   */
  async confine(
    argv: readonly [program: string, ...args: string[]],
    { policy: judged, list = {}, ...how }: CommandOptions,
  ): Promise<ConfinedCommand | undefined> {
    const wanted = this.#options.paths.foreign ? withoutReach(judged) : judged;
    const { status, confinement } = await this.#getBackend();
    if (!confinement) {
      if (this.#options.mode !== "required" && !wanted.sandboxRequired) return undefined;
      const { mend = "The user can allow commands without one by --no-sandbox." } = status;
      throw withoutSandbox({ ...status, mend });
    }
    // One at a time: what one is decided by must hold until it counts as running.
    return await this.#deciding.run(async () => {
      // What some of them hold is hidden, and sockets that are found with them.
      await confinement.repositories.learn(this.#learning);
      if (wanted.write && argv.some((word) => REMOVES.test(word))) {
        const { requireKeptRepositories } = await import("./removed_repositories.ts");
        const { paths: repositories } = confinement.repositories;
        requireKeptRepositories({ argv, cwd: how.cwd, repositories });
      }
      const decided = await confinement.decide(wanted, {
        argv,
        cwd: how.cwd,
        pending: [...this.#settings].flat(),
        list,
      });
      const command = this.#confineDecided(argv, { ...how, decided, list, confinement });
      if (decided.policy.write) await this.#saveRecord(confinement, command.finish);
      return command;
    });
  }

  /** A command within what it may do. @throws {ToolError} system: there is no sandbox */
  async confineAlways(
    argv: readonly [program: string, ...args: string[]],
    { policy, ...how }: CommandOptions,
  ): Promise<ConfinedCommand> {
    return (await this.confine(argv, { ...how, policy: { ...policy, sandboxRequired: true } }))!;
  }

  /**
   * A plugin's program in a sandbox of its own.
   * @throws {ToolError} system: a sandbox is required and there is none
   */
  readonly confinePlugin: SandboxProgram = async (argv, options) => {
    const { status, confinement } = await this.#getBackend();
    if (!confinement) {
      if (this.#options.mode !== "required") return undefined;
      throw withoutSandbox(status);
    }
    return await this.#deciding.run(() => this.#confinePlugin(argv, { ...options, confinement }));
  };

  /** A path for a file that no command sees, and that is gone with the session. */
  privatePath(): string {
    return join(this.#sessionDirectory, `private-${++this.#count}`);
  }

  /** Removes what only this session's commands used. */
  close(): void {
    clearTimeout(this.#nextLook);
    this.#standby.close();
    this.#prewarmed.close();
    this.#removePlaceholders();
    if (this.#backend === undefined) return;
    this.#release();
    remove(this.#sessionDirectory);
  }

  async #confinePlugin(
    argv: readonly [program: string, ...args: string[]],
    { confinement, profile, cwd }: {
      readonly confinement: Confinement;
      readonly profile: PluginProfile;
      readonly cwd: string;
    },
  ): Promise<SandboxedProgram> {
    const { repositories, record } = confinement;
    const roots = this.#options.paths.roots();
    const writes = profile.writable.some((path) =>
      roots.some((root) => contains(root, path) || contains(path, root))
    );
    if (writes || profile.hidden.length > 0) await repositories.learn(this.#learning);
    const known = repositories.paths.filter((path) => !isAbsentOrEmpty(path));
    const guarded = known.filter((path) => profile.writable.some((one) => contains(one, path)));
    const unwritable = [...new Set([...profile.unwritable, ...guarded])];
    const command = confinement.confinePlugin(argv, { profile: { ...profile, unwritable }, cwd });
    const end = writes ? confinement.beginWriter() : undefined;
    for (const path of unwritable.filter(isAbsentOrEmpty)) this.#placeholders.add(path);
    this.#running++;
    const endWriting = writes ? this.#beginWriting(confinement) : undefined;
    const release = async () => {
      this.#endCommand();
      if (!endWriting) return [];
      const setAside = await endWriting();
      end?.();
      await record.save().catch(() => {});
      return setAside;
    };
    if (writes) await this.#saveRecord(confinement, release);
    return { argv: command, release };
  }

  /** To be called when a program that goes on running has answered a call. */
  readonly review: Review = async () => {
    if (this.#writing === 0) return [];
    const { confinement } = await this.#getBackend();
    return confinement ? await this.#reviewNew(confinement) : [];
  };

  /** Sets aside what is new in the workspace and was not to be made, or not like that; returns where it is now. */
  async #reviewNew(confinement: Confinement): Promise<readonly string[]> {
    const setAside = await confinement.repositories.review({
      mayMake: this.#makers > 0,
      ...this.#reviewOptions(),
    });
    return [...this.#reviewYoung(confinement), ...setAside];
  }

  /** The same for repositories that git has just made beside what still runs; again and again as long as it does. */
  #reviewYoung(confinement: Confinement): readonly string[] {
    const { repositories } = confinement;
    const all = [...this.#untold, ...repositories.reviewYoung(this.#reviewOptions())];
    this.#untold = [];
    clearTimeout(this.#nextLook);
    if (!repositories.hasYoung) return all;
    const look = () => this.#untold = this.#reviewYoung(confinement);
    this.#nextLook = setTimeout(look, LOOK_MS);
    Deno.unrefTimer(this.#nextLook);
    return all;
  }

  #reviewOptions() {
    return {
      writers: () => this.#writing,
      // A repository that has just been made was written by others too.
      settings: [...this.#settings].flat().filter(({ kind }) => kind !== "all"),
    };
  }

  /** Counts what writes. What is returned is to be called when it has ended, and reviews what it has made. */
  #beginWriting(confinement: Confinement): Review {
    this.#writers++;
    this.#prewarmed.discard();
    this.#writing++;
    return async () => {
      this.#writing--;
      const setAside = await this.#reviewNew(confinement);
      if (--this.#writers === 0) this.#prewarmed.renew();
      return setAside;
    };
  }

  /** A command of which it is known what would run beside its keys. */
  #confineDecided(
    argv: readonly string[],
    { decided, list, confinement, ...how }:
      & Omit<CommandOptions, "policy" | "list">
      & { readonly decided: DecidedCommand }
      & { readonly list: CommandList; readonly confinement: Confinement },
  ): ConfinedCommand {
    const { policy, gitWithKeys, isPinned, hooksPaths } = decided;
    const { keysWithheldFor, skippedHooks } = decided;
    const mark = policy.write ? `.left-${++this.#count}` : undefined;
    const { launch, placeholders, review, watch, stamp } = confinement.confine(argv, {
      ...how,
      policy,
      gitWithKeys,
      isPinned,
      hooksPaths,
      watch: list.watch,
      ...(mark !== undefined && { leftBehind: `/tmp/${mark}` }),
    });
    const end = confinement.begin(decided.running);
    const makes = policy.write && policy.needs.includes("repository");
    if (watch) list.watch = watch;
    const settings = [...policy.settings ?? []];
    if (makes) this.#settings.add(settings);
    for (const path of placeholders) this.#placeholders.add(path);
    this.#running++;
    const endWriting = policy.write ? this.#beginWriting(confinement) : undefined;
    if (makes) this.#makers++;
    return {
      ...this.#launchFrom(launch, stamp),
      finish: async () => {
        const leftBehind = this.#finish(mark && join(this.#sessionDirectory, "tmp", mark));
        const undone = await review(settingsOfAll([...this.#settings]));
        const setAside = await (endWriting?.() ?? this.#reviewYoung(confinement));
        if (makes) this.#makers--;
        end();
        this.#settings.delete(settings);
        // A record that stays has the next ally look again.
        if (policy.write) await confinement.record.save().catch(() => {});
        const left = { leftBehind, setAside: [...undone, ...setAside] };
        return { policies: [policy], ...left, skippedHooks, keysWithheldFor };
      },
    };
  }

  /** How a command is started: in the sandbox that is ready, if it is such a one; if not, one is made for the next. */
  #launchFrom(
    { prewarmed, ...launch }: Launch,
    stampMounts: Stamp,
  ): Omit<ConfinedCommand, "finish"> {
    if (!prewarmed) return { ...launch, ...(launch.input && { spawn: this.#standby.spawn }) };
    // None is made beside what may change what it shows; what was made before is discarded when that begins.
    const stamp = () => this.#writers > 0 ? undefined : stampMounts();
    if (this.#prewarmed.isReady(prewarmed.argv, stamp)) {
      const spawn: Spawn = (argv, how) => this.#prewarmed.spawn(argv, { ...how, stamp });
      return { ...launch, ...prewarmed, spawn };
    }
    const spawn: Spawn = (argv, how) => {
      const child = this.#standby.spawn(argv, how);
      this.#prewarmed.prepare(prewarmed.argv, { ...how, stamp });
      return child;
    };
    return { ...launch, spawn };
  }

  /**
   * Before something begins that may write; `finish` takes back that it was to.
   * @throws {ToolError} system: it must not, as it could not be reviewed if ally were killed
   */
  async #saveRecord({ record }: Confinement, finish: () => Promise<unknown>): Promise<void> {
    try {
      await record.save();
    } catch (error) {
      // An ally that has given up writing could undo nothing anyway, and on a full disk commands make room.
      if (
        error instanceof Deno.errors.NotCapable ||
        /^(?:ENOSPC|EDQUOT)$/.test(errorCode(error) ?? "")
      ) return;
      await finish();
      const why = `what to compare repositories with after it cannot be saved: ${reasonOf(error)}`;
      throw new ToolError(`Cannot run it: ${why}`, { kind: "system" });
    }
  }

  #runningWriters(): RunningWriters | undefined {
    if (this.#writers === 0) return undefined;
    return {
      settings: settingsOfAll([...this.#settings]),
      mayMake: this.#makers > 0,
      placeholders: [...this.#placeholders],
    };
  }

  #release(): void {
    void this.#backend?.then(({ confinement }) => {
      confinement?.repositories.close();
      confinement?.record.close();
    });
  }

  #getBackend(): Promise<Backend> {
    return this.#backend ??= this.#findBackend();
  }

  async #findBackend(): Promise<Backend> {
    const { mode, directory, env, proofs } = this.#options;
    if (mode === "off") return { status: { state: "off", why: "switched off by the user" } };
    try {
      requireWrite(this.#sessionDirectory);
      removeStaleSessions(directory);
      const own = {
        tmp: makeDirectory(join(this.#sessionDirectory, "tmp")),
        trial: makeDirectory(join(this.#sessionDirectory, "trial")),
        cache: makeDirectory(join(directory, "cache")),
        keyedCache: makeDirectory(join(directory, "keyed-cache")),
      };
      const { findConfinement } = await import("./confinement.ts");
      return await findConfinement({
        ...this.#options.paths,
        ...{ ...own, env, proofs },
        records: this.#options.records,
        writers: () => this.#runningWriters(),
      });
    } catch (error) {
      const why = `its directory cannot be made: ${reasonOf(error)}`;
      return { status: { state: "unavailable", why } };
    }
  }

  /** Whether it left processes running. */
  #finish(mark: string | undefined): boolean {
    const leftBehind = mark !== undefined && kindOf(mark) !== undefined;
    if (leftBehind) remove(mark);
    this.#endCommand();
    return leftBehind;
  }

  #endCommand(): void {
    if (--this.#running === 0) this.#removePlaceholders();
  }

  /** Only what is still empty: whatever is in it now is somebody's. */
  #removePlaceholders(): void {
    const deepestFirst = [...this.#placeholders].sort((one, other) => other.length - one.length);
    for (const path of deepestFirst) if (isEmpty(path)) remove(path, { recursive: false });
    this.#placeholders.clear();
  }
}

function withoutSandbox({ why = "it is off", mend }: SandboxStatus): ToolError {
  return new ToolError(`Cannot run it: there is no sandbox (${why})`, {
    kind: "system",
    ...(mend !== undefined && { suggestion: mend }),
  });
}

/** What commands set that ran at the same time: beside others none of them is alone with what it changes. */
function settingsOfAll(commands: readonly (readonly GitSetting[])[]): GitSetting[] {
  const settings = commands.flat();
  return commands.every((some) => some.some(({ kind }) => kind === "all"))
    ? settings
    : settings.filter(({ kind }) => kind !== "all");
}

/** What a command of somebody else's may do, whatever it was judged to need. */
function withoutReach(policy: SandboxPolicy): SandboxPolicy {
  const stays: readonly Need[] = ["repository", "repository_config"];
  return { ...policy, needs: policy.needs.filter((need) => stays.includes(need)) };
}

function remove(path: string, { recursive } = { recursive: true }): void {
  try {
    requireWrite(path);
    Deno.removeSync(path, { recursive });
  } catch {
    // It is gone, or stays as an empty directory that nobody takes for more.
  }
}

/** Makes a directory, with those above it. Returns its canonical path: nothing is mounted below a link. */
function makeDirectory(path: string): string {
  Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  return Deno.realPathSync(path);
}

/** Removes what a killed ally left. */
function removeStaleSessions(directory: string): void {
  if (kindOf(directory) !== "directory") return;
  for (const { name } of Deno.readDirSync(directory)) {
    const pid = /^\d+(?=-)/.exec(name)?.[0];
    if (pid !== undefined && !isAlive(Number(pid))) remove(join(directory, name));
  }
}
