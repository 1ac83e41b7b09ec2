/**
 * A configuration of git, before and after a command: whether it got more than what git itself writes there, and what
 * the command's own words set. All else may name programs that git runs later, outside of the sandbox.
 */
import { resolve } from "node:path";
import type { GitSetting } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { realPath } from "./inspect.ts";

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

/** Where commits go to and come from: only of a remote that is new. */
const ADDRESS = /^(url|pushurl|fetch|push|mirror)$/;

/** Values that name nothing to run and nobody to send to; of other settings the value does not matter. */
const PLAIN_VALUES: Readonly<Record<string, RegExp>> = {
  "remote.url": /^(?!-)(?!.*(::|["\\]))/,
  "remote.pushurl": /^(?!-)(?!.*(::|["\\]))/,
  "submodule.url": /^(?!-)(?!.*(::|["\\]))/,
  "submodule.update": /^(checkout|rebase|merge|none)$/,
  "branch.remote": /^(\.|[\w-]+([./][\w-]+)*)$/,
  "branch.pushremote": /^(\.|[\w-]+([./][\w-]+)*)$/,
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
}

/** Whether a text sets more than git itself writes. */
export function hasStrangeSettings(text: string, options: SettingsOptions): boolean {
  if (text === options.before) return false;
  const [before, after] = [options.before, text].map(readLines) as [SettingLine[], SettingLine[]];
  const own = new OwnSettings(options.settings, before);
  const remotes = new Set(before.filter(isRemote).map(({ subsection }) => subsection));
  const isPlain = (line: SettingLine) =>
    isPlainLine(line, options) &&
    !(isRemote(line) && ADDRESS.test(line.key) && remotes.has(line.subsection));
  const rest = (lines: readonly SettingLine[], isOwn: (line: SettingLine) => boolean) =>
    lines.filter((line) => !isPlain(line) && !isOwn(line))
      .map(({ section, subsection, text }) => [section, subsection, text]);
  return JSON.stringify(rest(before, (line) => own.names(line))) !==
    JSON.stringify(rest(after, (line) => own.sets(line)));
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
  const tree = realPath(resolve(directory, value));
  return tree !== undefined && roots.some((root) => contains(root, tree));
}

/** What the words of commands set. */
class OwnSettings {
  readonly #settings: readonly GitSetting[];
  readonly #before: readonly SettingLine[];

  constructor(settings: readonly GitSetting[], before: readonly SettingLine[]) {
    this.#settings = settings;
    this.#before = before;
  }

  /** Whether they name the setting of a line. */
  names(line: SettingLine): boolean {
    return this.#find(line).length > 0;
  }

  /** Whether they give it the value that it has, or it had that before. */
  sets(line: SettingLine): boolean {
    const { value, key, section } = line;
    const known = (subsection: string | undefined) =>
      this.#before.some((one) =>
        one.section === section && one.key === key && one.value === value &&
        (subsection === undefined || one.subsection === subsection)
      );
    return this.#find(line).some(({ name, values }) =>
      values.includes(unquote(value)) || known(line.subsection) ||
      // A remote that gets another name keeps its values, and fetches to that name.
      (name.endsWith(".") && (known(undefined) || (key === "fetch" && value.startsWith("+refs/"))))
    );
  }

  #find({ section, subsection, key }: SettingLine): GitSetting[] {
    if (key === "") return [];
    const place = [section, ...(subsection === "" ? [] : [subsection])].join(".");
    return this.#settings.filter(({ name }) => {
      const full = name.endsWith(".") ? `${name.slice(0, -1)}.${key}` : name;
      const [first, last] = [full.indexOf("."), full.lastIndexOf(".")];
      return `${full.slice(0, first).toLowerCase()}${full.slice(first, last)}` === place &&
        full.slice(last + 1).toLowerCase() === key;
    });
  }
}

/** The value that is meant by one as it is written. */
function unquote(value: string): string {
  return value.replace(
    /\\(.)|"/g,
    (_, escaped: string | undefined) =>
      escaped === undefined ? "" : { n: "\n", t: "\t", b: "\b" }[escaped] ?? escaped,
  );
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
      return [...found, { section, subsection, key: "", value: "", text: rest }];
    } else {
      const [, key = "", value = ""] = SETTING.exec(line) ?? [];
      found.push({ section, subsection, key: key.toLowerCase(), value, text: line });
    }
  }
  return found;
}
