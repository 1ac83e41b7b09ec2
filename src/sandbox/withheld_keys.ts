/**
 * Whether a command gets the user's keys: never where code that commands may write would run beside them. Of git, hooks
 * are kept from running by variables; these must reach git, and what its settings name must lie elsewhere. Repositories
 * that other commands could make meanwhile are none for it.
 */
import { dirname, isAbsolute, join } from "node:path";
import type { GitSetting, SandboxPolicy } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { findOwnProgram, SYSTEM_PATH } from "../lib/find_program.ts";
import { lowerKey } from "./git_settings.ts";
import { entriesOf, isNoText, kindOf, placesOnPath, readPointer, realPath } from "./inspect.ts";
import { spellOut } from "./known_values.ts";
import { knownTrees, placesNamed, refusesUnknown } from "./known_repositories.ts";
import {
  type EffectiveSetting,
  findNamedPrograms,
  findStrangePrograms,
  findStrangeSettings,
  type ProgramPlaces,
  readEffectiveSettings,
  settingsInWords,
} from "./named_programs.ts";
import { findObeyedWords, findWorkspacePrograms, mayBeWritten } from "./obeyed_words.ts";
import { hasPower } from "./powers.ts";
import {
  findRepositories,
  isBareRepository,
  obeyedDirectories,
  writableDirectories,
} from "./repository.ts";
import { talksToThisDisk } from "./local_remotes.ts";
import { wordsOf } from "./command_words.ts";
import { findDirectories } from "./repository_directories.ts";
import type { GitWithKeys, RunningBeside } from "./running_commands.ts";
import { findLinkedKeys, findNamedKeys, readsKeys } from "./named_keys.ts";
import { behindLetters, readWords, type ScriptWords } from "./script_words.ts";
import type { SandboxPaths } from "./sandbox_paths.ts";
import { findWritableSshSettings } from "./ssh_settings.ts";
import { TEMPORARY_PLACES } from "./system_places.ts";

/** A policy as it is carried out. */
export interface KeysDecision {
  readonly policy: SandboxPolicy;
  /** What of the workspace would have seen the keys that were withheld, as it is shown. */
  readonly keysWithheldFor: readonly string[];
  /** Of git that has keys: which repositories it obeys. @default it is no such command */
  readonly gitWithKeys?: GitWithKeys;
}

/** A command line, and what is known of it. */
export interface KeysOptions {
  readonly argv: readonly string[];
  /** Where it starts; not absolute where only running it shows. */
  readonly cwd: string;
  /** What commands set that may run before it has ended: nothing of it stands in a configuration yet. */
  readonly pending: readonly GitSetting[];
  readonly beside: RunningBeside;
  /** Repositories that commands which run now cannot write, below the roots. */
  readonly settled: readonly string[];
}

/** Programs that are git, or start it. */
const GIT = /\b(git|gh|glab|hub)\b/;
/** Words by which a shell takes variables from git, or git obeys others: those that keep code from running beside keys. */
const CHANGES_VARIABLES =
  /GIT_CONFIG|GIT_ALLOW_PROTOCOL|GIT_TEST|\b(?:protocol|safe)\.|\bunset\b|\bexec\s+-\w*c|\benv\s(?:[^;|&]*\s)?-(?:\s|[a-z]*[iuS]|-(?:ignore|unset|split))/;
/** Words by which git is told where a repository's own directory is. */
const NAMES_DIRECTORY = /git-?_?dir/i;
/** Commands by which git makes repositories, and goes on in them. */
const MAKES_REPOSITORIES =
  /\b(?:git|gh|glab|hub)(?:\s+(?:repo|lfs|-\S+|(?<=-[cC]\s+)\S+))*\s+(?:clone|fork|init|submodule|subtree|worktree|create)\b/;
/** Words by which git writes files, and links. */
const WRITES_TREE =
  /\b(?:clone|pull|merge|rebase|checkout|switch|submodule|subtree|worktree|lfs)\b/;
/** Words that stand for a place in `/tmp`. */
const TEMPORARY_WORDS = /\$\{?TMP|\bmktemp\b/;
/** Words, and settings, by which git goes on in submodules, which are told where they are; else it does not beside keys. */
const RECURSES = /\s--rec|recurse/i;
const RECURSION =
  /^(?:(?:fetch|push)\.recursesubmodules|submodule\.(?:recurse|.+\.fetchrecursesubmodules))$/;
/** Words by which a clone is given settings, or which may be such as only running shows. */
const SETS_IN_CLONE =
  /\b(?:clone|fork|submodule)\b(?:\s+[^\s;|&]+)*?\s+(?:-c|-u|--(?:conf|temp|upload|ref|bundle)|[$`*?[])/;
/** Directories below one that are looked at for repositories. */
const MAX_DIRECTORIES = 10_000;

/** Withholds the keys from a command that would run code of commands beside them, or of git that needs none. */
export async function withholdKeys(
  policy: SandboxPolicy,
  { argv, cwd, pending, beside, settled, ...paths }: KeysOptions & SandboxPaths,
): Promise<KeysDecision> {
  const asJudged = { policy, keysWithheldFor: [] };
  if (!hasPower(policy, "keys")) return asJudged;
  const withhold = (...keysWithheldFor: string[]) => ({
    policy: withoutKeys(policy),
    keysWithheldFor,
  });
  const places = programPlaces({ cwd, ...paths });
  const keyPlaces = { keys: placesOfKeys(paths), cwds: places.cwds, home: paths.home };
  const words = spellOut(readWords(argv), { cwd });
  const programs = words ? findWorkspacePrograms(words, places) : [];
  const obeyedWords = [
    ...programs,
    ...findObeyedWords(words, places),
    ...findWritableSshSettings({ ...places, ...keyPlaces }),
  ];
  if (!words || obeyedWords.length > 0) return withhold(...obeyedWords);
  if (!isAbsolute(cwd)) return withhold(ELSEWHERE);
  const namedKeys = findNamedKeys(words, { ...keyPlaces, reads: policy.reads });
  if (namedKeys.length > 0) return withhold(...namedKeys);
  const text = textOf(words, { argv, cwd });
  const isChanged = beside.writesFreely || beside.hasRepository || WRITES_TREE.test(text);
  const read = isChanged
    ? filesRead(words, policy).filter((word) => mayBeWritten(word, places))
    : [];
  if (read.length > 0) return withhold(...read.map((word) => `< ${word}, ${CHANGING}`));
  if (!GIT.test(text)) return asJudged;
  if (beside.hasRepository) return withhold(EDITORS);
  if (CHANGES_VARIABLES.test(text)) return withhold();
  if (SETS_IN_CLONE.test(text) || pending.some(isUnknown)) return withhold(UNKNOWN);
  const found = await findSettings({ text, trees: places.cwds, ...paths });
  if (typeof found === "string") return withhold(found);
  const settings = withPending(found.settings, pending);
  const isLoose = (path: string) => places.isWritable(path) && !found.isOwn(path);
  const linked = findLinkedKeys(found.directories, { ...keyPlaces, isLoose });
  if (linked.length > 0) return withhold(...linked);
  const reach = await findReach(text, { argv, settings, beside, settled, places, paths });
  const inner = reach.goesOn ? await findInnerSettings(paths) : [];
  if (typeof inner === "string") return withhold(inner);
  const cwds = [...places.cwds, ...found.trees];
  const how = { ...places, text, isOwn: found.isOwn, cwds };
  const all = [...settings, ...inner, ...settingsInWords(words, text)];
  const obeyed = new Set([
    ...await findNamedPrograms(all, how),
    ...findStrangeSettings(all, { ...how, readsKeys: (one) => readsKeys(one, keyPlaces) }),
    ...readsWritten(all, places),
  ]);
  if (obeyed.size > 0) return withhold(...obeyed);
  if (talksToThisDisk(settings, { text, ...places, trees: found.trees })) return withhold();
  if (beside.writesFreely && reach.goesOn) return withhold(WRITERS);
  if (beside.writesFreely && WRITES_TREE.test(text)) return withhold(CHANGERS);
  return { ...asJudged, gitWithKeys: reach.gitWithKeys };
}

/** A command line as it is searched for names, with the words of its commands by themselves. */
function textOf(
  { commands }: ScriptWords,
  { argv, cwd }: Pick<KeysOptions, "argv" | "cwd">,
): string {
  const lines = commands.map((words) => words.map(({ value }) => value).join(" "));
  return [wordsOf(argv), ...lines].join("\n").replace(/\$(PWD\b|\{PWD\})/g, cwd);
}

/** Words by which something in a command line reads a file. */
function filesRead({ inputs }: ScriptWords, { reads = [] }: SandboxPolicy): string[] {
  const named = reads.flatMap((word) => [word, ...word.split("="), ...behindLetters(word)]);
  return [...inputs.map(({ value }) => value), ...named];
}

/** Which repositories a command of git comes to. */
interface GitReach {
  /** Which of them it is to obey. */
  readonly gitWithKeys: GitWithKeys;
  /** Whether it may be led to repositories that nobody looks for. */
  readonly isLed: boolean;
  /** Whether it goes on in repositories of which it is not told that they are safe. */
  readonly goesOn: boolean;
}

async function findReach(
  text: string,
  { argv, settings, beside, settled, places, paths }:
    & Pick<KeysOptions, "argv" | "beside" | "settled">
    & {
      settings: readonly EffectiveSetting[];
      places: WorkspacePlaces;
      paths: SandboxPaths;
    },
): Promise<GitReach> {
  const named = placesNamed(text, places);
  const strays = beside.makesRepositories || makesRepositories(argv) ||
    TEMPORARY_WORDS.test(text) || named.some((path) => places.isTemporary(path)) ||
    findRepositories(paths.roots()).some(({ dot, tree }) =>
      dot !== join(tree, ".git") && places.isWritable(tree)
    );
  // What may be moved may be another one by the time git comes there.
  const nested = beside.movesRepositories ? [] : settled;
  const trees = strays ? undefined : await findTrees({ settings, named, nested, places, paths });
  const isLed = trees === undefined || NAMES_DIRECTORY.test(text);
  const isSet = (names: RegExp) =>
    settings.some(({ name, value }) => names.test(name) && !/^(?:false|no|off|0)$/i.test(value));
  const goesOn = isLed || RECURSES.test(text) || isSet(RECURSION);
  const obeys = goesOn || WRITES_TREE.test(text) ? "any" : nested.length > 0 ? "known" : "roots";
  return { gitWithKeys: { obeys, ...(trees && { trees }) }, isLed, goesOn };
}

/** Whether a command line is to make repositories. */
export function makesRepositories(argv: readonly string[]): boolean {
  return MAKES_REPOSITORIES.test(wordsOf(argv));
}

/** What git runs by its settings. */
export interface ObeyedCode {
  /** The settings, as they are shown, that name programs which commands may write. */
  readonly programs: readonly string[];
  /** The same of those that are not ordinary, whose programs may be any of the machine. */
  readonly strange: readonly string[];
  /** The directories of the workspace, as they are named, in which hooks are looked for. */
  readonly hooksPaths: readonly string[];
}

/** What of the workspace git runs by its settings there, whatever it is to do, that commands may write. */
export async function findObeyedCode(
  paths: SandboxPaths,
  pending: readonly GitSetting[],
): Promise<ObeyedCode> {
  const places = programPlaces({ cwd: "", ...paths });
  const found = await findSettings({ text: "", trees: places.cwds, ...paths });
  if (typeof found === "string" || pending.some(isUnknown)) {
    const why = typeof found === "string" ? found : UNKNOWN;
    return { programs: [why], strange: [], hooksPaths: [] };
  }
  const settings = withPending(found.settings, pending);
  const how = {
    ...places,
    cwds: [...places.cwds, ...found.trees],
    ...{ text: "", isOwn: found.isOwn, isAny: true },
  };
  const programs = await findNamedPrograms(settings, how);
  return {
    programs,
    strange: findStrangePrograms(settings, how),
    hooksPaths: settings.filter(({ name }) => name === "core.hookspath")
      .map(({ value }) => value.replace(/^~(?=\/)/, paths.home))
      .filter((path) => places.cwds.some((cwd) => placesOnPath(cwd, path).some(places.isWritable))),
  };
}

const ALONE = "(run the command that needs the keys by itself)";
const ELSEWHERE = `a directory that only running it shows ${ALONE}`;
const CHANGING = `as what runs with it may change what that is ${ALONE}`;
const EDITORS = "what runs beside it and may write in .git, as git does and hooks of the " +
  `workspace that run beside it ${ALONE}`;
const UNKNOWN = `settings of git that only running it shows ${ALONE}`;
const STRANGE_BRANCH = "a branch that is called like an option";
const WRITERS = "programs that run beside it, and may make repositories that it " +
  `comes upon ${ALONE}`;

const CHANGERS = `what runs beside it may lead it to other files than it writes, or reads ${ALONE}`;

/** What git obeys that a command line may start. */
interface FoundSettings {
  readonly settings: EffectiveSetting[];
  /** Directories of git's that it may come to. */
  readonly directories: readonly string[];
  /** Other working trees than those of the roots in which it may begin. */
  readonly trees: readonly string[];
  /** Whether a file is git's own, which commands do not write. */
  readonly isOwn: (file: string) => boolean;
}

/** What git obeys that a command line may start; or why that is not known. */
async function findSettings(
  { text, trees, ...paths }: SandboxPaths & { text: string; trees: readonly string[] },
): Promise<FoundSettings | string> {
  const roots = paths.roots();
  const repositories = paths.nested();
  // Beside keys git obeys a bare one only where it is named, or where a working tree of it lies.
  const nested = repositories.filter((path) =>
    NAMES_DIRECTORY.test(text) || !isBareRepository(path)
  );
  const dots = [...findRepositories(roots).map(({ dot }) => dot), ...nested];
  const named: string[] = [];
  for (const path of dots) {
    const directories = obeyedDirectories(path);
    if (directories === undefined) return `settings of git in ${path}, which cannot be read`;
    named.push(...directories);
  }
  const obeyed = [...new Set([...writableDirectories(roots, nested), ...named])];
  const temporary = findRepositoriesBelow(paths.tmp);
  if (temporary === undefined) return "settings of git in /tmp, which holds too much";
  const directories = [...findDirectories(obeyed).keys(), ...temporary];
  const nameless = directories.find((path) => isNoText(path));
  if (nameless !== undefined) return `settings of git in ${nameless}, which cannot be read`;
  if (directories.some(isOnStrangeBranch)) return STRANGE_BRANCH;
  const settings = await readEffectiveSettings({
    trees,
    directories,
    roots,
    env: paths.env,
  });
  if (settings === undefined) return "settings of git, which cannot be read";
  const own = writableDirectories(roots, repositories);
  return {
    settings,
    directories,
    trees: [...nested, ...temporary].filter((path) => !isBareRepository(path)).map(dirname),
    isOwn: (file) => own.some((directory) => contains(directory, file)),
  };
}

/** The working trees that git is to obey; undefined if it cannot be told so. */
async function findTrees(
  { settings, named, nested, places, paths }: {
    settings: readonly EffectiveSetting[];
    named: readonly string[];
    nested: readonly string[];
    places: ProgramPlaces;
    paths: SandboxPaths;
  },
): Promise<string[] | undefined> {
  const { env } = paths;
  const roots = paths.roots();
  // git itself asks only files of the user's and of the machine.
  const isUsers = (file: string | undefined) => file === undefined || !places.isWritable(file);
  const safe = settings.filter(({ name, file }) => name === "safe.directory" && isUsers(file))
    .map(({ value }) => value);
  const elsewhere = named.filter((path) => !places.isWritable(path));
  const { isWritable } = places;
  const trees = knownTrees({ roots, nested, places: elsewhere, safe, isWritable, env });
  const git = findOwnProgram("git", { path: env.PATH ?? SYSTEM_PATH, roots });
  const [tree] = trees;
  if (git === undefined || tree === undefined) return undefined;
  return await refusesUnknown(git, { tree, env }) ? trees : undefined;
}

/** What git obeys in repositories that lie in others, where nobody looks for them; or why that is not known. */
async function findInnerSettings(
  { roots, nested, env }: SandboxPaths,
): Promise<EffectiveSetting[] | string> {
  const directories: string[] = [];
  for (const path of writableDirectories(roots(), nested())) {
    const inner = findRepositoriesBelow(path);
    if (inner === undefined) return `settings of git in ${path}, which holds too much`;
    directories.push(...inner);
  }
  const settings = await readEffectiveSettings({ trees: [], directories, roots: roots(), env });
  return settings ?? "settings of git, which cannot be read";
}

/** Whether what git calls the branch that is checked out could be taken for an option. */
function isOnStrangeBranch(directory: string): boolean {
  return /^ref:\s*refs\/heads\/-/.test(readPointer(join(directory, "HEAD")) ?? "");
}

/** Settings by which git shows lines of a file that commands, or git itself with what it brings, may put there. */
function readsWritten(
  settings: readonly EffectiveSetting[],
  places: ProgramPlaces,
): string[] {
  return settings.filter(({ name, value }) =>
    name === "core.attributesfile" && mayBeWritten(value, places)
  ).map(({ name, value }) => `${name} = ${value}`);
}

/** Whether words give a setting of which nobody knows which it is, or what it says. */
function isUnknown(setting: GitSetting): boolean {
  return setting.kind === "unknown" || (setting.kind === "named" && setting.from !== undefined);
}

/** Settings as words make them. A remote is named as a whole, with all words that may be its address. */
function withPending(
  settings: readonly EffectiveSetting[],
  pending: readonly GitSetting[],
): EffectiveSetting[] {
  const added = pending.flatMap((setting) => {
    if (setting.kind !== "named") return [];
    const { name, values = ["./"] } = setting;
    const isWorded = true as const;
    return name.endsWith(".")
      ? values.filter((value) => /[/:]/.test(value))
        .map((value) => ({ name: `${name}url`, value, isWorded }))
      : values.map((value) => ({ name: lowerKey(name), value, isWorded }));
  });
  const isReplaced = ({ name }: EffectiveSetting) =>
    /^remote\..+\.url$/.test(name) && added.some((one) => one.name === name);
  return [...settings.filter((one) => !isReplaced(one)), ...added];
}

/** Where commands may write. */
interface WorkspacePlaces extends ProgramPlaces {
  /** Whether a path lies in a `/tmp` of theirs. */
  readonly isTemporary: (path: string) => boolean;
}

function programPlaces(
  { cwd, env, home, tmp, cache, ...paths }: { cwd: string } & SandboxPaths,
): WorkspacePlaces {
  const roots = paths.roots();
  const visible = [home, ...paths.pathDirectories].filter((path) => path !== "");
  const isIn = (path: string, places: readonly string[]) =>
    places.some((place) => contains(place, path));
  const isTemporary = (path: string) =>
    isIn(path, [tmp]) || (isIn(path, TEMPORARY_PLACES) && !isIn(path, [...roots, ...visible]));
  const isPlace = (path: string) => isIn(path, [...roots, cache]) || isTemporary(path);
  return {
    isTemporary,
    isWritable: (path) => isPlace(path) || isPlace(realPath(path) ?? path),
    roots,
    cwds: [...new Set([...isAbsolute(cwd) ? [cwd] : [], ...roots])],
    env,
    home,
  };
}

/** Where the keys are that commands with this power see. */
function placesOfKeys({ places }: SandboxPaths): string[] {
  return places.standing().secrets.filter(({ shownFor }) => shownFor === "keys")
    .map(({ path }) => path);
}

function withoutKeys(policy: SandboxPolicy): SandboxPolicy {
  return {
    ...policy,
    needs: policy.needs.filter((need) => need !== "keys"),
    withheld: [...policy.withheld ?? [], "keys"],
  };
}

/** Directories of git's below a directory; undefined if there are too many directories to look at. */
function findRepositoriesBelow(top: string): string[] | undefined {
  const found: string[] = [];
  const waiting = [top];
  for (let at = 0; at < waiting.length; at++) {
    if (at >= MAX_DIRECTORIES) return undefined;
    const directory = waiting[at]!;
    if (kindOf(join(directory, "HEAD")) !== undefined) found.push(directory);
    for (const [name, kind] of entriesOf(directory) ?? []) {
      if (kind === "directory") waiting.push(join(directory, name));
    }
  }
  return found;
}
