/**
 * `/mcp`: shows the servers of this session, approves what changed, restarts, enables and disables them. Each prompt that
 * a server offers is a command of its own.
 */
import { unifiedDiff } from "../lib/diff.ts";
import { cutEnd, oneLine, plural, stripControls } from "../lib/text.ts";
import { editServer } from "../mcp/config_file.ts";
import type { Server, UnapprovedTool } from "../mcp/server.ts";
import { targetOf } from "../mcp/server_config.ts";
import type { Servers } from "../mcp/servers.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { inlineCode } from "./markdown.ts";

const USAGE =
  "Use /mcp, /mcp NAME, or /mcp approve, restart, enable or disable with a server's name.";
const VERBS = ["approve", "restart", "enable", "disable"] as const;
/** Characters of a tool's description in a list. */
const MAX_DESCRIPTION = 80;
/** Lines of its log that a look at a server shows. */
const LOG_LINES = 10;

/** `/mcp [NAME | approve|restart|enable|disable NAME]` */
export const mcp: SlashCommand = {
  name: "mcp",
  changes: "machine",
  usage: "[NAME | approve|restart|enable|disable NAME]",
  summary: "show the MCP servers and their tools, approve what changed",
  complete({ mcp: servers }) {
    const names = servers?.list.map(({ config }) => config.slug) ?? [];
    const all = [...names, ...VERBS.flatMap((verb) => names.map((name) => `${verb} ${name}`))];
    return Promise.resolve(all);
  },
  async run(argument, context) {
    const { mcp: servers, say } = context;
    const [first, second, ...rest] = argument.split(/\s+/).filter((word) => word !== "");
    if (servers === undefined || servers.list.length === 0) {
      say("No MCP servers. Add one in a shell: `ally mcp add NAME -- COMMAND ARGS`");
    } else if (first === undefined) {
      say(formatOverview(servers));
    } else if (second === undefined && !isVerb(first)) {
      say(formatDetail(requireServer(servers, first)));
    } else if (isVerb(first) && second !== undefined && rest.length === 0) {
      say(await runVerb(first, { server: requireServer(servers, second), context }));
    } else throw new Error(USAGE);
    return "continue";
  },
};

type Verb = (typeof VERBS)[number];

function isVerb(word: string): word is Verb {
  return VERBS.some((verb) => verb === word);
}

function requireServer(servers: Servers, name: string): Server {
  const server = servers.find(name);
  if (server) return server;
  const names = servers.list.map(({ config }) => config.slug).join(", ");
  throw new Error(`There is no MCP server '${name}'. There are: ${names}.`);
}

async function runVerb(
  verb: Verb,
  { server, context }: { server: Server; context: CommandContext },
): Promise<string> {
  const { config } = server;
  switch (verb) {
    case "approve":
      return await approveServer(server, context);
    case "restart":
      await server.stop();
      await startServer(server, context);
      return formatHeadline(server);
    case "enable":
    case "disable": {
      const on = verb === "enable";
      await server.setEnabled(on);
      if (config.source !== "user") return `${formatHeadline(server)} (in this session)`;
      const value = on ? undefined : true;
      await editServer(config.file, { name: config.name, key: "disabled", value });
      return formatHeadline(server);
    }
  }
}

/** What an approval shows and asks with. */
type ApprovalView = Pick<CommandContext, "show" | "confirm" | "say" | "signal">;

/** Starts it, unless the person or the server takes too long. */
function startServer(server: Server, { signal }: Pick<CommandContext, "signal">): Promise<void> {
  return server.start(AbortSignal.any([signal, AbortSignal.timeout(server.config.callMs)]));
}

/** Shows what changed about a server and asks whether to use it like that; returns the outcome in words. */
export async function approveServer(
  server: Server,
  view: ApprovalView,
): Promise<string> {
  const { show, confirm, say } = view;
  const { approvedTarget, unapprovedTools, config } = server;
  if (approvedTarget !== undefined) {
    say(`It was ${formatCode(approvedTarget)}\n\nIt is ${formatCode(targetOf(config))}`);
    if (!await confirm(`Use the server ${config.slug} as it is now?`)) return "It stays off.";
    await server.approve();
    await startServer(server, view);
    return formatHeadline(server);
  }
  if (unapprovedTools.length === 0) return `Nothing of ${config.slug} waits for approval.`;
  show(await Promise.all(unapprovedTools.map(previewOf)));
  const what = plural(unapprovedTools.length, "tool");
  if (!await confirm(`Use ${what} of ${config.slug} as shown?`)) {
    return unapprovedTools.length === 1 ? "It stays off." : "They stay off.";
  }
  await server.approve();
  return formatHeadline(server);
}

async function previewOf({ tool, approved }: UnapprovedTool) {
  const text = (one: object) => `${JSON.stringify(one, null, 2)}\n`;
  if (approved === undefined) {
    return { kind: "new_file", path: tool.name, content: text(tool) } as const;
  }
  const diff = await unifiedDiff(text(approved), text(tool), { path: tool.name });
  return { kind: "diff", path: tool.name, diff } as const;
}

function formatOverview(servers: Servers): string {
  return [
    ...servers.list.map((server) => `- ${formatHeadline(server)}`),
    ...servers.problems.map((problem) => `- ${formatCode(problem)}`),
    "",
    "`/mcp NAME` shows its tools; " +
    "`/mcp restart NAME`, `/mcp disable NAME`, `/mcp approve NAME`.",
  ].join("\n");
}

const STATES: Readonly<Record<Server["state"], string>> = {
  disabled: "disabled",
  unapproved: "off: its entry changed since it was approved",
  idle: "not needed yet",
  starting: "starting",
  ready: "running",
  failed: "off",
};

function formatHeadline(server: Server): string {
  const { config: { slug }, state, error, tools, prompts, unapprovedTools, hasKnownTools } = server;
  const parts = [
    `${STATES[state]}${error === undefined ? "" : ` (${stripControls(error)})`}`,
    hasKnownTools ? plural(tools.length, "tool") : "tools not known yet",
    ...(prompts.length > 0 ? [plural(prompts.length, "prompt")] : []),
    ...(unapprovedTools.length > 0
      ? [`${unapprovedTools.length} to approve: /mcp approve ${slug}`]
      : []),
  ];
  return `**${slug}** ${parts.join(", ")}`;
}

function formatDetail(server: Server): string {
  const { config, tools, unapprovedTools, prompts, logLines } = server;
  const shown = (name: string, description: string) => {
    const [first = ""] = stripControls(description).split("\n");
    return `- ${formatCode(name)} ${cutEnd(first, MAX_DESCRIPTION)}`;
  };
  return [
    formatHeadline(server),
    "",
    formatCode(targetOf(config)),
    "",
    ...tools.map(({ name, description }) => shown(name, description)),
    ...unapprovedTools.map(({ tool, approved }) =>
      `- ${formatCode(tool.name)} off: ${approved ? "changed" : "new"}`
    ),
    ...prompts.map((one) => shown(promptName(config.slug, one.name), one.description)),
    ...(logLines.length > 0 ? ["", "It wrote last:", ""] : []),
    ...logLines.slice(-LOG_LINES).map((line) => `    ${line}`),
  ].join("\n");
}

/** What a server says, as code. */
function formatCode(text: string): string {
  return inlineCode(stripControls(text));
}

/** How a prompt is called. */
function promptName(slug: string, name: string): string {
  return `/${slug}:${name.replace(/[^\w.-]+/g, "_")}`.toLowerCase();
}

/** What a line `/server:prompt words` has a server say; undefined if it names no prompt. @throws as `Servers.prompt` */
export async function resolvePrompt(servers: Servers, line: string): Promise<string | undefined> {
  const [, called = "", argument = ""] = /^(\/\S+)\s*([^]*)$/.exec(line) ?? [];
  const prompt = servers.prompts.find(({ server, name }) =>
    promptName(server.config.slug, name) === called.toLowerCase()
  );
  if (prompt === undefined) return undefined;
  const { callMs } = prompt.server.config;
  return await servers.getPrompt(prompt, argument, AbortSignal.timeout(callMs));
}

/** The prompts that servers offer, as commands `/server:prompt`. */
export function createPromptCommands(servers: Servers | undefined): readonly SlashCommand[] {
  return (servers?.prompts ?? []).map((prompt): SlashCommand => {
    const { server: { config }, name, description, arguments: known } = prompt;
    const usage = known.map((one) => one.required ? `${one.name}=...` : `[${one.name}=...]`);
    return {
      name: promptName(config.slug, name).slice(1),
      ...(usage.length > 0 && { usage: usage.join(" ") }),
      summary: cutEnd(oneLine(description), MAX_DESCRIPTION),
      async run(argument, { mcp: running, runTurn, signal: stopped }) {
        const signal = AbortSignal.any([stopped, AbortSignal.timeout(config.callMs)]);
        const text = await running?.getPrompt(prompt, argument, signal);
        if (text !== undefined) await runTurn(text);
        return "continue";
      },
    };
  });
}
