/**
 * Custom commands: Markdown files of the user or of a trusted project. Each is a prompt for one turn, with its own model
 * and with what is allowed in that turn without a question.
 */
import type { TurnSummary } from "../agent/turn_deps.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { cutEnd, messageOf } from "../lib/text.ts";
import { approvalLimit } from "../permission/rules.ts";
import type { CommandFile } from "../store/command_files.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { expandTemplate, readTemplate, type Template } from "./template.ts";

/** Where a command comes from. */
type CommandSource = "user" | "project";

/** A command's file with its source. */
export interface SourcedFile extends CommandFile {
  readonly source: CommandSource;
}

/** A prompt with what holds for its turn. */
interface PreparedTurn {
  readonly prompt: string;
  readonly template: Template;
  /** As people call it: "/review". */
  readonly name: string;
  readonly source: CommandSource;
}

/** What was made of the files. */
export interface CustomCommands {
  readonly commands: readonly SlashCommand[];
  /** What is wrong with files, or with parts of them. */
  readonly problems: readonly string[];
  /** The turn that a line `/name words` asks for; undefined if it names no custom command. */
  prepare(line: string): PreparedTurn | undefined;
}

/**
 * Makes commands of files. Built-in ones come first, then the user's, then the project's; a file whose name is in use
 * is left out with a message.
 */
export async function createCustomCommands(
  files: readonly SourcedFile[],
  options: { builtIn: readonly SlashCommand[]; definitions: readonly ToolDefinition[] },
): Promise<CustomCommands> {
  const owners = new Map<string, string>(
    options.builtIn.flatMap(({ name, aliases = [] }) =>
      [name, ...aliases].map((one) => [one, "ally's own"] as const)
    ),
  );
  const templates = new Map<string, { file: SourcedFile; template: Template }>();
  const problems: string[] = [];
  for (const file of files) {
    const owner = owners.get(file.name);
    if (owner !== undefined) {
      problems.push(
        `${file.path} is left out: /${file.name} is ${owner}. Give the file another name.`,
      );
      continue;
    }
    try {
      const template = await readTemplate(file.text, options);
      owners.set(file.name, file.source === "user" ? "a command of yours" : "the project's");
      templates.set(file.name, { file, template });
      problems.push(...describeOddities(file, template));
    } catch (error) {
      problems.push(`${file.path} is left out: ${messageOf(error)}`);
    }
  }
  const prepare = (line: string): PreparedTurn | undefined => {
    const match = /^\/([a-z][\w:-]*)(?:\s+([^]*))?$/i.exec(line.trim());
    const name = match?.[1]?.toLowerCase() ?? "";
    const found = templates.get(name);
    if (found === undefined) return undefined;
    const { template, file: { source } } = found;
    const prompt = expandTemplate(template.body, (match?.[2] ?? "").trim());
    return { prompt, template, name: `/${name}`, source };
  };
  const commands = [...templates].map(([name, { file, template }]): SlashCommand => ({
    name,
    ...(template.argumentHint !== undefined && { usage: template.argumentHint }),
    summary: summaryOf(template, file),
    async run(argument, context) {
      const turn = prepare(`/${name} ${argument}`);
      if (turn) await runPreparedTurn(turn, context);
      return "continue";
    },
  }));
  return { commands, problems, prepare };
}

/** Runs the turn with its model and its approvals; both end with it. */
export async function runPreparedTurn(
  { prompt, template, name, source }: PreparedTurn,
  { agent, runTurn, say }: Pick<CommandContext, "agent" | "runTurn" | "say">,
): Promise<TurnSummary> {
  const { model, approval } = template;
  const { policy } = agent.deps.scheduler;
  if (approval.labels.length === 0) return await runTurn(prompt, { model });
  const ofProject = source === "project";
  const words = approval.labels.map((word) => `\`${word}\``).join(", ");
  say(`In this turn, without asking: ${words}${approvalLimit({ ...approval, ofProject })}`);
  const rules = {
    allow: approval.allow,
    deny: {},
    allowAll: false,
    source: "command",
    file: name,
    ofProject,
  } as const;
  return await runTurn(prompt, { model, policy: policy.withApproved(rules) });
}

function summaryOf({ description, approval, model }: Template, { source }: SourcedFile): string {
  const details = [
    source === "user" ? "yours" : "of this project",
    ...(model === undefined ? [] : [`with ${model}`]),
    ...(approval.labels.length === 0 ? [] : [`may without asking: ${approval.labels.join(", ")}`]),
  ];
  return `${description} (${details.join("; ")})`;
}

function describeOddities({ path }: SourcedFile, { approval, unknown, lines }: Template): string[] {
  const at = (field: string) => `${path}:${lines[field] ?? 1}:`;
  return [
    ...approval.problems.map((text) => `${at("allowed-tools")} allowed-tools: ${text}`),
    ...unknown.map((field) => `${at(field)} '${cutEnd(field, 80)}' has no meaning here`),
  ];
}
