/**
 * MCP servers in a run: which files name them, what they get of the machine, and their tools among ally's own. A run
 * that names none pays for the look at one file. Called by the composition root.
 */
import { join } from "node:path";
import type { Fact } from "../core/event.ts";
import type { ProjectFile } from "../core/project.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { quoteWord } from "../lib/text.ts";
import type { Surroundings } from "../mcp/context.ts";
import type { ServerEntry } from "../mcp/server_config.ts";
import type { Approve, Servers } from "../mcp/servers.ts";
import { deniedByName } from "../permission/confinement.ts";
import { allowed, denied, type Rules } from "../permission/rules.ts";
import type { Registry } from "../tools/registry.ts";
import type { Sandbox } from "../workspace/sandbox/sandbox.ts";
import { childEnvironment } from "../workspace/shell_environment.ts";
import type { SheddableKind } from "./process_permissions.ts";
import { VERSION } from "./version.ts";

/** Share of the window that the definitions of all servers' tools may take. */
const SHARE = 0.1;

export interface McpOptions {
  /** The user's `mcp.json`, and the folder of what is known of servers. */
  readonly places: { readonly mcp: string; readonly mcpMemory: string };
  /** The project's file, if it is trusted. */
  readonly project: ProjectFile | undefined;
  readonly cwd: string;
  /** ally's environment, as far as this run may see it. */
  readonly variables: Readonly<Record<string, string>>;
  readonly shows: (name: string) => boolean | undefined;
  readonly rules: readonly Rules[];
  /** Kinds that the process gives up. */
  readonly denied: ReadonlySet<SheddableKind>;
  readonly sandbox: Sandbox;
  readonly registry: Registry;
  /** Tokens of the model's window. */
  readonly contextSize: number;
  readonly size: (definitions: readonly ToolDefinition[]) => number;
  /** What the model is told of tools has changed. */
  readonly onTools: () => void;
  readonly emit: (fact: Fact) => void;
  /** Asks a person about a server that changed; absent where nobody can answer. */
  readonly approve: Approve | undefined;
}

/** Gets the servers of a run ready, without starting one that is known; undefined if there is none. */
export async function openMcp(options: McpOptions): Promise<Servers | undefined> {
  const { places, project, cwd, registry, emit } = options;
  const own = await readText(places.mcp);
  if (own === undefined && project === undefined) return undefined;
  const { readEntries } = await import("../mcp/server_config.ts");
  const theirs = project && { file: join(cwd, project.path), source: "project" as const };
  const ours = own === undefined
    ? NONE
    : await readEntries(own, { file: places.mcp, source: "user" });
  const more = theirs ? await readEntries(project?.text ?? "", theirs) : NONE;
  const problems = [...ours.problems, ...more.problems];
  for (const text of problems) emit({ type: "notice", level: "warning", text });
  // The user's own word on a name counts.
  const known = new Set(ours.entries.map(({ slug }) => slug));
  const entries = [...ours.entries, ...more.entries.filter(({ slug }) => !known.has(slug))];
  if (entries.length === 0) return undefined;
  const { Servers } = await import("../mcp/servers.ts");
  const { Shelf } = await import("../mcp/tool_search.ts");
  const shelf = new Shelf();
  const sync = () => {
    const tools = shelf.shelve(servers.entries(registry.namesBeside(SOURCE)), {
      most: options.contextSize * SHARE,
      size: options.size,
      onFound: sync,
    });
    if (registry.replace(SOURCE, tools)) options.onTools();
  };
  const around = surroundingsOf(options, sync);
  const servers = new Servers(entries, { around, problems, approve: options.approve });
  await servers.load();
  sync();
  servers.begin();
  return servers;
}

const SOURCE = "mcp";
const NONE = { entries: [], problems: [] } as const;

/** What servers get of a run; `onChange` is told when their tools may be others. */
export function surroundingsOf(
  options: Pick<
    McpOptions,
    "places" | "cwd" | "variables" | "shows" | "rules" | "denied" | "sandbox" | "emit"
  >,
  onChange: () => void,
): Surroundings {
  const { places, cwd, variables, shows, rules, sandbox, emit } = options;
  return {
    cwd,
    variables,
    childVariables: childEnvironment(variables, shows),
    version: VERSION,
    memoryDirectory: places.mcpMemory,
    refuses: (entry) => refusal(entry, options),
    async confine(argv, { cwd, network }) {
      const needs = network ? ["network"] as const : [];
      const [hidden, kept] = [deniedByName("read", rules), deniedByName("write", rules)];
      const confinement = { write: true, needs, relied: true, hidden, kept };
      const held = await sandbox.confine(argv, { confinement, cwd });
      if (!held) throw new Error("its entry wants a sandbox, and there is none here");
      return { argv: held.argv, env: held.env, done: () => void held.done() };
    },
    onChange,
    notice: (level, text) => emit({ type: "notice", level, text }),
  };
}

/** What flags and configuration forbid of a server as a whole. */
function refusal(
  { slug, how }: ServerEntry,
  { rules, denied: given }: Pick<McpOptions, "rules" | "denied">,
): string | undefined {
  if (given.has("net")) return "--deny-net forbids it";
  if (how.kind === "stdio" && given.has("run")) return "this run may not start programs";
  const target = how.kind === "stdio"
    ? { kind: "run", target: [how.command, ...how.args].map(quoteWord).join(" ") } as const
    : { kind: "net", target: hostOf(how.url) } as const;
  const named = rules.some((one) => allowed(one, { kind: "net", target: `mcp:${slug}` })?.named);
  if (how.kind === "stdio" && !named && rules.some(({ deny }) => deny.write === true)) {
    return `--deny-write forbids it, unless --allow-net=mcp:${slug} names it: it may change files`;
  }
  for (const one of rules) {
    const match = denied(one, target) ?? denied(one, { kind: "net", target: `mcp:${slug}` });
    if (match) return `${match.rule} forbids it`;
  }
  return undefined;
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch {
    return undefined;
  }
}
