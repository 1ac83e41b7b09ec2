/**
 * What to say about a command line that cannot be read, or that looks like a mistyped command. Loaded only then.
 */
import type { Command } from "commander";
import { distance } from "fastest-levenshtein";
import { UsageError } from "../core/errors.ts";
import type { CommandLineError } from "./command_line_error.ts";

/** What is wrong, what else may have been meant, and which help says more. */
export function explainUsageError({ message, code, program, args }: CommandLineError): string {
  const path = pathOf(args, program);
  const command = path.at(-1) ?? program;
  const name = path.map((one) => one.name()).join(" ");
  // A command that only groups others, without one of them.
  if (code === "commander.help") {
    const names = visibleCommands(command).map((one) => one.name());
    const last = names.pop() ?? "";
    return `Name what to do: ${name} ${names.join(", ")} or ${last}. See ${name} --help.`;
  }
  const hint = HINTS.find((one) => one.command === name && one.code.test(code));
  return [message, ...(hint ? [hint.text] : []), `See ${name} --help.`].join("\n");
}

/** What is easily forgotten, by the command and by what commander finds wrong. */
const HINTS = [
  {
    command: "ally mcp add",
    code: /unknownOption/,
    text: "A server's command goes after --, as in: ally mcp add NAME -- npx -y PACKAGE",
  },
  {
    command: "ally permissions explain",
    code: /unknownOption|excessArguments/,
    text: "The command is one word, in quotes: ally permissions explain 'ls -l'",
  },
] as const;

/** The program and the commands that the words name, from the outside in. */
function pathOf(args: readonly string[], program: Command): Command[] {
  const path = [program];
  for (const word of args) {
    const next = path.at(-1)?.commands.find((command) => command.name() === word);
    if (next) path.push(next);
    else if (path.length > 1) break;
  }
  return path;
}

function visibleCommands(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

/**
 * Refuses words that look like a mistyped command: `ally session list`, `ally doctr`. More words than a
 * command has are a prompt.
 * @throws {UsageError} they do
 */
export function refuseMistyped(prompt: string, program: Command): void {
  const [first = "", second] = prompt.split(" ");
  const meant = visibleCommands(program).find((command) => isNear(first, command.name()));
  if (!meant) return;
  const inner = second === undefined
    ? undefined
    : visibleCommands(meant).find((command) => isNear(second, command.name()));
  if (second !== undefined && !inner) return;
  const command = ["ally", meant.name(), ...(inner ? [inner.name()] : [])].join(" ");
  throw new UsageError(
    `There is no command '${first}'. Did you mean: ${command}? ` +
      `To say it to the model: ally -p "${prompt}"`,
  );
}

/** Whether one letter differs, or two in a long word; few people mistype the first letter. */
function isNear(typed: string, name: string): boolean {
  return typed[0] === name[0] && distance(typed, name) <= (name.length > 5 ? 2 : 1);
}
