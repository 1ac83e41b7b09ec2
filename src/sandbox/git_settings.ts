/**
 * A configuration of git, before and after a command: whether it got more than what git itself writes there, and what
 * the command's own words set. All else may name programs that git runs later, outside of the sandbox.
 */
import {} from "node:path";
import type { GitSetting, NamedSetting } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { followPath, realPath } from "./inspect.ts";

/** What git writes by itself when a repository is made or its branches change, by section. */
const PLAIN_SETTINGS: Readonly<Record<string, RegExp>> = {
  core:
    /^(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|symlinks|precomposeunicode|sharedrepository|autocrlf|eol|sparsecheckout(cone)?|longpaths|worktree)$/,
  remote: /^(url|pushurl|fetch|push|tagopt|mirror|prune|promisor|partialclonefilter|gh-resolved)$/,
  branch:
    /^(remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)$/,
  submodule: /^(url|active|branch|ignore|shallow|update)$/,
  extensions:
    /^(objectformat|compatobjectformat|refstorage|partialclone|relativeworktrees|worktreeconfig|noop)$/,
  index: /^sparse$/,
  lfs: /^(repositoryformatversion|access|locksverify)$/,
  user: /^(name|email)$/,
  receive: /^(denycurrentbranch|denynonfastforwards)$/,
};

/** A place in what git keeps for itself. */
const IN_GIT = /\/\.git(?:\/|$)/i;

/** Where commits go to and come from: only of a remote that is new. */
const ADDRESS = /^(url|pushurl|fetch|push|mirror)$/;

/** Values that name nothing to run and nobody to send to; of other settings the value does not matter. */
const PLAIN_VALUES: Readonly<Record<string, RegExp>> = {
  "remote.url": /^(?!-)(?!.*(::|["\\]))/,
  "remote.pushurl": /^(?!-)(?!.*(::|["\\]))/,
  "submodule.url": /^(?!-)(?!.*(::|["\\]))/,
  "submodule.update": /^(checkout|rebase|merge|none)$/,
  "branch.remote": /^(?!-)(?!.*(::|["\\]))/,
  "branch.pushremote": /^(?!-)(?!.*(::|["\\]))/,
};

/** What a configuration is compared with, and what may be in it. */
export interface SettingsOptions {
  /** Its text before, "" of one that was not there. */
  readonly before: string;
  /** What the words of commands set. */
  readonly settings: readonly GitSetting[];
  /** The directory of git's in which it lies. */
  readonly directory: string;
  /** A working tree may be in these. */
  readonly roots: readonly string[];
  /** Whether a repository that has just been made is told by it, if there was none before. @default false */
  readonly isMade?: boolean;
}

/** A line that says something. */
interface SettingLine {
  /** The section, in lower case, and what is named in it, or "". */
  readonly section: string;
  readonly subsection: string;
  /** In lower case; "" of a line that git itself would not write. */
  readonly key: string;
  readonly value: string;
  readonly text: string;
  /** Which line of the text it is. */
  readonly at: number;
}

/** The lines of a configuration before and after, and which of them matter to nobody. */
interface ComparedSettings {
  readonly before: readonly SettingLine[];
  readonly after: readonly SettingLine[];
  /** Whether a line from before may be gone. */
  readonly mayGo: (line: SettingLine) => boolean;
  /** Whether a line may have come. */
  readonly mayCome: (line: SettingLine) => boolean;
}

/** Whether a text sets more than git itself writes. */
export function hasStrangeSettings(text: string, options: SettingsOptions): boolean {
  if (text === options.before || options.settings.some(({ kind }) => kind === "all")) return false;
  const { before, after, mayGo, mayCome } = compareSettings(text, options);
  const rest = (lines: readonly SettingLine[], isFine: (line: SettingLine) => boolean) =>
    JSON.stringify(lines.filter((line) => !isFine(line)).map(textInPlace));
  return rest(before, mayGo) !== rest(after, mayCome);
}

/**
 * The text from before with those changes that git itself makes, or the words of commands; undefined if it cannot be
 * told line by line which these are.
 */
export function keepOwnSettings(text: string, options: SettingsOptions): string | undefined {
  const { before, after, mayGo, mayCome } = compareSettings(text, options);
  if ([...before, ...after].some(({ key }) => key === "")) return undefined;
  const [known, now] = [before, after].map((lines) => new Set(lines.map(placedText))) as [
    Set<string>,
    Set<string>,
  ];
  // What somebody else gave another value has that from before.
  const strange = after.filter((line) => !mayCome(line) && !known.has(placedText(line)));
  const isReplaced = (line: SettingLine) =>
    strange.some((one) => placeOf(one) === placeOf(line) && one.key === line.key);
  const gone = new Set(
    before.filter((line) => mayGo(line) && !now.has(placedText(line)) && !isReplaced(line))
      .map(({ at }) => at),
  );
  const stays = options.before.split("\n").filter((_, at) => !gone.has(at)).join("\n");
  const added = after.filter((line) => mayCome(line) && !known.has(placedText(line)))
    .map((line) => `${headerOf(line)}\n\t${line.text}\n`);
  const kept = `${stays}${stays === "" || stays.endsWith("\n") ? "" : "\n"}${added.join("")}`;
  return hasStrangeSettings(kept, options) ? undefined : kept;
}

function textInPlace({ section, subsection, text }: SettingLine): string[] {
  return [section, subsection, text];
}

function placedText(line: SettingLine): string {
  return JSON.stringify(textInPlace(line));
}

function headerOf({ section, subsection }: SettingLine): string {
  const named = subsection === "" ? "" : ` "${subsection.replace(/["\\]/g, "\\$&")}"`;
  return `[${section}${named}]`;
}

function compareSettings(text: string, options: SettingsOptions): ComparedSettings {
  const [before, after] = [options.before, text].map(readLines) as [SettingLine[], SettingLine[]];
  const own = new OwnSettings(options.settings, before);
  const remotes = new Set(before.filter(isRemote).map(({ subsection }) => subsection));
  const ownRemotes = after.filter((line) => isRemote(line) && (own.makes(line) || own.sets(line)))
    .map(({ subsection }) => subsection);
  const known = new Set([...remotes, ...ownRemotes]);
  const isNew = options.before === "" && options.isMade === true;
  const hadTree = before.some(isTree);
  const isPlain = (line: SettingLine) =>
    isPlainLine(line, options) &&
    !(isRemote(line) && ADDRESS.test(line.key) && remotes.has(line.subsection));
  const isExpected = (line: SettingLine) =>
    isPlain(line) &&
    (isNew || (own.makes(line) && !isTree(line)) || own.had(line) ||
      !isPersonal(line, { ...options, hadTree, remotes: isRemote(line) ? remotes : known }));
  return {
    before,
    after,
    mayGo: (line) => isPlain(line) || own.names(line),
    mayCome: (line) => isExpected(line) || own.sets(line),
  };
}

/** Whether it says who commits, or where to: in a repository that was there before, git writes it for some commands only. */
function isPersonal(
  { section, subsection, key, value }: SettingLine,
  { directory, remotes, hadTree }: {
    directory: string;
    remotes: ReadonlySet<string>;
    /** Whether a working tree was named before. */
    hadTree: boolean;
  },
): boolean {
  switch (section) {
    case "remote":
      return !remotes.has(subsection);
    case "branch":
      return key === "pushremote" || (key === "remote" && value !== "." && !remotes.has(value));
    case "submodule":
      return key === "url";
    case "core":
      // A submodule gets its tree back with the branch that has it.
      return key === "worktree" && (!directory.includes("/modules/") || hadTree);
    default:
      return section === "user";
  }
}

/** Whether it names a working tree. */
function isTree({ section, key }: SettingLine): boolean {
  return section === "core" && key === "worktree";
}

function isRemote({ section }: SettingLine): boolean {
  return section === "remote";
}

function isPlainLine(
  { section, key, value }: SettingLine,
  { directory, roots }: SettingsOptions,
): boolean {
  if (!Object.hasOwn(PLAIN_SETTINGS, section) || !PLAIN_SETTINGS[section]!.test(key)) return false;
  const name = `${section}.${key}`;
  if (Object.hasOwn(PLAIN_VALUES, name)) return PLAIN_VALUES[name]!.test(value);
  if (name !== "core.worktree") return true;
  if (/["\\]/.test(value)) return false;
  const tree = realPath(followPath(directory, value));
  return tree !== undefined && roots.some((root) => contains(root, tree)) && !IN_GIT.test(tree);
}

/** What the words of commands set. */
class OwnSettings {
  readonly #named: readonly NamedSetting[];
  readonly #made: readonly string[];
  readonly #before: readonly SettingLine[];

  constructor(settings: readonly GitSetting[], before: readonly SettingLine[]) {
    this.#named = settings.flatMap((one) => one.kind === "named" ? [one] : []);
    this.#made = settings.flatMap((one) => one.kind === "made" ? [one.name] : []);
    this.#before = before;
  }

  /** Whether the commands make such settings. */
  makes(line: SettingLine): boolean {
    return this.#made.includes(`${line.section}.`) || this.#made.includes(`${placeOf(line)}.`);
  }

  /** Whether it was there before. */
  had({ section, subsection, key, value }: SettingLine): boolean {
    return this.#before.some((one) =>
      one.section === section && one.subsection === subsection && one.key === key &&
      one.value === value
    );
  }

  /** Whether they name the setting of a line. */
  names(line: SettingLine): boolean {
    return this.#find(line).length > 0;
  }

  /** Whether they give it the value that it has, or it had that before. */
  sets(line: SettingLine): boolean {
    const { value, key, section } = line;
    const before = this.#before.filter((one) => one.key === key && one.value === value);
    return this.#find(line).some(({ name, values, from }) =>
      values === undefined || values.includes(unquote(value)) || this.had(line) ||
      (from !== undefined && before.some((one) => `${placeOf(one)}.` === from)) ||
      // A remote that gets another name keeps its values, and fetches to that name.
      (name.endsWith(".") && (before.some((one) => one.section === section) ||
        (section === "remote" && key === "fetch" && value.startsWith("+refs/"))))
    );
  }

  #find(line: SettingLine): NamedSetting[] {
    const { section, key } = line;
    if (key === "") return [];
    return this.#named.filter(({ name }) => {
      const full = name.endsWith(".") ? `${name}${key}` : name;
      return [`${section}.*`, placeOf(line)].some((place) => lowerKey(full) === `${place}.${key}`);
    });
  }
}

/** The name of a setting as git lists it: what is named between the section and the key keeps its case. */
export function lowerKey(name: string): string {
  const [first, last] = [name.indexOf("."), name.lastIndexOf(".")];
  return name.slice(0, first).toLowerCase() + name.slice(first, last) +
    name.slice(last).toLowerCase();
}

function placeOf({ section, subsection }: SettingLine): string {
  return subsection === "" ? section : `${section}.${subsection}`;
}

/** The value that is meant by one as it is written. */
function unquote(value: string): string {
  return value.replace(
    /\\(.)|"/g,
    (_, escaped: string | undefined) =>
      escaped === undefined ? "" : { n: "\n", t: "\t", b: "\b" }[escaped] ?? escaped,
  );
}

/** The settings of a configuration, by their names as git lists them, up to where git may read it otherwise. */
export function readSettings(text: string): (readonly [name: string, value: string])[] {
  return readLines(text).filter(({ key }) => key !== "").map((line) => [
    `${placeOf(line)}.${line.key}`,
    unquote(line.value.replace(/\s[#;].*$/, "").trimEnd()),
  ]);
}

/** Whether git reads all of a configuration like that. */
export function isReadWhole(text: string): boolean {
  return readLines(text).every(({ key }) => key !== "");
}

/** `[core]`, `[branch "main"]`. */
const HEADER = /^\[([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\]\s*(?:[#;].*)?$/;
const SETTING = /^([a-z][\w-]*)\s*(?:=\s*(.*))?$/i;

/**
 * The lines that say something. From one on that git may read otherwise than this, as a value that goes on in the next
 * line, all of it counts as one.
 */
function readLines(text: string): SettingLine[] {
  const found: SettingLine[] = [];
  let [section, subsection] = ["", ""];
  const lines = text.split("\n");
  for (const [at, raw] of lines.entries()) {
    const line = raw.trim();
    if (line === "" || /^[#;]/.test(line)) continue;
    const header = HEADER.exec(line);
    if (header) {
      section = header[1]!.toLowerCase();
      subsection = (header[2] ?? "").replace(/\\(.)/g, "$1");
    } else if (line.startsWith("[") || line.endsWith("\\")) {
      const rest = lines.slice(at).join("\n");
      return [...found, { section, subsection, key: "", value: "", text: rest, at }];
    } else {
      const [, key = "", value = ""] = SETTING.exec(line) ?? [];
      found.push({ section, subsection, key: key.toLowerCase(), value, text: line, at });
    }
  }
  return found;
}
