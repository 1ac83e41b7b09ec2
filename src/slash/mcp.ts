/**
 * `/mcp`: the servers of this session, what waits for approval, their restart and their switch; and the prompts that
 * servers offer, each a command of its own.
 */
import { unifiedDiff } from "../lib/diff.ts";
import { cutEnd, plural, stripControls } from "../lib/text.ts";
import { editServer } from "../mcp/config_file.ts";
import type { Difference, Server } from "../mcp/server.ts";
import { placeOf } from "../mcp/server_config.ts";
import type { Servers } from "../mcp/servers.ts";
import type { CommandContext, SlashCommand } from "./command.ts";

const USAGE =
  "Use /mcp, /mcp NAME, or /mcp approve, restart, enable or disable with a server's name.";
const VERBS = ["approve", "restart", "enable", "disable"] as const;
/** Characters of a tool's description in a list. */
const MOST_DESCRIPTION = 80;
/** Lines of its log that a look at a server shows. */
const LOG_LINES = 10;

/** `/mcp [NAME | approve|restart|enable|disable NAME]` */
export const mcp: SlashCommand = {
  name: "mcp",
  repeatable: false,
  usage: "[NAME | approve|restart|enable|disable NAME]",
  summary: "show the MCP servers and their tools, approve what changed",
  complete({ mcp: servers }) {
    const names = servers?.list.map(({ entry }) => entry.slug) ?? [];
    const all = [...names, ...VERBS.flatMap((verb) => names.map((name) => `${verb} ${name}`))];
    return Promise.resolve(all);
  },
  async run(argument, context) {
    const { mcp: servers, say } = context;
    const [first, second, ...rest] = argument.split(/\s+/).filter((word) => word !== "");
    if (servers === undefined || servers.list.length === 0) {
      say("No MCP servers. Add one in a shell: `ally mcp add NAME -- COMMAND ARGS`");
    } else if (first === undefined) {
      say(overview(servers));
    } else if (second === undefined && !isVerb(first)) {
      say(detail(found(servers, first)));
    } else if (isVerb(first) && second !== undefined && rest.length === 0) {
      say(await act(first, { server: found(servers, second), context }));
    } else throw new Error(USAGE);
    return "continue";
  },
};

type Verb = (typeof VERBS)[number];

function isVerb(word: string): word is Verb {
  return VERBS.some((verb) => verb === word);
}

function found(servers: Servers, name: string): Server {
  const server = servers.find(name);
  if (server) return server;
  const names = servers.list.map(({ entry }) => entry.slug).join(", ");
  throw new Error(`There is no MCP server '${name}'. There are: ${names}.`);
}

async function act(
  verb: Verb,
  { server, context }: { server: Server; context: CommandContext },
): Promise<string> {
  const { entry } = server;
  switch (verb) {
    case "approve":
      return await approve(server, context);
    case "restart":
      await server.stop();
      await begin(server, context);
      return headline(server);
    case "enable":
    case "disable": {
      const on = verb === "enable";
      await server.enable(on);
      if (entry.source === "project") return `${headline(server)} (in this session)`;
      const value = on ? undefined : true;
      await editServer(entry.file, { name: entry.name, key: "disabled", value });
      return headline(server);
    }
  }
}

/** What an approval shows and asks with. */
export type ApprovalView = Pick<CommandContext, "show" | "confirm" | "say" | "stopped">;

/** Starts it, unless the person or the server takes too long. */
function begin(server: Server, { stopped }: Pick<CommandContext, "stopped">): Promise<void> {
  return server.start(AbortSignal.any([stopped, AbortSignal.timeout(server.entry.callMs)]));
}

/** Shows what of a server changed and asks whether to use it so; what came of it, for people. */
export async function approve(
  server: Server,
  view: ApprovalView,
): Promise<string> {
  const { show, confirm, say } = view;
  const { changedFrom, differences, entry } = server;
  if (changedFrom !== undefined) {
    say(`It was ${code(changedFrom)}\n\nIt is ${code(placeOf(entry))}`);
    if (!await confirm(`Use the server ${entry.slug} as it is now?`)) return "It stays off.";
    await server.approve();
    await begin(server, view);
    return headline(server);
  }
  if (differences.length === 0) return `Nothing of ${entry.slug} waits for approval.`;
  show(await Promise.all(differences.map(previewOf)));
  const what = plural(differences.length, "tool");
  if (!await confirm(`Use ${what} of ${entry.slug} as shown?`)) {
    return differences.length === 1 ? "It stays off." : "They stay off.";
  }
  await server.approve();
  return headline(server);
}

async function previewOf({ tool, before }: Difference) {
  const text = (one: object) => `${JSON.stringify(one, null, 2)}\n`;
  if (before === undefined) {
    return { kind: "new_file", path: tool.name, content: text(tool) } as const;
  }
  const diff = await unifiedDiff(text(before), text(tool), { path: tool.name });
  return { kind: "diff", path: tool.name, diff } as const;
}

function overview(servers: Servers): string {
  return [
    ...servers.list.map((server) => `- ${headline(server)}`),
    ...servers.problems.map((problem) => `- ${code(problem)}`),
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

function headline(server: Server): string {
  const { entry: { slug }, state, error, tools, prompts, differences, isKnown } = server;
  const parts = [
    `${STATES[state]}${error === undefined ? "" : ` (${stripControls(error)})`}`,
    isKnown ? plural(tools.length, "tool") : "tools not known yet",
    ...(prompts.length > 0 ? [plural(prompts.length, "prompt")] : []),
    ...(differences.length > 0 ? [`${differences.length} to approve: /mcp approve ${slug}`] : []),
  ];
  return `**${slug}** ${parts.join(", ")}`;
}

function detail(server: Server): string {
  const { entry, tools, differences, prompts, lines } = server;
  const shown = (name: string, description: string) => {
    const [first = ""] = stripControls(description).split("\n");
    return `- ${code(name)} ${cutEnd(first, MOST_DESCRIPTION)}`;
  };
  return [
    headline(server),
    "",
    code(placeOf(entry)),
    "",
    ...tools.map(({ name, description }) => shown(name, description)),
    ...differences.map(({ tool, before }) =>
      `- ${code(tool.name)} off: ${before ? "changed" : "new"}`
    ),
    ...prompts.map((one) => shown(promptName(entry.slug, one.name), one.description)),
    ...(lines.length > 0 ? ["", "It wrote last:", ""] : []),
    ...lines.slice(-LOG_LINES).map((line) => `    ${line}`),
  ].join("\n");
}

function code(text: string): string {
  return `\`${stripControls(text).replace(/[`\s]+/g, " ")}\``;
}

/** How a prompt is called. */
function promptName(slug: string, name: string): string {
  return `/${slug}:${name.replace(/[^\w.-]+/g, "_")}`.toLowerCase();
}

/** What a line `/server:prompt words` has a server say; undefined if it names no prompt. @throws as `Servers.prompt` */
export async function promptOf(servers: Servers, line: string): Promise<string | undefined> {
  const [, called = "", argument = ""] = /^(\/\S+)\s*([^]*)$/.exec(line) ?? [];
  const prompt = servers.prompts.find(({ server, name }) =>
    promptName(server.entry.slug, name) === called.toLowerCase()
  );
  if (prompt === undefined) return undefined;
  const { callMs } = prompt.server.entry;
  return await servers.prompt(prompt, argument, AbortSignal.timeout(callMs));
}

/** The prompts that servers offer, as commands `/server:prompt`. */
export function promptCommands(servers: Servers | undefined): readonly SlashCommand[] {
  return (servers?.prompts ?? []).map((prompt): SlashCommand => {
    const { server: { entry }, name, description, arguments: known } = prompt;
    const usage = known.map((one) => one.required ? `${one.name}=...` : `[${one.name}=...]`);
    return {
      name: promptName(entry.slug, name).slice(1),
      ...(usage.length > 0 && { usage: usage.join(" ") }),
      summary: cutEnd(stripControls(description).replace(/\s+/g, " "), MOST_DESCRIPTION),
      async run(argument, { agent, mcp: running, stopped }) {
        const signal = AbortSignal.any([stopped, AbortSignal.timeout(entry.callMs)]);
        const text = await running?.prompt(prompt, argument, signal);
        if (text !== undefined) await agent.run(text);
        return "continue";
      },
    };
  });
}
