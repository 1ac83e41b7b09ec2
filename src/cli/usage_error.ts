/**
 * What to say about a command line that cannot be read, or that looks like a mistyped command. Loaded only then.
 */
import type { Command } from "commander";
import { UsageError } from "../core/errors.ts";
import { didYouMean, findNear, isSlip } from "../lib/names.ts";
import type { CommandLineError } from "./command_line_error.ts";
import { commandLike, optionLike } from "./other_agents.ts";

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
  const near = code === "commander.unknownOption"
    ? describeMeantOption(message, path)
    : code === "commander.unknownCommand"
    ? didYouMean(nearCommands(message, command))
    : "";
  return [message, near, hint?.text ?? "", `See ${name} --help.`]
    .filter((line) => line !== "").join("\n");
}

/** The options that a mistyped one may have meant, of a command and of those around it, or what another agent's is here. */
function describeMeantOption(message: string, path: readonly Command[]): string {
  const typed = /'--([^'=]+)/.exec(message)?.[1] ?? "";
  const here = path.length > 1 ? undefined : optionLike(typed);
  if (here !== undefined) return `In ally that is ${here}.`;
  const options = path.flatMap((command) => command.createHelp().visibleOptions(command));
  const near = findNear(typed, options.flatMap(({ long }) => long?.replace(/^--/, "") ?? []));
  return didYouMean(near.map((name) => `--${name}`));
}

/** Commands of a command that a mistyped one may have meant. */
function nearCommands(message: string, command: Command): string[] {
  const typed = /'([^']+)/.exec(message)?.[1] ?? "";
  return findNear(typed, visibleCommands(command).map((one) => one.name()));
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
 * Refuses words that look like a mistyped command (`ally session list`, `ally doctr`), and one word that is a command
 * of other agents (`ally update`). More words than a command has are a prompt.
 * @throws {UsageError} they do
 */
export function refuseMistyped(prompt: string, program: Command): void {
  const meant = commandLike(prompt) ?? findMeantCommand(prompt, program);
  if (meant === undefined) return;
  throw new UsageError(
    `There is no command '${prompt.split(" ")[0]}'. ${didYouMean([meant])} ` +
      `To say it to the model: ally -p "${prompt}"`,
  );
}

function findMeantCommand(prompt: string, program: Command): string | undefined {
  const [first = "", second] = prompt.split(" ");
  // `help` is answered before commands are looked for.
  if (second === undefined && isSlip(first, "help")) return "ally help";
  const meant = visibleCommands(program).find((command) => isSlip(first, command.name()));
  if (meant === undefined || second === undefined) return meant && `ally ${meant.name()}`;
  const inner = visibleCommands(meant).find((command) => isSlip(second, command.name()));
  return inner && `ally ${meant.name()} ${inner.name()}`;
}
