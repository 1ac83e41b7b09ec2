/**
 * Pipelines whose output is nothing but names of files below the working directory, as `find . | grep test`:
 * what reads the files so named reads the workspace.
 */
import type { ShellWord } from "./words.ts";

/** What a find that only names files may be told. */
const FIND =
  /^-(i?name|i?path|type|not|o|a|or|and|prune|print|print0|mtime|mmin|newer|size|empty|maxdepth|mindepth|i?regex|regextype)$|^[!()]$/;
const PREDICATE =
  /^-(i?name|i?path|type|mtime|mmin|newer|size|maxdepth|mindepth|i?regex|regextype)$/;

/** Whether a command prints names of files below the working directory and nothing else. */
export function printsFileNames(words: readonly ShellWord[]): boolean {
  const [name, ...rest] = words.map(({ value }) => value);
  if (!words.every(({ kind }) => kind !== "dynamic")) return false;
  const operands = rest.filter((word) => !word.startsWith("-"));
  const has = (pattern: RegExp) => rest.some((word) => pattern.test(word));
  switch (name) {
    case "find":
      return isNameOnlyFind(rest);
    case "git":
      return (rest[0] === "ls-files" ||
        (rest[0] === "diff" && has(/^--name-only$/)) ||
        (rest[0] === "grep" && has(/^-\w*l\w*$/))) &&
        operands.slice(1).every(isBelow) && !has(/^(--output|-O|--format|--stage|-s$|-C$)/);
    case "rg":
      return (has(/^-[a-zA-Z]*l[a-zA-Z]*$|^--files(-with-matches)?$/) &&
        !has(/^-[a-zA-Z]*[or]|^--(replace|pre|null-data)/)) &&
        operands.every((word, at) => (at === 0 && !has(/^--files$/)) || isBelow(word));
    case "grep":
      return has(/^-[a-zA-Z]*[lL][a-zA-Z]*$/) && !has(/^-[a-zA-Z]*[fo]|^--(file|label)/) &&
        operands.slice(1).every(isBelow);
    case "ls":
      return rest.every((word) => /^-[1aAtrS]+$/.test(word) || isBelow(word));
    default:
      return false;
  }
}

/** Whether a command passes some of the lines on that it gets, as they are. */
export function isLineFilter(words: readonly ShellWord[]): boolean {
  const [name, ...rest] = words.map(({ value }) => value);
  if (!words.every(({ kind }) => kind === "literal")) return false;
  switch (name) {
    case "grep":
      return rest.filter((word) => !word.startsWith("-")).length === 1 &&
        rest.every((word) => !word.startsWith("-") || /^-[vieEFPwxz]+$/.test(word));
    case "sort":
      return rest.every((word) => /^-[uVrnfz]+$/.test(word));
    case "head":
    case "tail":
      return rest.every((word) => /^-?n?\d*$/.test(word));
    case "uniq":
      return rest.length === 0;
    default:
      return false;
  }
}

function isNameOnlyFind(words: readonly string[]): boolean {
  const begin = words.findIndex((word) => /^[-(!]/.test(word));
  const roots = begin < 0 ? words : words.slice(0, begin);
  const tests = begin < 0 ? [] : words.slice(begin);
  return roots.every(isBelow) &&
    tests.every((word, at) => FIND.test(word) || PREDICATE.test(tests[at - 1] ?? ""));
}

function isBelow(word: string): boolean {
  return !/^[/~-]|(^|\/)\.\.(\/|$)|[{]/.test(word);
}
