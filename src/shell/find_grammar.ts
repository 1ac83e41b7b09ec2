/**
 * `find`: where it looks, and what it does with every file found.
 */
import { CommandAnalysis, type Invocation } from "./command_analysis.ts";
import { everythingBelow } from "./paths.ts";
import { extreme, tentative } from "./program.ts";
import type { ShellWord } from "./words.ts";

/** Places to look in beyond which the command is not judged. */
const MAX_ROOTS = 50;
const WRITES = /^-(fprint0?|fprintf|fls)$/;
const READS = /^-(newer\w*|anewer|cnewer|samefile|files0-from)$/;
/** Tests that take one value. */
const VALUED =
  /^-(i?name|i?path|i?wholename|i?regex|i?lname|type|xtype|size|[acm]time|[acm]min|perm|user|group|uid|gid|maxdepth|mindepth|links|inum|fstype|used|printf|regextype|context)$/;

/** Judges a command line of find. */
export function judgeFind({ rest, analysis }: Invocation): void {
  let at = 0;
  for (; at < rest.length && /^-([HLPEXdsx]|O\d|D)$/.test(rest[at]!.value); at++);
  const roots: ShellWord[] = [];
  for (; at < rest.length && !/^[-(!]/.test(rest[at]!.prefix); at++) {
    const root = rest[at]!;
    analysis.addWord("read", root);
    roots.push(root);
  }
  const below = roots.length > 0 && roots.every(({ kind }) => kind === "literal")
    ? roots.map(({ value }) => value)
    : ["."];
  if (roots.length > MAX_ROOTS) {
    return analysis.add(extreme("looks in more places than can be judged"));
  }
  while (at < rest.length) at = judgeTest(rest, { at, analysis, below });
}

/** Judges one test or action and returns the place after it. */
function judgeTest(
  rest: readonly ShellWord[],
  { at, analysis, below }: { at: number; analysis: CommandAnalysis; below: readonly string[] },
): number {
  const word = rest[at]!;
  const value = rest[at + 1];
  if (/^-(exec|execdir|ok|okdir)$/.test(word.value)) {
    return judgeAction(rest, { at, analysis, below });
  }
  if (word.value === "-delete") {
    analysis.programs.push("rm");
    analysis.add(extreme("deletes every file found"));
  } else if (WRITES.test(word.value)) {
    if (value) analysis.addWord("write", value);
    return at + 2;
  } else if (READS.test(word.value)) {
    if (value) analysis.addWord("read", value);
    return at + 2;
  } else if (VALUED.test(word.value)) {
    return at + 2;
  }
  return at + 1;
}

/** `-exec COMMAND ;` */
function judgeAction(
  rest: readonly ShellWord[],
  { at, analysis, below }: { at: number; analysis: CommandAnalysis; below: readonly string[] },
): number {
  let end = at + 1;
  while (end < rest.length && !(/^[;+]$/.test(rest[end]!.value) && rest[end]!.kind === "literal")) {
    end++;
  }
  const [name, ...words] = rest.slice(at + 1, end);
  if (!name) {
    analysis.add(extreme("runs a program whose name is only known at run time"));
    return end + 1;
  }
  for (const directory of below) {
    const files = words.map((word) =>
      word.value.includes("{}") ? everythingBelow(directory) : word
    );
    const inner = new CommandAnalysis(analysis.context);
    analysis.context.judgeWords([name, ...files], inner);
    analysis.programs.push(...inner.programs);
    analysis.runsText ||= inner.runsText;
    analysis.opaque ||= inner.opaque;
    analysis.needs.push(...inner.needs);
    if (name.value.includes("{}")) analysis.add(tentative(extreme("runs every file found")));
    const { finding } = inner;
    if (finding.risk !== "safe") {
      analysis.add({ ...finding, ...extreme(`acts on every file found: ${finding.why}`) });
    }
  }
  return end + 1;
}
