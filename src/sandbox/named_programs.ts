/**
 * Programs that git runs because its settings name them, and that lie where commands may write: their content is
 * whatever a command made it. git itself is asked for its settings, so that none is missed that it obeys.
 */
import { dirname, isAbsolute, join } from "node:path";
import { findOwnProgram, findProgram, pathOutside, SYSTEM_PATH } from "../lib/find_program.ts";
import { runProcess, withoutLoaders } from "../lib/process.ts";
import { lowerKey } from "./git_settings.ts";
import { followPath, kindOf, placesOnPath, readPointer, readSmallFile } from "./inspect.ts";
import { isOrdinary } from "./ordinary_settings.ts";
import { CONFIGS } from "./repository_directories.ts";
import type { ScriptWords } from "./script_words.ts";

/** Milliseconds that git may take to say what its settings are, and bytes of them; more than anybody has. */
const TIMEOUT_MS = 5000;
const MAX_OUTPUT = 4_000_000;

/** A setting as git has it. */
export interface EffectiveSetting {
  /** With the section and the key in lower case. */
  readonly name: string;
  readonly value: string;
  /** The file that it stands in, absolute; absent if a variable gives it. */
  readonly file?: string;
  /** Whether words of a command give it. @default false */
  readonly isWorded?: true;
}

/** Where programs are looked for. */
export interface ProgramPlaces {
  /** Whether commands may write what is at a path, absolute. */
  readonly isWritable: (path: string) => boolean;
  readonly roots: readonly string[];
  /** Where git may begin, for relative names. */
  readonly cwds: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
}

/** Who may have written the files of settings. */
interface SettingFiles extends Pick<ProgramPlaces, "isWritable"> {
  /** Whether a file is git's own, which commands do not write by themselves. */
  readonly isOwn: (file: string) => boolean;
}

/** Settings with a command line that git may run whenever it talks to another repository. */
const TALKS =
  /^(core\.(sshcommand|askpass|gitproxy|alternaterefscommand)|credential\.(.+\.)?helper|gpg\.(.+\.)?(program|defaultkeycommand)|remote\..+\.(uploadpack|receivepack|vcs|annex-.+)|lfs\.(customtransfer|extension)\..+|annex\..+|hook\..+\.command|gc\.recentobjectshook)$/;
/** The same, where it writes, compares or merges files, or asks somebody for text. */
const WORKS =
  /^(core\.(editor|pager)|sequence\.editor|pager\..+|filter\..+\.(clean|smudge|process)|diff\.external|diff\..+\.(command|textconv)|merge\..+\.driver|(diff|merge)tool\..+\.(cmd|path)|submodule\..+\.update|trailer\..+\.(cmd|command)|interactive\.difffilter)$/;
const ALIAS = /^alias\.(.+)$/;
const INCLUDE = /^include(if\..+)?\.path$/;
/** What git itself starts on the way, whatever it is to do; beside keys it is kept from it. */
const WATCHES = /^core\.fsmonitor$/;
const BOOLEAN = /^(?:true|false|yes|no|on|off|[01]|)$/i;
/** What only a command for it runs. */
const TOOLS = /^(merge|diff)tool\./;
/** A line of a file of settings by which git obeys nothing, and of which no other file is to be asked. */
const PLAIN_LINE =
  /^\s*(?:\[(?:core|user|(?:branch|remote|submodule) "[^"\\]*")\]|(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|name|email|url|fetch|remote|merge|rebase|active)\s*=(?!.*::|\s*http:)[^"\\]*|[#;].*)?$/i;
/** Variables by which git is told the same. */
const VARIABLES: ReadonlyMap<string, string> = new Map([
  ["GIT_SSH", "core.sshcommand"],
  ["GIT_SSH_COMMAND", "core.sshcommand"],
  ["GIT_ASKPASS", "core.askpass"],
  ["SSH_ASKPASS", "core.askpass"],
  ["GIT_PROXY_COMMAND", "core.gitproxy"],
  ["GIT_EDITOR", "core.editor"],
  ["GIT_SEQUENCE_EDITOR", "sequence.editor"],
  ["GIT_EXTERNAL_DIFF", "diff.external"],
]);
/** Programs that run what the directory says in which they start. */
const RUNS_PROJECTS =
  /^(npx|npm|pnpm|pnpx|yarn|bun|bunx|deno|make|gmake|just|rake|bundle|uv|uvx|poetry|pipenv|hatch|pdm|cargo|go|mvn|gradle|composer|mise|task)$/;
/** Programs that run a file which stands behind their name. */
const INTERPRETER = /^(?:(?:ba|da|z|k)?sh|python[\d.]*|node|perl|ruby|php|lua)$/;
/** Git that talks to another repository, and neither writes files nor asks for text. */
const ONLY_TALKS =
  /\bgit(?:\s+-C\s+\S+|\s+(?:-[pP]|--(?:no-pager|paginate|no-optional-locks|literal-pathspecs)))*\s+(?:fetch|push|ls-remote)(?![\w-])/g;

/**
 * The settings, as they are shown, by which the git of a command line would run what commands may write; with `isAny`,
 * by which any git would, what it starts to watch files included. Of files that `isOwn` are git's own only the values
 * count: commands do not write them.
 */
export async function findNamedPrograms(
  settings: readonly EffectiveSetting[],
  { text, isOwn, isAny = false, ...places }: ProgramPlaces & SettingFiles & {
    readonly text: string;
    readonly isAny?: boolean;
  },
): Promise<string[]> {
  const isObeyed = obeyedBy(text, isAny);
  const mayRun = (name: string) =>
    ((TALKS.test(name) || WORKS.test(name) || ALIAS.test(name)) && isObeyed(name)) ||
    (isAny && WATCHES.test(name));
  const found = new Set<string>();
  for (const setting of settings) {
    const { name, value, file } = setting;
    const isLoose = file !== undefined && places.isWritable(file) && !isOwn(file);
    const isNamed = INCLUDE.test(name)
      ? isIncludeWritable(setting, places)
      : mayRun(name) && (isLoose || await leadsToWritable(value, places));
    if (isNamed) found.add(describeSetting(setting));
  }
  return [...found];
}

/**
 * The settings, as they are shown, that commands may have given and that say something else than is ordinary: any program
 * of the machine could be named in them, or anybody through whom git talks.
 */
export function findStrangeSettings(
  settings: readonly EffectiveSetting[],
  { text, readsKeys, ...files }: SettingFiles & {
    readonly text: string;
    /** Whether git would read keys by a setting. */
    readonly readsKeys: (setting: EffectiveSetting) => boolean;
  },
): string[] {
  const isObeyed = obeyedBy(text);
  const isStrange = (one: EffectiveSetting) =>
    (isObeyed(one.name) && !isOrdinary(one)) || readsKeys(one);
  return settings.filter((one) => mayBeGiven(one, files) && isStrange(one))
    .filter(({ name }) => !TOOLS.test(name) || /\b(?:merge|diff)tool\b/.test(text))
    .map(describeSetting);
}

/** Those of the settings that may run a program, as they are shown, that commands may have given and that are not ordinary. */
export function findStrangePrograms(
  settings: readonly EffectiveSetting[],
  files: SettingFiles,
): string[] {
  const isStrange = (one: EffectiveSetting) =>
    WATCHES.test(one.name) ? !BOOLEAN.test(one.value) : !isOrdinary(one);
  return settings.filter(({ name }) =>
    (TALKS.test(name) || WORKS.test(name) || WATCHES.test(name)) && !TOOLS.test(name)
  ).filter((one) => mayBeGiven(one, files) && isStrange(one)).map(describeSetting);
}

/**
 * Settings that words of commands give to git alone: those that are told apart, and in the text, where some may be
 * spelled in other ways, up to the first blank of a value.
 */
export function settingsInWords({ commands }: ScriptWords, text: string): EffectiveSetting[] {
  const whole = commands.flatMap((words) =>
    words.flatMap(({ value }, at) =>
      value === "-c" ? words[at + 1]?.value ?? [] : /^-c(?=\w)/.test(value) ? value.slice(2) : []
    )
  );
  const cut = [...text.matchAll(/(?<=^|\s)-c\s*(\S+)/gi)].map(([, setting]) => setting!);
  return [...whole, ...cut].flatMap((setting) => {
    const [, name, value = "true"] = /^([a-z][\w-]*\.[^\s=]+)(?:=([^]*))?$/i.exec(setting) ?? [];
    return name === undefined ? [] : [{ name: lowerKey(name), value, isWorded: true as const }];
  });
}

/** Whether commands may have given a setting. */
function mayBeGiven(
  { file, isWorded }: EffectiveSetting,
  { isOwn, isWritable }: SettingFiles,
): boolean {
  return isWorded === true || (file !== undefined && (isOwn(file) || isWritable(file)));
}

/** Whether the git of a command line, or any, may come to what a setting is about. */
function obeyedBy(text: string, isAny = false): (name: string) => boolean {
  const words = new Set(text.split(/[^\w.-]+/));
  const onlyTalks = !isAny && !/\bgit\b/.test(text.replace(ONLY_TALKS, ""));
  return (name) => {
    const alias = ALIAS.exec(name)?.[1];
    if (alias !== undefined) return words.has(alias);
    return !onlyTalks || !WORKS.test(name);
  };
}

/** Whether commands may write a file that is included; they may if it is not known from where it is named. */
function isIncludeWritable(
  { value, file }: EffectiveSetting,
  { home, isWritable }: ProgramPlaces,
): boolean {
  const path = value.replace(/^~(?=\/)/, home);
  if (!isAbsolute(path) && file === undefined) return true;
  return placesOnPath(dirname(file ?? "/"), path).some(isWritable);
}

function describeSetting({ name, value, file }: EffectiveSetting): string {
  const text = `${name} = ${value.replace(/\s+/g, " ")}`;
  return file === undefined ? text : `${text} (${file})`;
}

/** Whether a command line starts what commands may write, or gives it to what it starts. */
async function leadsToWritable(line: string, places: ProgramPlaces): Promise<boolean> {
  const words = line.replace(/^!/, "").replace(/\$(HOME\b|\{HOME\})/g, places.home)
    .split(/[\s"'();|&<>=\\]+/).filter((word) => word !== "")
    .map((word) => word.replace(/^-\w(?=[./~])/, "").replace(/^~(?=\/)/, places.home));
  for (const [at, word] of words.entries()) {
    if (at === 0 && /^[^/]+\//.test(word)) return true;
    if (word.includes("/") ? isWritablePath(word, places) : RUNS_PROJECTS.test(word)) return true;
    if (at > 0 && (isScript(word, places) || await isFutureScript(words, { at, ...places }))) {
      return true;
    }
    if (!word.includes("/") && await isOnlyInProject(word, places)) return true;
  }
  return false;
}

/** A path of which only running it tells where it leads may lead anywhere. */
function isWritablePath(word: string, { cwds, isWritable }: ProgramPlaces): boolean {
  if (/[$`*?].*\//.test(word)) return true;
  if (word.startsWith("/")) return isWritable(word);
  // It begins in whatever directory of the workspace git is in.
  if (word.startsWith(".")) return true;
  // An address, or an expression of sed, begins with no directory.
  return cwds.some((cwd) => kindOf(join(cwd, word.slice(0, word.indexOf("/")))) !== undefined);
}

/** Whether it is a file, or a module of Python's, where git begins. */
function isScript(word: string, { cwds }: ProgramPlaces): boolean {
  const path = word.replaceAll(".", "/");
  return cwds.flatMap((cwd) =>
    [word, `${path}.py`, `${path}/__main__.py`].map((one) => join(cwd, one))
  )
    .some((one) => kindOf(one) === "file" || kindOf(one) === "link");
}

/** Whether an interpreter is to run what is no program: a file that a command may still make. */
async function isFutureScript(
  [program = "", ...rest]: readonly string[],
  { at, cwds: [cwd = "/"], env, home, roots }: ProgramPlaces & { readonly at: number },
): Promise<boolean> {
  const word = rest[at - 1]!;
  if (!INTERPRETER.test(program) || !/^\w[\w.-]*$/.test(word)) return false;
  const path = pathOutside({ path: env.PATH ?? SYSTEM_PATH, home, roots });
  return await findProgram(word, { path, cwd }) === undefined;
}

/** Whether only a project has a program of that name, or one by which git knows it. */
async function isOnlyInProject(
  word: string,
  { cwds: [cwd = "/"], env, home, roots }: ProgramPlaces,
): Promise<boolean> {
  const path = env.PATH ?? SYSTEM_PATH;
  const outside = pathOutside({ path, home, roots });
  if (outside === path || !/^[\w.-]+$/.test(word)) return false;
  for (const name of [word, `git-credential-${word}`, `git-remote-${word}`]) {
    if (await findProgram(name, { path: outside, cwd }) !== undefined) return false;
    if (await findProgram(name, { path, cwd }) !== undefined) return true;
  }
  return false;
}

/**
 * What git obeys in working trees, and in directories of its own, of which those are left out that name nothing of the
 * kind; undefined if that cannot be found out.
 */
export async function readEffectiveSettings(
  { trees, directories, roots, env }: Pick<ProgramPlaces, "roots" | "env"> & {
    readonly trees: readonly string[];
    readonly directories: readonly string[];
  },
): Promise<EffectiveSetting[] | undefined> {
  const git = findOwnProgram("git", { path: env.PATH ?? SYSTEM_PATH, roots });
  if (git === undefined) return undefined;
  const lists = await Promise.all([
    ...trees.map((cwd) => listSettings([git], { cwd, env })),
    ...directories.filter(mayName)
      .map((cwd) => listSettings([git, `--git-dir=${cwd}`], { cwd, env })),
  ]);
  const named = Object.entries(env).flatMap(([variable, value]) => {
    const name = VARIABLES.get(variable);
    return name === undefined ? [] : [{ name, value }];
  });
  return lists.includes(undefined) ? undefined : [...named, ...lists.flatMap((list) => list ?? [])];
}

function mayName(directory: string): boolean {
  // What git's own working trees share is looked at itself.
  if ((readPointer(join(directory, "commondir")) ?? "../..") !== "../..") return true;
  return CONFIGS.map((name) => join(directory, name)).some((path) => {
    const text = readSmallFile(path);
    // A link, or a large file, is left to git.
    return !text.split("\n").every((line) => PLAIN_LINE.test(line)) ||
      (text === "" && kindOf(path) !== undefined);
  });
}

async function listSettings(
  git: readonly [program: string, ...args: string[]],
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<EffectiveSetting[] | undefined> {
  const { code, output, truncated } = await runProcess(
    [...git, "config", "--list", "--includes", "--show-origin", "-z"],
    {
      cwd,
      env: withoutLoaders(env),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      maxOutput: MAX_OUTPUT,
      stderr: "drop",
    },
  );
  if (code !== 0 || truncated) return undefined;
  // By turns: where it stands, and the name with the value in the lines behind it.
  const fields = output.split("\0");
  return fields.flatMap((text, at) => {
    if (at % 2 === 0) return [];
    const [name = "", ...lines] = text.split("\n");
    const named = /^file:(.*)$/s.exec(fields[at - 1]!)?.[1];
    const file = named !== undefined && { file: followPath(cwd, named) };
    return [{ name: lowerKey(name), value: lines.join("\n"), ...file }];
  });
}
