/**
 * Whether git is to talk to repositories of this disk: whatever these name runs here, without the variables by which
 * hooks are kept from running.
 */
import { isAbsolute, join } from "node:path";
import { followPath, kindOf, readHead, readPointer } from "./inspect.ts";
import type { EffectiveSetting } from "./named_programs.ts";
import { directoryOf } from "./repository.ts";
import { looksLikeRepository } from "./repository_directories.ts";

/** What names a remote, or a branch that follows one. */
const URL = /^remote\.(.+)\.(?:push)?url$/;
const FOLLOWED = /^branch\.(.+)\.(?:push)?remote$/;

/**
 * Whether all repositories that a command line may talk to lie on this disk. What runs there needs no keys, and may be
 * hooks of the workspace: git starts it without the variables that keep these from running.
 */
export function talksToThisDisk(
  settings: readonly EffectiveSetting[],
  { text, cwds, trees }: {
    readonly text: string;
    /** Where it may begin. */
    readonly cwds: readonly string[];
    /** Where else git may be told to work. */
    readonly trees: readonly string[];
  },
): boolean {
  const words = text.replace(ELSEWHERE, "").split(/[\s();|&<>=]+/).filter((word) => word !== "");
  const urls = settings.flatMap(({ name, value }) => {
    const remote = URL.exec(name)?.[1];
    return remote === undefined ? [] : [{ remote, isLocal: isLocal(value) }];
  });
  const given = [...text.replace(ELSEWHERE, "").matchAll(GIVEN)]
    .flatMap(([, words = ""]) => words.split(/[\s=]+/)).filter((word) => word !== "");
  const from = [...cwds, ...trees];
  const makes = /\bclone\b/.test(text);
  const isPath = (word: string) => word.startsWith("file://") || (!makes && PATH.test(word));
  const urlsOf = (remote: string) => {
    const known = urls.filter((one) => one.remote === remote).map((one) => one.isLocal);
    return known.length > 0 || remote !== "." ? known : [true];
  };
  const named = [
    ...words.flatMap(urlsOf),
    ...words.filter((word) => FAR.test(word)).map(() => false),
    ...words.filter((word) => isPath(word) || (looksLikePath(word) && isRepository(word, from)))
      .map(() => true),
    ...given.filter((word) => isRepository(word, from)).map(() => true),
  ];
  if (named.length > 0) return named.every((one) => one);
  if (text.search(ELSEWHERE) >= 0) return false;
  if (ALL_REMOTES.test(text)) return urls.length > 0 && urls.every((one) => one.isLocal);
  const branches = new Set(cwds.flatMap(currentBranch));
  const followed = settings.flatMap(({ name, value }) => {
    const branch = FOLLOWED.exec(name)?.[1];
    return (branch !== undefined && branches.has(branch)) || name === "remote.pushdefault"
      ? [value]
      : [];
  });
  const meant = (followed.length > 0 ? followed : ["origin"]).flatMap((one) =>
    urls.some(({ remote }) => remote === one) ? urlsOf(one) : [isLocal(one)]
  );
  return followed.length + urlsOf("origin").length > 0 && meant.every((one) => one);
}

/** Where git is told to work. */
const ELSEWHERE = /(?:\s-C|\bcd)\s+\S+/g;
/** What is given to a command of git that talks to a repository. */
const GIVEN = /\bgit\b[^;|&()<>\n]*?\s(?:clone|fetch|pull|push|ls-remote)\b([^;|&()<>\n]*)/g;
const ALL_REMOTES = /\s--(?:all|multiple)\b|\bremote\s+update\b/;
/** An address that is no path: of a protocol, or of a host for ssh. */
const ADDRESS = /^(?!file:)(?:[a-z][a-z0-9+.-]*:\/\/|[^/:]+:(?!$))/i;
/** A path, whether or not something is there yet. */
const PATH = /^[./]{1,2}\/|^[^:]+\.git\/?$/;
/** Of words, which may say instead what goes where. */
const FAR = /^(?!file:)[a-z][a-z0-9+.-]*:\/\/|^[^/:]+@[^/:]+:/i;

/** Whether git takes an address for a path. */
function isLocal(url: string): boolean {
  return !ADDRESS.test(url);
}

/** Whether a word is written as a path, and no name. */
function looksLikePath(word: string): boolean {
  return word.includes("/") || /^\.|\.git$/.test(word);
}

/** Whether a word names a repository, or a bundle of one, from one of these directories. */
function isRepository(word: string, cwds: readonly string[]): boolean {
  if (word.startsWith("-")) return false;
  const bare = word.replace(/(?<=.)\/+$/, "");
  return cwds.flatMap((cwd) => ENDINGS.map((end) => followPath(cwd, bare + end)))
    .some((path) =>
      isAbsolute(path) &&
      (looksLikeRepository(path) || kindOf(join(path, ".git")) !== undefined || isBundle(path))
    );
}

/** What git adds to what it was given. */
const ENDINGS = ["", ".git", "/.git", ".bundle"];
/** What a bundle begins with, and how many bytes say so. */
const BUNDLE = /^# v\d+ git bundle$/m;
const BUNDLE_HEAD = 20;

/** Whether a file is a repository's history as git packs it. */
function isBundle(path: string): boolean {
  return kindOf(path) === "file" && BUNDLE.test(readHead(path, BUNDLE_HEAD));
}

function currentBranch(tree: string): string[] {
  const directory = directoryOf(join(tree, ".git"));
  const head = directory === undefined ? undefined : readPointer(join(directory, "HEAD"));
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head ?? "")?.[1];
  return branch === undefined ? [] : [branch];
}
