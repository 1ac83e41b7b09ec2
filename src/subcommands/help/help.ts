/**
 * `ally help`: the overview, how a command is used, or a page on a topic. On a terminal a page is drawn, and in the
 * pager if it is long; elsewhere it is its Markdown as it is.
 */
import type { Command } from "commander";
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { openStandardStreams, wrapForTerminal } from "../../app/standard_streams.ts";
import { UsageError } from "../../core/errors.ts";
import { didYouMean, findNear } from "../../lib/names.ts";
import { findTopic, HELP_TOPICS } from "../../help/topics.ts";

/** What `ally help` was asked for. */
interface HelpInvocation {
  /** A topic or a command; undefined for the overview. */
  readonly name: string | undefined;
  readonly program: Command;
  readonly options: Options;
}

/** Shows it and returns the exit code. @throws {UsageError} the name is neither a topic nor a command */
export async function runHelp(
  { name, program, options }: HelpInvocation,
  io: Io,
): Promise<number> {
  const { out } = openStandardStreams(io);
  if (name === undefined) {
    const text = `${usageOf(program)}\n\n${listTopics()}`;
    out(await wrapForTerminal(text, { io, stream: "stdout" }));
    return EXIT.done;
  }
  const topic = findTopic(name);
  const command = program.commands.find((one) => one.name() === name);
  if (topic === undefined) {
    if (command === undefined) throw unknownNameError(name, program);
    out(await wrapForTerminal(usageOf(command), { io, stream: "stdout" }));
    return EXIT.done;
  }
  const page = await topic.load();
  const markdown = command === undefined
    ? page
    : `${page}\n\n## The command\n\n\`\`\`\n${usageOf(command)}\n\`\`\``;
  if (!io.stdout.isTerminal()) out(markdown);
  else await showOnTerminal(markdown, { options, io });
  return EXIT.done;
}

async function showOnTerminal(
  markdown: string,
  { options, io }: { options: Options; io: Io },
): Promise<void> {
  const [{ openTerminal }, { showPage }] = await Promise.all([
    import("../../ui/terminal.ts"),
    import("../../ui/pager.ts"),
  ]);
  const terminal = openTerminal(io, { color: options.color });
  await showPage(markdown, { terminal, env: io.env, roots: () => [io.cwd()] });
  terminal.restore();
}

/** The text of `--help`, with what follows the options. */
function usageOf(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (text) => parts.push(text) });
  command.outputHelp();
  return parts.join("").trimEnd();
}

/** The topics in two columns. */
function listTopics(): string {
  const width = Math.max(...HELP_TOPICS.map(({ name }) => name.length));
  const rows = HELP_TOPICS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return ["Topics (ally help TOPIC):", ...rows].join("\n");
}

function unknownNameError(name: string, { commands }: Command): UsageError {
  const names = [...HELP_TOPICS.map((topic) => topic.name), ...commands.map((one) => one.name())];
  const near = didYouMean(findNear(name, names)) || "ally help lists the topics.";
  return new UsageError(
    `There is no help on '${name}'. ${near} To say it to the model: ally -p "help ${name}"`,
  );
}
