/**
 * Which commands of a script may write, where that is not followed, what another one runs: all programs that are not
 * known only to read, or to run what is looked through by itself.
 */
import { basename } from "node:path";
import type { CommandAnalysis } from "../../shell/command_analysis.ts";
import { findProgram, isBuiltin } from "../../shell/programs/table.ts";
import type { ShellWord } from "../../shell/words.ts";

/** Programs whose last word is where they put what the others name. */
export const COPIES = /^(cp|mv|ln|install|rsync)$/;
/** What makes, removes or dates files, and gives none another content. */
export const KEEPS_CONTENT =
  /^(mkdir|rmdir|rm|touch|chmod|chown|chgrp|unlink|mktemp|trash|kill|pkill|killall|sleep|wait)$/;
/** Options by which more is copied than the files that are named, or elsewhere than to the last of them. */
const COPIES_MORE = /^-\w*[aRrdtTS]|^--(?!verbose|force|preserve|interactive|mode)/;
/** Words with which curl only prints what it fetches. */
const ONLY_PRINTS =
  /^(?!-)|^-[fsSLkvIiHXdG]+$|^--(fail|silent|show-error|location|header|data|request)(=|$)/;
/** What runs scripts of the project that are looked through. */
const RUNS_SCRIPTS = /^([bg]?make|npm|pnpm|yarn|bun|deno|npx|bunx|pnpx)$/;

/** Whether each word of a copy but the last is one file that becomes that, or lies in it by its name. */
export function copiesExactly([name, ...rest]: readonly ShellWord[]): boolean {
  return name?.value !== "rsync" && !rest.some(({ value }) => COPIES_MORE.test(value));
}

/** What a command does for those beside it; undefined if it only reads, or is looked at otherwise. */
export function workOf(
  [name, ...rest]: readonly ShellWord[],
  { scripts, executes, programs, finding, context }: CommandAnalysis,
): "runs" | "writes" | undefined {
  if (!name || name.kind !== "literal") return undefined;
  const command = basename(name.value);
  const program = findProgram(command);
  if (program?.wrapper) return undefined;
  if (scripts.length > 0 || RUNS_SCRIPTS.test(command)) return "runs";
  if (rest.length === 1 && /^--?(version|help)$/.test(rest[0]!.value)) return undefined;
  if (program?.interpreter !== undefined) {
    // What a module of another's does, such as `zipfile`, its row says if there is one.
    if (executes.some((path) => path.endsWith(".py") && context.pathFacts.exists(path))) {
      return "runs";
    }
    const isShell = program.interpreter === "shell";
    return isShell || programs.length > 1 ? undefined : "writes";
  }
  if (COPIES.test(command)) {
    const operands = rest.filter(({ value }) => !value.startsWith("-"));
    const isTold = command !== "rsync" && rest.some(({ value }) => /^-[a-zA-Z]*t|^--t/.test(value));
    return isTold || operands.length < 2 ? "writes" : undefined;
  }
  if (isBuiltin(command) || KEEPS_CONTENT.test(command) || command === "tee") return undefined;
  // What these would write by their script counts as code that no file shows.
  if (/^(g?sed|[gmn]?awk)$/.test(command)) {
    return rest.some(({ value }) => /^-\w*i|^--in-place/.test(value)) ? "writes" : undefined;
  }
  if (finding.risk === "safe") return undefined;
  if (command === "curl") {
    return rest.every(({ value }) => ONLY_PRINTS.test(value)) ? undefined : "writes";
  }
  // Checkers and runners of tests run the project's code, as far as anybody knows.
  const isRunner = program !== undefined && program.executes.length > 0 && command !== "git";
  return isRunner && finding.tentative ? undefined : "writes";
}
