/**
 * MCP servers in a run: which files name them, what they get of the machine, and their tools among ally's own. A run
 * that names none pays for the look at one file. Called by the composition root.
 */
import { join } from "node:path";
import type { EventBody } from "../core/event.ts";
import type { ProjectFile } from "../core/project.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { quoteWord } from "../lib/text.ts";
import type { ServerContext } from "../mcp/context.ts";
import type { ServerConfig } from "../mcp/server_config.ts";
import type { Approve, Servers } from "../mcp/servers.ts";
import { matchAllow, matchDeny, type Rules } from "../permission/rules.ts";
import { targetsDeniedByName } from "../permission/sandbox_policy.ts";
import type { Registry } from "../tools/registry.ts";
import type { Sandbox } from "../workspace/sandbox/sandbox.ts";
import { childEnvironment } from "../workspace/shell_environment.ts";
import type { RevocableKind } from "./process_permissions.ts";
import { VERSION } from "./version.ts";

/** Share of the window that the definitions of all servers' tools may take. */
const MAX_WINDOW_SHARE = 0.1;

export interface McpOptions {
  /** The user's `mcp.json`, and the folder of what is known of servers. */
  readonly paths: { readonly mcp: string; readonly mcpCache: string };
  /** The project's file, if it is trusted. */
  readonly project: ProjectFile | undefined;
  readonly cwd: string;
  /** ally's environment, as far as this run may see it. */
  readonly commandEnv: Readonly<Record<string, string>>;
  readonly isVariableVisible: (name: string) => boolean | undefined;
  readonly rules: readonly Rules[];
  /** Kinds that the process gives up. */
  readonly denied: ReadonlySet<RevocableKind>;
  readonly sandbox: Sandbox;
  readonly registry: Registry;
  /** Tokens of the model's window. */
  readonly contextSize: number;
  readonly countTokens: (definitions: readonly ToolDefinition[]) => number;
  /** What the model is told of tools has changed. */
  readonly onToolsChanged: () => void;
  readonly emit: (fact: EventBody) => void;
  /** Asks a person about a server that changed; absent where nobody can answer. */
  readonly approve: Approve | undefined;
}

/** Gets the servers of a run ready, without starting one that is known; undefined if there is none. */
export async function openMcp(options: McpOptions): Promise<Servers | undefined> {
  const { paths, project, cwd, registry, emit } = options;
  const own = await readText(paths.mcp);
  if (own === undefined && project === undefined) return undefined;
  const { parseServerConfigs } = await import("../mcp/server_config.ts");
  const theirs = project && { file: join(cwd, project.path), source: "project" as const };
  const ours = own === undefined
    ? NO_CONFIGS
    : await parseServerConfigs(own, { file: paths.mcp, source: "user" });
  const more = theirs ? await parseServerConfigs(project?.text ?? "", theirs) : NO_CONFIGS;
  const problems = [...ours.problems, ...more.problems];
  for (const text of problems) emit({ type: "notice", level: "warning", text });
  // The user's own word on a name counts.
  const known = new Set(ours.configs.map(({ slug }) => slug));
  const entries = [...ours.configs, ...more.configs.filter(({ slug }) => !known.has(slug))];
  if (entries.length === 0) return undefined;
  const { Servers } = await import("../mcp/servers.ts");
  const { ToolSearch } = await import("../mcp/tool_search.ts");
  const shelf = new ToolSearch();
  const sync = () => {
    const tools = shelf.selectTools(servers.toolEntries(registry.namesExcept(SOURCE)), {
      most: options.contextSize * MAX_WINDOW_SHARE,
      size: options.countTokens,
      onFound: sync,
    });
    if (registry.replace(SOURCE, tools)) options.onToolsChanged();
  };
  const context = createServerContext(options, sync);
  const servers = new Servers(entries, { around: context, problems, approve: options.approve });
  await servers.load();
  sync();
  servers.startInBackground();
  return servers;
}

const SOURCE = "mcp";
const NO_CONFIGS = { configs: [], problems: [] } as const;

/** What servers get of a run; `onChange` is told when their tools may be others. */
export function createServerContext(
  options: Pick<
    McpOptions,
    "paths" | "cwd" | "commandEnv" | "isVariableVisible" | "rules" | "denied" | "sandbox" | "emit"
  >,
  onChange: () => void,
): ServerContext {
  const { paths, cwd, commandEnv, isVariableVisible, rules, sandbox, emit } = options;
  return {
    cwd,
    env: commandEnv,
    childEnv: childEnvironment(commandEnv, isVariableVisible),
    version: VERSION,
    cacheDirectory: paths.mcpCache,
    blockReason: (config) => findRefusal(config, options),
    async confine(argv, { cwd, network }) {
      const needs = network ? ["network"] as const : [];
      const [hidden, unwritable] = [
        targetsDeniedByName("read", rules),
        targetsDeniedByName("write", rules),
      ];
      const confinement = {
        write: true,
        needs,
        sandboxRequired: true,
        hidden,
        unwritable: unwritable,
      };
      const held = await sandbox.confine(argv, { confinement, cwd });
      if (!held) throw new Error("its entry wants a sandbox, and there is none here");
      return { argv: held.argv, env: held.env, done: () => void held.finish() };
    },
    onChange,
    notice: (level, text) => emit({ type: "notice", level, text }),
  };
}

/** What flags and configuration forbid of a server as a whole. */
function findRefusal(
  { slug, transport }: ServerConfig,
  { rules, denied: given }: Pick<McpOptions, "rules" | "denied">,
): string | undefined {
  if (given.has("net")) return "--deny-net forbids it";
  if (transport.kind === "stdio" && given.has("run")) return "this run may not start programs";
  const target = transport.kind === "stdio"
    ? {
      kind: "run",
      target: [transport.command, ...transport.args].map(quoteWord).join(" "),
    } as const
    : { kind: "net", target: hostOf(transport.url) } as const;
  const named = rules.some((one) => matchAllow(one, { kind: "net", target: `mcp:${slug}` })?.named);
  if (transport.kind === "stdio" && !named && rules.some(({ deny }) => deny.write === true)) {
    return `--deny-write forbids it, unless --allow-net=mcp:${slug} names it: it may change files`;
  }
  for (const one of rules) {
    const match = matchDeny(one, target) ?? matchDeny(one, { kind: "net", target: `mcp:${slug}` });
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
