/**
 * The user's keys as data: what has them reads no file of theirs because words, links or settings name it, and so puts
 * nothing of it where the workspace, the model or another machine sees it.
 */
import { basename, dirname, isAbsolute, join } from "node:path";
import { secretMatching } from "../core/secret_places.ts";
import { contains } from "../lib/contains.ts";
import { findAlternates } from "./history.ts";
import {
  dependsOnProcess,
  entriesOf,
  followPath,
  isNoText,
  kindOf,
  placesOnPath,
  realPath,
} from "./inspect.ts";
import type { EffectiveSetting } from "./named_programs.ts";
import { OBEYED_OPTION } from "./obeyed_words.ts";
import {
  ASSIGNED,
  behindLetters,
  type ScriptWords,
  withoutFront,
  type Word,
} from "./script_words.ts";
import { findLinks } from "./planted_files.ts";

/** Where keys are, and from where they may be named. */
export interface KeyPlaces {
  /** Where the keys are that commands with this power see; absolute and canonical. */
  readonly keys: readonly string[];
  /** Where the command may begin, for relative names. */
  readonly cwds: readonly string[];
  readonly home: string;
  /** Words by which something in it reads files. @default none */
  readonly reads?: readonly string[] | undefined;
}

/** Programs that take a key by its path to log in with it, or to hold it, and say nothing of it. */
const TAKES_KEYS = /^(?:ssh|ssh-add|autossh|mosh)$/;
/** Their option for one, and that of others. */
const TAKES_IDENTITY = /^(?:scp|sftp|sshfs|ssh-copy-id|rsync|age)$/;
const IDENTITY = /^-(?:i$|i(?=[~./$])|oIdentityFile=|F)|^IdentityFile=/;
/** Programs that copy all of a directory, also what links in it lead to. */
const COPIES_TREES =
  /^(?:scp|rsync|rclone|aws|gsutil|gcloud|az|azcopy|s3cmd|lftp|gh|glab|helm|kubectl|oc)$/;
/** Settings of git by which it signs, or that say how ssh is called. */
const NAMES_KEY = /^(?:user\.signingkey|core\.sshcommand|gpg\.ssh\.allowedsignersfile)$/;
/** A pattern, of which nobody knows from which directory `..` leads. */
const LEAVES_PATTERN = /[*?[].*\/\.\.(?:\/|$)/s;
/** Directories that words name, beyond which no others are looked for. */
const MAX_NAMED = 50;
/** Directories of a tree that are looked through for links. */
const MAX_DIRECTORIES = 10_000;

/** What words of a command line have read of the keys, as it is shown. */
export function findNamedKeys({ commands, inputs }: ScriptWords, outer: KeyPlaces): string[] {
  const cwds = directoriesNamed(commands.flat(), outer);
  if (cwds.length > MAX_NAMED) return ["words that name too many directories"];
  const places = { ...outer, cwds };
  const read = inputs.filter((word) => !isHarmlessInput(word, places))
    .map(({ value }) => `< ${value}`);
  const operands = commands.flatMap((line) => keysInCommand(withoutFront(line), places));
  const others = outer.reads?.filter((word) => namesKeys(word, places)) ?? [];
  return [...new Set([...read, ...operands, ...others])];
}

/** Where a command may begin, and all directories that its words name: it may go there. */
function directoriesNamed(words: readonly Word[], places: KeyPlaces): string[] {
  const found = new Set(places.cwds);
  for (const cwd of found) {
    if (found.size > MAX_NAMED) break;
    for (const { value } of words) {
      for (const path of pathsOf(value, { ...places, cwds: [cwd] })) {
        if (realDirectory(path).length > 0) found.add(path);
      }
    }
  }
  return [...found];
}

/** Nobody knows what is read where only running it shows the name. */
function isHarmlessInput(word: Word, places: KeyPlaces): boolean {
  const isKnown = word.isLiteral ||
    !/[$`*?[{]/.test(word.value.replace(/^\$(?:HOME\b|\{HOME\}|PWD\b|\{PWD\})/, ""));
  return isKnown && !namesKeys(word.value, places);
}

function keysInCommand(words: readonly Word[], places: KeyPlaces): string[] {
  const begin = words.findIndex(({ value }) => !ASSIGNED.test(value));
  const program = basename(words[begin]?.value ?? "");
  const operands = TAKES_KEYS.test(program) ? words.slice(0, begin + 1) : words;
  return operands.filter(({ value }, at) => {
    const before = words[at - 1]?.value ?? "";
    if (OBEYED_OPTION.test(before) || OBEYED_OPTION.test(value.split("=")[0]!)) return false;
    const isOption = !operands.slice(0, at).some((word) => word.value === "--");
    if (
      isOption && TAKES_IDENTITY.test(program) && (IDENTITY.test(value) || /^-[iF]$/.test(before))
    ) {
      return false;
    }
    return namesKeys(value, places) || (COPIES_TREES.test(program) && holdsLink(value, places));
  }).map(({ value }) => `${program} ${value}`.trim());
}

/** Whether a word, or a part of it, is the path of a key, or of a directory of such. */
function namesKeys(word: string, places: KeyPlaces): boolean {
  const cut = [word, ...word.split(/[\s=,:@;|&()<>"'#]+/)];
  const parts = [...cut, ...behindLetters(word)].filter((part) => part !== "");
  return [...new Set(parts)].some((part) =>
    LEAVES_PATTERN.test(part) ||
    pathsOf(part, places).some((path) =>
      /[*?[]/.test(path)
        ? secretMatching(path, places.home) !== undefined || matchesLink(path, places)
        : leadsToKeys(path, places)
    )
  );
}

function pathsOf(word: string, { cwds, home }: KeyPlaces): string[] {
  const path = word.replace(/^:\(optional\)|^\/\/(?=[^/])/, "")
    .replace(/^(?:~[\w-]*|\$HOME|\$\{HOME\})(?=\/|$)/, home)
    .replace(/^(?:\$PWD|\$\{PWD\})(?=\/|$)/, ".");
  return isAbsolute(path) ? [followPath("/", path)] : cwds.map((cwd) => followPath(cwd, path));
}

/** Whether a path leads into a place of keys. What of them is for everybody is none, nor is a socket. */
function leadsToKeys(path: string, { keys }: KeyPlaces): boolean {
  const real = followPath("/", path);
  return dependsOnProcess(real) || isNoText(real) ||
    !real.endsWith(".pub") && kindOf(real) !== "other" &&
      keys.some((place) => contains(place, real));
}

/** Whether a pattern may find a link to keys, or one in its way; or nobody knows, as there is too much. */
function matchesLink(pattern: string, places: KeyPlaces): boolean {
  let found = ["/"];
  for (const name of pattern.split("/").filter((part) => part !== "")) {
    found = /[*?[]/.test(name)
      ? found.flatMap((directory) =>
        [...entriesOf(directory)?.keys() ?? []].map((entry) => join(directory, entry))
      )
      : found.map((directory) => join(directory, name));
    if (found.length > MAX_DIRECTORIES) return true;
  }
  return found.some((path) => leadsToKeys(path, places));
}

/** Whether a directory that a word names has a link to keys somewhere in it, or in what its links lead to. */
function holdsLink(word: string, places: KeyPlaces): boolean {
  const waiting = new Set(pathsOf(word, places).flatMap(realDirectory));
  for (const directory of waiting) {
    if (waiting.size > MAX_DIRECTORIES || leadsToKeys(directory, places)) return true;
    for (const [name, kind] of entriesOf(directory) ?? []) {
      const path = join(directory, name);
      if (kind === "link" && leadsToKeys(path, places)) return true;
      if (kind === "directory") waiting.add(path);
      else if (kind === "link") realDirectory(path).forEach((one) => waiting.add(one));
    }
  }
  return false;
}

function realDirectory(path: string): string[] {
  const real = realPath(path);
  return real !== undefined && kindOf(real) === "directory" ? [real] : [];
}

/**
 * Links in directories of git's, and lists of other places for objects, by which it would read keys as if they were its
 * own files, or whatever commands put there, as they are shown.
 */
export function findLinkedKeys(
  directories: readonly string[],
  { isLoose, ...places }: KeyPlaces & {
    /** Whether commands may write what is at a path, absolute, and it is not git's own. */
    readonly isLoose: (path: string) => boolean;
  },
): string[] {
  // Of the objects themselves git shows nothing that is not in their form.
  const lists = directories.flatMap((directory) =>
    ["info", "pack"].map((name) => join(directory, "objects", name))
  );
  const found = findLinks([...lists, ...directories], directories);
  if (found.isCut) return directories.map((path) => `${path}, which holds too much`);
  const links = new Set([
    ...found.links.keys(),
    ...lists.filter((path) => kindOf(path) === "link"),
  ]);
  const leadsOut = (path: string) => placesOnPath("/", path).some(isLoose);
  const lent = directories.filter((directory) => findAlternates(directory).some(isLoose))
    .map((directory) => join(directory, "objects/info/alternates"));
  // No hook of the workspace runs beside keys.
  const linked = [...links].filter((path) =>
    isNoText(path) || leadsToKeys(path, places) ||
    (basename(dirname(path)) !== "hooks" && leadsOut(path))
  );
  return [...lent, ...linked];
}

/** Whether git reads keys by a setting, or takes a directory with keys for its working tree. */
export function readsKeys({ name, value, file }: EffectiveSetting, places: KeyPlaces): boolean {
  if (NAMES_KEY.test(name)) return false;
  if (value.includes("%(prefix)")) return true;
  const beside = file === undefined ? [] : [dirname(file)];
  const isTree = name === "core.worktree";
  const cwds = isTree && file !== undefined ? beside : [...places.cwds, ...beside];
  const paths = pathsOf(value, { ...places, cwds });
  const holdsKeys = (path: string) =>
    places.keys.some((place) => contains(realPath(path) ?? path, place));
  return paths.some((path) => leadsToKeys(path, places) || (isTree && holdsKeys(path)));
}
