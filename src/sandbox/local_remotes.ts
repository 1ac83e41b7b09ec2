/**
 * Whether git is to talk to repositories of this disk: whatever these name runs here, without the variables by which
 * hooks are kept from running.
 */
import { isAbsolute, join } from "node:path";
import { followPath, kindOf, readPointer } from "./inspect.ts";
import type { EffectiveSetting } from "./named_programs.ts";
import { directoryOf, looksLikeRepository } from "./repository.ts";

/** What names a remote, or a branch that follows one. */
const URL = /^remote\.(.+)\.(?:push)?url$/;
const FOLLOWED = /^branch\.(.+)\.(?:push)?remote$/;

/**
 * Whether all repositories that a command line may talk to lie on this disk. What runs there needs no keys, and may be
 * hooks of the workspace: git starts it without the variables that keep these from running.
 */
export function talksToThisDisk(
  settings: readonly EffectiveSetting[],
  { text, cwds }: { readonly text: string; readonly cwds: readonly string[] },
): boolean {
  const words = text.replace(ELSEWHERE, "").split(/[\s();|&<>=]+/).filter((word) => word !== "");
  const urls = settings.flatMap(({ name, value }) => {
    const remote = URL.exec(name)?.[1];
    return remote === undefined ? [] : [{ remote, isLocal: isLocal(value) }];
  });
  const makes = /\bclone\b/.test(text);
  const isPath = (word: string) => word.startsWith("file://") || (!makes && PATH.test(word));
  const urlsOf = (remote: string) => {
    const known = urls.filter((one) => one.remote === remote).map((one) => one.isLocal);
    return known.length > 0 || remote !== "." ? known : [true];
  };
  const named = [
    ...words.flatMap(urlsOf),
    ...words.filter((word) => FAR.test(word)).map(() => false),
    ...words.filter((word) => isPath(word) || isRepository(word, cwds)).map(() => true),
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

/** Whether a word names a repository from one of these directories. */
function isRepository(word: string, cwds: readonly string[]): boolean {
  if (!word.includes("/") && !/^\.|\.git$/.test(word)) return false;
  const bare = word.replace(/(?<=.)\/+$/, "");
  return cwds.flatMap((cwd) => ["", ".git", "/.git"].map((end) => followPath(cwd, bare + end)))
    .some((path) =>
      isAbsolute(path) && (looksLikeRepository(path) || kindOf(join(path, ".git")) !== undefined)
    );
}

function currentBranch(tree: string): string[] {
  const directory = directoryOf(join(tree, ".git"));
  const head = directory === undefined ? undefined : readPointer(join(directory, "HEAD"));
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head ?? "")?.[1];
  return branch === undefined ? [] : [branch];
}
