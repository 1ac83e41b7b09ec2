/**
 * How commands are confined on this machine, once it is known to hold.
 */
import { basename, dirname, join } from "node:path";
import type {
  GitSetting,
  Need,
  PluginProfile,
  SandboxPolicy,
  SandboxProofs,
  SandboxStatus,
} from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { runProcess } from "../lib/process.ts";
import type { Stamp } from "../lib/standby.ts";
import { findBackend } from "./backend.ts";
import { createMachinePlaces } from "./machine_places.ts";
import type { Confine, ConfineOptions, Launch } from "./mount.ts";
import { mountStamp } from "./mount_check.ts";
import { NestedRepositories } from "./nested_repositories.ts";
import { namedSteps } from "./planted_files.ts";
import { DeniedNames } from "./other_names.ts";
import { hasPower } from "./powers.ts";
import { buildProfile } from "./profile.ts";
import type { UnfinishedReview } from "./review_record.ts";
import { ReviewRecordFile } from "./review_record_file.ts";
import { activeHooks, obeyedDirectories, writableDirectories } from "./repository.ts";
import { type RepositoryWatch, RepositoryWatches } from "./repository_watch.ts";
import { type RunningCommand, RunningCommands } from "./running_commands.ts";
import type { ProfileOptions, SandboxPaths } from "./sandbox_paths.ts";
import { readSocketFile, SOCKET_TABLE } from "./sockets.ts";
import { trialRun } from "./trial.ts";
import {
  findObeyedCode,
  type KeysDecision,
  type KeysOptions,
  makesRepositories,
  type ObeyedCode,
  withholdKeys,
} from "./withheld_keys.ts";

/** What does not hold where Deno keeps the table of sockets from ally. */
const NO_TABLE = "sockets outside of /run that somebody begins to listen at after the start are " +
  "not hidden: this ally may not read /proc";

const NO_CODE: ObeyedCode = { programs: [], strange: [], hooksPaths: [] };

/** A command in its profile. */
interface ConfinedLaunch {
  readonly launch: Launch;
  /** What its mounts show. */
  readonly stamp: Stamp;
  /** Empty directories that the sandbox makes where nothing is to be made. */
  readonly placeholders: readonly string[];
  /** Undoes what it was not to do in repositories, and tells where that is now; `settings` is what words set. */
  readonly review: (settings: readonly GitSetting[]) => Promise<readonly string[]>;
  /** Of the repositories that it may write; further parts of the same list are watched by it too. */
  readonly watch?: RepositoryWatch;
}

/** A command as it is carried out, beside others. */
export interface DecidedCommand extends KeysDecision {
  /** Hooks of the workspace, absolute, that it would run, and does not because it has keys. */
  readonly skippedHooks: readonly string[];
  /** What it can do to others. */
  readonly running: RunningCommand;
  /** Whether repositories below the roots stay where they are in its sandbox. */
  readonly isPinned: boolean;
  /** Directories of the workspace in which git looks for hooks, as settings name them. */
  readonly hooksPaths: readonly string[];
}

/** What is known of commands that may write, while some run. */
export type RunningWriters = Pick<UnfinishedReview, "settings" | "mayMake" | "placeholders">;

/** Confines commands and programs of plugins. */
export interface Confinement {
  /** To be known before a command, and reviewed after it. */
  readonly repositories: NestedRepositories;
  /**
   * What a command may do once it is known what would run beside its keys; `list` is what begins with it.
   * @throws {ToolError} system: it could change what git obeys that runs already, with the user's keys
   */
  decide(
    policy: SandboxPolicy,
    options: Omit<KeysOptions, "settled" | "beside"> & {
      readonly list: { readonly hasKeys?: boolean };
    },
  ): Promise<DecidedCommand>;
  /** Counts a command as running until what is returned is called. */
  begin(command: RunningCommand): () => void;
  /**
   * The same for a program that is no command and writes in the workspace what it likes.
   * @throws {ToolError} system: it could change what git obeys that runs already, with the user's keys
   */
  beginWriter(): () => void;
  /** What there is to review if ally is killed; to be saved before a command begins, and when it has been reviewed. */
  readonly record: ReviewRecordFile;
  confine(
    argv: readonly string[],
    options: Omit<ConfineOptions, "profile"> & ProfileOptions & {
      policy: SandboxPolicy;
      /** Of an earlier part of the same list. */
      watch?: RepositoryWatch | undefined;
    },
  ): ConfinedLaunch;
  confinePlugin(
    argv: readonly string[],
    options: { readonly profile: PluginProfile; readonly cwd: string },
  ): Launch["argv"];
}

/** What a confinement is made of, beside its paths. */
interface ConfinementOptions {
  /** A directory for the trial runs alone. */
  readonly trial: string;
  readonly proofs?: SandboxProofs | undefined;
  /** The directory of all records of reviews. */
  readonly records: string;
  /** What is known of commands that may write; undefined while none runs. */
  readonly writers: () => RunningWriters | undefined;
}

/** Finds and tries what there is. Never throws. */
export async function findConfinement(
  { trial, proofs, records, writers, ...rest }:
    & Omit<SandboxPaths, "places" | "nested">
    & ConfinementOptions,
): Promise<{ status: SandboxStatus; confinement?: Confinement }> {
  const unread = Deno.build.os === "linux" && readSocketFile() === undefined;
  const socketTable = unread ? await printSocketTable(rest.env) : "";
  const machine = createMachinePlaces({ ...rest, socketTable });
  const repositories = new NestedRepositories(rest.roots, {
    // Commands in other projects write what is theirs there, where nobody here looks.
    stores: [rest.cache, rest.keyedCache, rest.tmp, join(rest.allyHome, "projects")],
    isPlaceholder: (path) => writers()?.placeholders.includes(path) ?? false,
  });
  const sockets = () => [...new Set([...machine.sockets(), ...repositories.sockets])];
  const places = { ...machine, sockets };
  const paths: SandboxPaths = { ...rest, places, nested: () => repositories.paths };
  const backend = await findBackend({ paths, env: paths.env, directory: trial, proofs });
  const { confine, confinePlugin } = backend;
  const status = unread && confine
    ? { ...backend.status, gaps: [...backend.status.gaps ?? [], NO_TABLE] }
    : backend.status;
  if (!confine || !confinePlugin) return { status };
  const watches = new RepositoryWatches();
  const names = new DeniedNames();
  const commands = new RunningCommands();
  const locate = (ids: ReadonlySet<string>) => repositories.locate(ids);
  const look = () => {
    const running = writers();
    const { state } = repositories;
    return running &&
      { roots: paths.roots(), repositories: state, watches: watches.states, ...running };
  };
  return {
    status,
    confinement: {
      decide: async (policy, { list, ...options }) => {
        const [{ settled }, { beside }] = [repositories, commands];
        const keys = await withholdKeys(policy, { ...paths, ...options, settled, beside });
        const has = (need: Need) => hasPower(keys.policy, need);
        const pending = [...options.pending, ...policy.settings ?? []];
        const [runsHooks, shown] = [has("repository") && !has("keys"), showsHistory(keys.policy)];
        const found = runsHooks || shown ? await findObeyedCode(paths, pending) : NO_CODE;
        const code = runsHooks ? found : NO_CODE;
        const isPinned = !has("repository") && (list.hasKeys || commands.hasGitWithKeys);
        const beginning = { ...paths, argv: options.argv, list, code, isPinned };
        const judged = shown ? keepHistoryFrom(keys, found) : keys;
        const decided = { ...judged, ...decideBeside(keys, beginning) };
        commands.requireRoom(decided.running);
        return decided;
      },
      begin: (command) => commands.begin(command),
      beginWriter: () => commands.beginWriter(),
      confine: (argv, options) =>
        confineCommand(argv, { ...options, paths, confine, watches, locate, names }),
      confinePlugin,
      repositories,
      record: new ReviewRecordFile({ directory: records, look }),
    },
  };
}

/** The table of sockets as a program reads it; empty where ally may start none, and so no command either. */
async function printSocketTable(env: Readonly<Record<string, string>>): Promise<string> {
  const options = { ...trialRun("/", env), maxOutput: 1_000_000 };
  try {
    return (await runProcess(["/bin/cat", SOCKET_TABLE], options)).output;
  } catch {
    return "";
  }
}

function confineCommand(
  argv: readonly string[],
  { paths, confine, watches, locate, names, watch: earlier, ...options }:
    & Omit<ConfineOptions, "profile">
    & ProfileOptions
    & {
      policy: SandboxPolicy;
      paths: SandboxPaths;
      confine: Confine;
      watches: RepositoryWatches;
      locate: NestedRepositories["locate"];
      names: DeniedNames;
      watch?: RepositoryWatch | undefined;
    },
): ConfinedLaunch {
  const { gitWithKeys, isPinned, hooksPaths, policy: given, ...how } = options;
  const policy = names.addTo(given, paths.roots());
  const profile = buildProfile(policy, { ...paths, gitWithKeys, isPinned, hooksPaths });
  const own = ownDirectories(policy, paths);
  const watch = own.length > 0
    ? watches.begin({ own, hooksPaths }, {
      config: hasPower(policy, "repository_config"),
      named: namedSteps(argv),
      ...(earlier && { watch: earlier }),
    })
    : undefined;
  return {
    launch: confine(argv, { ...how, profile }),
    stamp: () =>
      mountStamp(profile.mounts, { cwd: how.cwd, roots: paths.roots(), home: paths.home }),
    placeholders: profile.mounts.filter(({ isPlaceholder }) => isPlaceholder)
      .map(({ path }) => path),
    review: (settings) =>
      watch ? watches.end(watch, { roots: paths.roots(), settings, locate }) : Promise.resolve([]),
    ...(watch && { watch }),
  };
}

/** The directories of git's that a command may write, those too that do not say to which working tree they belong. */
function ownDirectories(policy: SandboxPolicy, { roots, nested }: SandboxPaths): string[] {
  if (!hasPower(policy, "repository")) return [];
  const own = writableDirectories(roots(), nested());
  const obeyed = nested().flatMap((path) => obeyedDirectories(path) ?? [])
    .filter((path) => !roots().includes(path))
    .filter((path) => [...roots(), ...own].some((one) => contains(one, path)));
  return [...new Set([...own, ...obeyed])];
}

/** Whether a command sees a history of which some paths are hidden. */
function showsHistory({ history = false, hidden }: SandboxPolicy): boolean {
  return history && hidden !== undefined;
}

/** The history of git is hidden from what its settings name: it could print what may not be read. */
function keepHistoryFrom(
  { policy, ...decision }: KeysDecision,
  { programs, strange }: ObeyedCode,
): KeysDecision {
  const historyKeptFrom = [...new Set([...programs, ...strange])];
  if (historyKeptFrom.length === 0) return { ...decision, policy };
  return { ...decision, policy: { ...policy, history: false, historyKeptFrom } };
}

/** What a command can do to others, and what hooks of the workspace do with it. */
function decideBeside(
  { policy, gitWithKeys }: KeysDecision,
  { argv, list, code, isPinned, ...paths }: SandboxPaths & {
    argv: readonly string[];
    list: object;
    code: ObeyedCode;
    isPinned: boolean;
  },
): Omit<DecidedCommand, keyof KeysDecision> {
  const { hooksPaths, programs } = code;
  const hooks = ownDirectories(policy, paths)
    .flatMap((directory) => hooksOf(directory, { roots: paths.roots(), named: hooksPaths }));
  const has = (need: Need) => hasPower(policy, need);
  const mayRunHooks = (hooks.length > 0 || programs.length > 0) && !has("keys");
  const isSkipped = (path: string) => isRunBy(path, argv.join(" "));
  const writesFreely = policy.write && (!policy.gitAlone || mayRunHooks);
  return {
    isPinned,
    hooksPaths,
    skippedHooks: has("keys") ? hooks.filter(isSkipped) : [],
    running: {
      list,
      ...(gitWithKeys && { gitWithKeys: gitWithKeys.obeys }),
      writesFreely,
      movesRepositories: writesFreely && !gitWithKeys && !isPinned,
      hasRepository: has("repository") && !gitWithKeys,
      makesRepositories: has("repository") && makesRepositories(argv),
    },
  };
}

/** Hooks that git runs, by a word of its command. */
const HOOKS_OF: readonly (readonly [word: RegExp, hooks: RegExp])[] = [
  [/\bgit\b.*\bpush\b/s, /^(pre-push|reference-transaction)$/],
  [
    /\bgit\b.*\bpull\b/s,
    /^(post-merge|pre-merge-commit|prepare-commit-msg|commit-msg|pre-rebase|post-rewrite|post-checkout|reference-transaction)$/,
  ],
  [
    /\bgit\b.*\b(?:checkout|switch|worktree)\b/s,
    /^(post-checkout|post-index-change|reference-transaction)$/,
  ],
  [/\bgit\b.*\bcommit\b/s, /^(pre-commit|prepare-commit-msg|commit-msg|post-commit)$/],
  [/\bgit\b.*\b(?:fetch|branch|tag|remote)\b/s, /^reference-transaction$/],
];

/** The hooks of a repository, which lies in one of the roots or above it. */
function hooksOf(
  directory: string,
  { roots, named }: { readonly roots: readonly string[]; readonly named: readonly string[] },
): string[] {
  const workTree = basename(directory) === ".git" ? dirname(directory) : roots[0] ?? directory;
  return activeHooks(directory, { workTree, named });
}

function isRunBy(hook: string, script: string): boolean {
  return HOOKS_OF.some(([word, hooks]) => word.test(script) && hooks.test(basename(hook)));
}
