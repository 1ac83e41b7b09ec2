/**
 * The MCP servers of a run: the files that name them, what they may use of the machine, and their tools beside ally's
 * own. Loaded only where there is such a file.
 */
import { join } from "node:path";
import type { CurrentConversation } from "../agent/current_conversation.ts";
import type { EventBody } from "../core/event.ts";
import type { ProjectFile } from "../core/project.ts";
import { describeSetAside } from "../lib/set_aside.ts";
import { pathOutside } from "../lib/find_program.ts";
import { standAlone } from "../lib/process.ts";
import { quoteWord } from "../lib/text.ts";
import type { ServerContext } from "../mcp/context.ts";
import { FORWARDING_TOOL } from "../mcp/late_tools.ts";
import { parseServerConfigs, type ServerConfig } from "../mcp/server_config.ts";
import { Servers } from "../mcp/servers.ts";
import { ToolSearch } from "../mcp/tool_search.ts";
import { matchAllow, matchDeny, type Rules } from "../permission/rules.ts";
import { targetsDeniedByName } from "../permission/sandbox_policy.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Registry } from "../tools/registry.ts";
import { childEnvironment, searchPath } from "../workspace/shell_environment.ts";
import type { Bootstrap } from "./bootstrap.ts";
import type { Conversations } from "./conversations.ts";
import type { Enforcement } from "./enforcement.ts";
import type { RevocableKind } from "./process_permissions.ts";
import { VERSION } from "./version.ts";

/** Seconds that a server has for its start at least. */
const START_SECONDS = 60;
/** Share of the window that the definitions of all servers' tools may take. */
const MAX_WINDOW_SHARE = 0.1;

/** What servers may use of the machine, and what limits them. */
interface ServerLimits {
  readonly paths: { readonly mcpCache: string };
  readonly cwd: string;
  readonly workspace: { readonly roots: readonly string[] };
  /** ally's environment, as far as this run may see it. */
  readonly commandEnv: Readonly<Record<string, string>>;
  readonly isVariableVisible: (name: string) => boolean | undefined;
  readonly rules: readonly Rules[];
  /** Kinds that the process gives up. */
  readonly denied: ReadonlySet<RevocableKind>;
  readonly sandbox: Sandbox;
  /** Seconds that are waited for a server's start. @default 60 */
  readonly timeout?: number | undefined;
  readonly emit: (body: EventBody) => void;
}

/** The files of a run that name servers. */
interface ServerFiles {
  /** The text of the user's. */
  readonly own: string | undefined;
  /** The project's, as far as it is trusted. */
  readonly project: ProjectFile | undefined;
  /** The text of what the frontend brings. */
  readonly frontends: string | undefined;
}

interface McpParts {
  readonly files: ServerFiles;
  readonly enforcement: Enforcement;
  readonly registry: Registry;
  readonly conversations: Conversations;
  readonly current: CurrentConversation;
}

/** Gets the servers of a run ready, without starting one that is known; undefined if the files name none. */
export async function openMcp(
  bootstrap: Bootstrap,
  { files: { own, ...others }, enforcement, registry, conversations, current }: McpParts,
): Promise<Servers | undefined> {
  const { frontend, events: { emit, warn }, settings, storage: { paths }, cwd } = bootstrap;
  const { configs, problems } = await parseServerFiles(own, { ...others, file: paths.mcp, cwd });
  problems.forEach(warn);
  if (configs.length === 0) return undefined;
  const toolSearch = new ToolSearch();
  const budget = current.budget.size * MAX_WINDOW_SHARE;
  const sync = () => {
    const tools = toolSearch.selectTools(servers.toolEntries(registry.namesExcept(SOURCE)), {
      budget,
      size: (definitions) => conversations.countToolTokens(definitions),
      // What is found while the list is fixed is called without being in it.
      onFound: () => registry.isFixed || sync(),
    });
    const listed = [FORWARDING_TOOL, ...tools.listed];
    if (registry.replace(SOURCE, { ...tools, listed })) conversations.onToolsChanged();
  };
  const { permissions } = enforcement;
  const rules = [permissions.rules, ...permissions.configured];
  const { mcp_timeout: timeout } = settings.values;
  const limits = { ...bootstrap, ...enforcement, paths, rules, timeout, emit };
  const context = createServerContext(limits, sync);
  const servers = new Servers(configs, {
    context,
    problems,
    approve: frontend.approveServer,
    // A person goes on meanwhile.
    waitMs: frontend.waitsForServers ?? !frontend.interactive ? timeout * 1000 : 0,
  });
  servers.load();
  sync();
  servers.startInBackground();
  return servers;
}

const SOURCE = "mcp";

/**
 * The servers that the frontend brings, those of the user's file and those of the project's; of several with one name,
 * the first counts.
 */
export async function parseServerFiles(
  own: string | undefined,
  { project, file, cwd, frontends }: {
    project: ProjectFile | undefined;
    /** Path of the user's file. */
    file: string;
    cwd: string;
    /** What the frontend brings. @default nothing */
    frontends?: string | undefined;
  },
): Promise<{ readonly configs: readonly ServerConfig[]; readonly problems: readonly string[] }> {
  const files = [
    ...frontends === undefined
      ? []
      : [{ text: frontends, file: "the client's servers", source: "client" as const }],
    ...own === undefined ? [] : [{ text: own, file, source: "user" as const }],
    ...project === undefined
      ? []
      : [{ text: project.text, file: join(cwd, project.path), source: "project" as const }],
  ];
  const parsed = await Promise.all(
    files.map(({ text, ...from }) => parseServerConfigs(text, from)),
  );
  const configs = new Map<string, ServerConfig>();
  for (const config of parsed.flatMap((one) => one.configs)) {
    configs.set(config.slug, configs.get(config.slug) ?? config);
  }
  return { configs: [...configs.values()], problems: parsed.flatMap((one) => one.problems) };
}

/** The context of servers; `onChange` is called when their tools may have changed. */
export function createServerContext(
  limits: ServerLimits,
  onChange: () => void,
): ServerContext {
  const { paths, cwd, commandEnv, isVariableVisible, rules, sandbox, timeout = 0, emit } = limits;
  const { roots } = limits.workspace;
  const search = { path: searchPath(commandEnv), roots, home: commandEnv.HOME ?? "" };
  let outside: string | undefined;
  const tell = (setAside: readonly string[]) => {
    if (setAside.length === 0) return;
    emit({
      type: "notice",
      level: "warning",
      text: describeSetAside("an MCP server", setAside),
    });
  };
  return {
    cwd,
    env: commandEnv,
    childEnv: childEnvironment(commandEnv, isVariableVisible),
    // It looks at each directory of PATH, so only where a server starts.
    get pathOutside() {
      return outside ??= pathOutside(search);
    },
    startMs: Math.max(START_SECONDS, timeout) * 1000,
    version: VERSION,
    cacheDirectory: paths.mcpCache,
    blockReason: (config) => findRefusal(config, limits),
    async confine(argv, { cwd, network }) {
      const needs = network ? ["network"] as const : [];
      const policy = {
        write: true,
        needs,
        sandboxRequired: true,
        hidden: targetsDeniedByName("read", rules),
        unwritable: targetsDeniedByName("write", rules),
      };
      const confined = await sandbox.confine(argv, { policy, cwd });
      if (!confined) throw new Error("its entry wants a sandbox, and there is none here");
      const done = async () => tell((await confined.finish()).setAside);
      return { argv: standAlone(confined), done };
    },
    async review() {
      const setAside = await sandbox.review();
      tell(setAside);
      return setAside;
    },
    onChange,
    notice: (level, text) => emit({ type: "notice", level, text }),
  };
}

/** Why flags or configuration forbid a server as a whole; undefined if they do not. */
function findRefusal(
  { slug, transport }: ServerConfig,
  { rules, denied }: ServerLimits,
): string | undefined {
  if (denied.has("net")) return "--deny-net forbids it";
  if (transport.kind === "stdio" && denied.has("run")) return "this run may not start programs";
  const target = transport.kind === "stdio"
    ? {
      kind: "run",
      target: [transport.command, ...transport.args].map(quoteWord).join(" "),
    } as const
    : { kind: "net", target: URL.parse(transport.url)?.host ?? transport.url } as const;
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
