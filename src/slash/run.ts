/**
 * `/run`: runs a block of code by its number, as if the person had typed it behind `!`. It was written by a model: so
 * it is shown and asked about, and never holds what cannot be seen.
 */
import { HIDDEN_CHARACTER } from "../lib/text.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { describeItem, findItem, isNumber } from "./numbered_items.ts";

/** Languages that are command lines. */
const SHELLS: ReadonlySet<string> = new Set(["bash", "sh", "shell", "zsh"]);
/** Command lines behind a prompt, with what they wrote. */
const TRANSCRIPTS: ReadonlySet<string> = new Set(["console", "shell-session", "shellsession"]);

/** Command lines that run a program which they read from standard input; the first that is installed does. */
type Interpreters = readonly (readonly [program: string, ...args: string[]])[];

const PYTHON: Interpreters = [["python3", "-"], ["python", "-"]];
const JAVASCRIPT: Interpreters = [["deno", "run", "-"], ["node", "-"], ["bun", "run", "-"]];
const TYPESCRIPT: Interpreters = [["deno", "run", "--ext=ts", "-"], ["bun", "run", "-"]];

/** By language. */
const INTERPRETERS: ReadonlyMap<string, Interpreters> = new Map([
  ["python", PYTHON],
  ["py", PYTHON],
  ["python3", PYTHON],
  ["javascript", JAVASCRIPT],
  ["js", JAVASCRIPT],
  ["mjs", JAVASCRIPT],
  ["typescript", TYPESCRIPT],
  ["ts", TYPESCRIPT],
]);

/** `/run N` */
export const run: SlashCommand = {
  name: "run",
  terminalOnly: true,
  usage: "N",
  summary: "run a block of code by its number, as `!command` does",
  examples: ["/run 12"],
  complete: ({ items }) =>
    Promise.resolve(
      items.latest(100).filter(({ kind }) => kind === "code").map(({ number }) => String(number))
        .reverse(),
    ),
  async run(argument, context) {
    if (!isNumber(argument)) {
      throw new Error("Say which code is run: /run N. The number stands above it.");
    }
    const item = await findItem(argument, context);
    if (item.content.form !== "code") throw new Error(`${describeItem(item)}, which is no code.`);
    const command = await commandOf(item.content, { argument, context });
    context.show([{ kind: "command", command, cwd: context.workspace.cwd }]);
    if (await context.confirm("Run this as you, outside of the sandbox?")) {
      await context.shell.run(command);
    } else context.say("Nothing was run.");
    return "continue";
  },
};

/** The command line that runs some code. @throws {Error} it cannot be run */
async function commandOf(
  { text, language }: { text: string; language: string },
  { argument, context }: { argument: string; context: CommandContext },
): Promise<string> {
  const code = text.trimEnd();
  // What cannot be seen is shown as U+FFFD, and kept so.
  if (HIDDEN_CHARACTER.test(code) || code.includes("\ufffd")) {
    throw new Error(
      `Code ${argument} holds characters that cannot be seen, so it is not run. ` +
        `/save ${argument} FILE writes it to a file.`,
    );
  }
  const name = language.toLowerCase();
  if (SHELLS.has(name)) return code;
  if (TRANSCRIPTS.has(name)) return typedLines(code, argument);
  const interpreters = INTERPRETERS.get(name);
  if (interpreters === undefined) {
    const what = name === "" ? "names no language" : `is ${language}, which ally does not run`;
    throw new Error(
      `Code ${argument} ${what}. /save ${argument} FILE writes it to a file, ` +
        "and !command runs what you type.",
    );
  }
  for (const [program, ...args] of interpreters) {
    if (await context.shell.has(program)) return pipeInto([program, ...args], code);
  }
  const names = interpreters.map(([program]) => program).join(", ");
  throw new Error(`Code ${argument} is ${language}, and none of these is installed: ${names}.`);
}

/** What was typed behind `$ ` in a transcript. */
function typedLines(code: string, argument: string): string {
  const typed = code.split("\n").flatMap((line) => /^(?:\$|>) (.*)$/.exec(line)?.[1] ?? []);
  if (typed.length > 0) return typed.join("\n");
  throw new Error(`Code ${argument} shows no line that was typed behind "$ ".`);
}

function pipeInto(program: readonly string[], code: string): string {
  let end = "END_OF_CODE";
  while (code.split("\n").includes(end)) end += "_";
  return `${program.join(" ")} <<'${end}'\n${code}\n${end}`;
}
