/**
 * Completion of a typed line: slash commands and their arguments, agents after an `@` that begins the line, and
 * paths after `@`, after `!` and in the arguments of commands.
 */
import { dirname } from "node:path";
import { escapeMention, unescapeMention } from "../../app/mentions.ts";
import type { Files } from "../../core/files.ts";
import type { CommandContext, SlashCommand } from "../../slash/command.ts";

const MAX_CANDIDATES = 50;

/** Where candidates come from. */
interface CompletionSources {
  readonly commands: readonly SlashCommand[];
  readonly context: CommandContext;
  readonly files: Files;
}

/** The candidates for the end of what stands before the cursor, and that end. */
export async function completeLine(
  before: string,
  sources: CompletionSources,
): Promise<readonly [candidates: string[], end: string]> {
  const name = /^\/([\w:.-]*)$/.exec(before);
  if (name) {
    const names = sources.commands.map((command) => `/${command.name} `);
    return [names.filter((one) => one.startsWith(before)), before];
  }
  const argument = /^\/([\w:.-]+)\s+(.*)$/.exec(before);
  const command = sources.commands.find((one) => one.name === argument?.[1]);
  if (command?.complete) {
    const end = argument?.[2] ?? "";
    const known = await command.complete(sources.context);
    return [known.filter((one) => one.startsWith(end)), end];
  }
  const agent = /^@([\w-]*)$/.exec(before);
  const agents = agent === null
    ? []
    : sources.context.agents.profiles.all.map(({ name }) => `${name} `)
      .filter((name) => name.startsWith(agent[1] ?? ""));
  const path = /(?:^|[\s([{"'`])@((?:\\[^\n]|[^\s\\])*)$/.exec(before) ??
    (/^[!/]/.test(before) ? /((?:\\[^\n]|[^\s\\])*)$/.exec(before) : null);
  const end = path?.[1];
  if (end === undefined) return [[], ""];
  const paths = await completePaths(unescapeMention(end), sources.files);
  const resources = await completeResources(end, { before, sources });
  return [[...agents, ...resources, ...paths.map(escapeMention)], end];
}

/** Servers and their resources, after an `@`. */
async function completeResources(
  text: string,
  { before, sources: { context: { mcp } } }: { before: string; sources: CompletionSources },
): Promise<string[]> {
  if (mcp === undefined || !before.endsWith(`@${text}`)) return [];
  const { listResourceNames, namedServers } = await import("../../mcp/resource_names.ts");
  const server = namedServers(mcp).find(({ config }) => text.startsWith(`${config.slug}:`));
  const names = server === undefined
    ? namedServers(mcp).map(({ config }) => `${config.slug}:`)
    : await listResourceNames(server);
  return names.filter((name) => name.startsWith(text));
}

/** Paths in the workspace that begin with a text; directories end in a slash. */
async function completePaths(text: string, files: Files): Promise<string[]> {
  const directory = text.endsWith("/") ? text : dirname(text);
  try {
    const path = await files.resolve(directory);
    if (!path.inside) return [];
    const stem = text.slice(text.lastIndexOf("/") + 1);
    const base = text.slice(0, text.length - stem.length);
    const entries = await files.list(path);
    return entries
      .filter((entry) =>
        entry.name.startsWith(stem) && (stem !== "" || !entry.name.startsWith("."))
      )
      .map((entry) => base + entry.name + (entry.kind === "directory" ? "/" : ""))
      .sort()
      .slice(0, MAX_CANDIDATES);
  } catch {
    return [];
  }
}
