/**
 * `find`: where it looks, and what it does with every file found.
 */
import { Case } from "./analysis.ts";
import { everythingBelow } from "./paths.ts";
import { extreme, type Program, sensitive } from "./program.ts";
import type { ShellWord } from "./words.ts";

/** Places to look in beyond which the command is not judged. */
const MAX_ROOTS = 50;
const WRITES = /^-(fprint0?|fprintf|fls)$/;
const READS = /^-(newer\w*|anewer|cnewer|samefile|files0-from)$/;
/** Tests that take one value. */
const VALUED =
  /^-(i?name|i?path|i?wholename|i?regex|i?lname|type|xtype|size|[acm]time|[acm]min|perm|user|group|uid|gid|maxdepth|mindepth|links|inum|fstype|used|printf|regextype|context)$/;

/** Judges a command line of find. */
export function judgeFind(
  _: Program,
  { rest, found }: { rest: readonly ShellWord[]; found: Case },
): boolean {
  let at = 0;
  for (; at < rest.length && /^-([HLPEXdsx]|O\d|D)$/.test(rest[at]!.value); at++);
  const roots: ShellWord[] = [];
  for (; at < rest.length && !/^[-(!]/.test(rest[at]!.prefix); at++) {
    const root = rest[at]!;
    if (found.mayBecomeOption(root)) found.add(optionDanger(root));
    found.use("read", root);
    roots.push(root);
  }
  const below = roots.length > 0 && roots.every(({ kind }) => kind === "literal")
    ? roots.map(({ value }) => value)
    : ["."];
  if (roots.length > MAX_ROOTS) {
    found.add(extreme("looks in more places than can be judged"));
    return true;
  }
  while (at < rest.length) at = judgeTest(rest, { at, found, below });
  return true;
}

/** Judges one test or action and returns the place after it. */
function judgeTest(
  rest: readonly ShellWord[],
  { at, found, below }: { at: number; found: Case; below: readonly string[] },
): number {
  const word = rest[at]!;
  const value = rest[at + 1];
  if (/^-(exec|execdir|ok|okdir)$/.test(word.value)) return judgeAction(rest, { at, found, below });
  if (word.value === "-delete") {
    found.programs.push("rm");
    found.add(extreme("deletes every file found"));
  } else if (WRITES.test(word.value)) {
    if (value) found.use("write", value);
    return at + 2;
  } else if (READS.test(word.value)) {
    if (value) found.use("read", value);
    return at + 2;
  } else if (VALUED.test(word.value)) {
    // Without quotes the shell may make several words of it.
    const loose = value?.kind === "dynamic" && !value.text.startsWith('"');
    if (loose && found.mayBecomeOption(value)) found.add(optionDanger(value));
    return at + 2;
  } else if (word.kind !== "literal") {
    found.add(optionDanger(word));
  }
  return at + 1;
}

/** `-exec COMMAND ;` */
function judgeAction(
  rest: readonly ShellWord[],
  { at, found, below }: { at: number; found: Case; below: readonly string[] },
): number {
  let end = at + 1;
  while (end < rest.length && !(/^[;+]$/.test(rest[end]!.value) && rest[end]!.kind === "literal")) {
    end++;
  }
  const [name, ...words] = rest.slice(at + 1, end);
  if (!name) {
    found.add(extreme("runs a program that is known only when it runs"));
    return end + 1;
  }
  for (const directory of below) {
    const files = words.map((word) =>
      word.value.includes("{}") ? everythingBelow(directory) : word
    );
    const before = new Case(found.around);
    found.around.judge([name, ...files], before);
    found.programs.push(...before.programs);
    found.runsText ||= before.runsText;
    found.opaque ||= before.opaque;
    if (name.value.includes("{}")) found.add(extreme("runs every file found"));
    if (before.finding.class !== "safe") {
      found.add(extreme(`acts on every file found: ${before.finding.why}`));
    }
  }
  return end + 1;
}

function optionDanger(word: ShellWord) {
  return word.kind === "pattern"
    ? sensitive(`names files that may be taken for options: ${word.text}`)
    : extreme(`may get actions that are known only when it runs: ${word.text}`);
}
