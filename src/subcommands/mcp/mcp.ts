/**
 * `ally mcp`: adds servers to `mcp.json`, removes, lists and tests them, and approves changes. Only `test` starts a
 * server, and a project's servers only once the project is trusted.
 */
import type { Environment } from "../../app/environment.ts";
import { join } from "node:path";
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import { createServerContext, parseServerFiles } from "../../app/mcp_run.ts";
import type { Options } from "../../app/options.ts";
import { createSandbox } from "../../app/sandbox.ts";
import { watchSignals } from "../../app/signals.ts";
import { openStandardStreams, wrapForTerminal } from "../../app/standard_streams.ts";
import { UsageError } from "../../core/errors.ts";
import {
  cutEnd,
  formatDuration,
  messageOf,
  plural,
  quoteWord,
  stripControls,
} from "../../lib/text.ts";
import { editServer, readConfigFile } from "../../mcp/config_file.ts";
import { displayName } from "../../mcp/names.ts";
import type { Server } from "../../mcp/server.ts";
import {
  parseServerConfig,
  parseServerConfigs,
  type ServerConfig,
  slugOf,
  targetOf,
} from "../../mcp/server_config.ts";
import { Servers } from "../../mcp/servers.ts";
import { type AllyPaths, allyPaths, ownFolders } from "../../store/paths.ts";
import { findProjectFiles } from "../../store/project.ts";
import { TrustStore } from "../../store/trust.ts";
import { requireOwnFiles } from "../../store/private_files.ts";
import type { McpAddition, McpRequest } from "./command.ts";

/** The options of the command line that matter for servers. */
type McpCommandOptions = Pick<Options, "cwd" | "rules" | "trustProject" | "settings">;

/** Characters shown of a tool's description. */
const MAX_DESCRIPTION = 100;

/** Runs `ally mcp` and returns the exit code. @throws {UsageError} why it cannot */
export async function runMcp(
  { request, options }: { request: McpRequest; options: McpCommandOptions },
  io: Io,
): Promise<number> {
  const { out, err } = openStandardStreams(io);
  const cwd = await Deno.realPath(options.cwd);
  const { env, proofs } = io;
  const paths = allyPaths(cwd, env);
  requireOwnFiles(paths);
  if (request.what === "add") {
    const sandbox = options.settings.sandbox === "required";
    out(await addServer(request, { cwd, paths, sandbox }));
    return EXIT.done;
  }
  const files = await readServerFiles({ cwd, env, paths, trustAll: options.trustProject });
  if (request.what === "remove") {
    out(await removeServer(request.name, { files, paths }));
    return EXIT.done;
  }
  const commandEnv = env.toObject();
  const context = createServerContext({
    paths,
    cwd,
    workspace: { roots: [cwd] },
    commandEnv,
    isVariableVisible: () => undefined,
    rules: [options.rules],
    denied: new Set(),
    sandbox: createSandbox({ mode: "auto", roots: () => [cwd], paths, env: commandEnv, proofs }),
    timeout: options.settings.mcp_timeout,
    emit: (event) => event.type === "notice" && err(`${event.level}: ${event.text}`),
  }, () => {});
  const servers = new Servers(files.configs, { context, problems: files.problems });
  for (const server of servers.list) server.load();
  switch (request.what) {
    case "list":
      return await listServers(request, { servers, files, out, err, io });
    case "test":
      return await testServer(requireServer(request.name, { servers, files }), {
        ...request,
        out,
        err,
        io,
      });
    case "approve":
      out(await approveServer(requireServer(request.name, { servers, files })));
      return EXIT.done;
    case "login":
    case "logout": {
      const { logInAt, logOutAt } = await import("./login.ts");
      const { config } = requireServer(request.name, { servers, files });
      const how = { directory: paths.mcpCache, variables: commandEnv };
      if (request.what === "login") return await logInAt(config, { ...how, out, err, io });
      out(await logOutAt(config, how));
      return EXIT.done;
    }
  }
}

interface ServerFiles {
  readonly configs: readonly ServerConfig[];
  readonly problems: readonly string[];
  /** Whether the project's file is trusted. */
  readonly trusted: boolean;
}

async function readServerFiles(
  { cwd, env, paths, trustAll }: {
    cwd: string;
    env: Environment;
    paths: AllyPaths;
    trustAll: boolean;
  },
): Promise<ServerFiles> {
  const own = await readConfigFile(paths.mcp);
  const { files: { mcp } } = await findProjectFiles(cwd, { ownFolders: ownFolders(paths, env) });
  const parsed = await parseServerFiles(own, { project: mcp, file: paths.mcp, cwd });
  const decided = await new TrustStore({ path: paths.trust }).read(cwd).catch(() => new Map());
  const decision = mcp && decided.get(mcp.path);
  return {
    ...parsed,
    trusted: trustAll || (decision?.trusted === true && decision.hash === mcp?.hash),
  };
}

async function addServer(
  addition: McpAddition,
  { cwd, paths, sandbox }: { cwd: string; paths: AllyPaths; sandbox: boolean },
): Promise<string> {
  const { name, words, env, headers, timeout, project, force } = addition;
  const path = project ? join(cwd, ".ally", "mcp.json") : paths.mcp;
  const [first = "", ...args] = words;
  if (words.length === 0) {
    throw new UsageError(
      `Name the server's command or URL: ally mcp add ${quoteWord(name)} -- COMMAND ARGS, or ` +
        `ally mcp add ${quoteWord(name)} URL.`,
    );
  }
  const isAddress = /^[a-z][a-z\d+.-]*:\/\//i.test(first);
  if (isAddress && args.length > 0) {
    throw new UsageError(`A URL takes no arguments: leave out '${args[0]}'.`);
  }
  const given = (values: object) => Object.keys(values).length > 0;
  const value = {
    ...(isAddress ? { type: "http", url: first } : { command: first, args }),
    ...(given(env) && { env }),
    ...(given(headers) && { headers }),
    ...(timeout !== undefined && { timeout }),
    ...(sandbox && { sandbox }),
  };
  if (isAddress && (given(env) || sandbox)) {
    throw new UsageError("--env and --sandbox are for commands; use --header with a URL.");
  }
  if (!isAddress && given(headers)) {
    throw new UsageError("--header is for URLs; use --env with a command.");
  }
  const entry = parseServerConfig(name, value, {
    file: path,
    source: project ? "project" : "user",
  });
  if (typeof entry === "string") throw new UsageError(`Cannot add the server '${name}': ${entry}`);
  const text = await readConfigFile(path);
  const known = text === undefined
    ? []
    : (await parseServerConfigs(text, { file: path, source: "user" })).configs;
  const same = known.find(({ slug }) => slug === slugOf(name));
  if (same && !force) {
    throw new UsageError(
      `There is a server '${same.name}' in ${path} (${targetOf(same)}). Replace it with --force, ` +
        "or give this one another name.",
    );
  }
  if (same && same.name !== name) await editServer(path, { name: same.name, value: undefined });
  await editServer(path, { name, value });
  if (!project) await forgetApproval(entry, paths);
  const next = project
    ? "It takes effect once the project is trusted."
    : `Try it with: ally mcp test ${entry.slug}`;
  return `Added ${name} (${targetOf(entry)}) to ${path}. ${next}`;
}

/** Forgets what was approved under a name that has a new meaning: adding the server approves it. */
async function forgetApproval(config: ServerConfig, paths: AllyPaths): Promise<void> {
  const { ServerCache } = await import("../../mcp/server_cache.ts");
  await new ServerCache(config, paths.mcpCache).remove();
  const { LoginFile } = await import("../../mcp/login_file.ts");
  await new LoginFile(config, { url: "", directory: paths.mcpCache }).remove();
}

async function removeServer(
  name: string,
  { files: { configs }, paths }: { files: ServerFiles; paths: AllyPaths },
): Promise<string> {
  const config = configs.find((one) => one.name === name || one.slug === name);
  if (!config) throw unknownServerError(name, configs);
  await editServer(config.file, { name: config.name, value: undefined });
  await forgetApproval(config, paths);
  return `Removed ${config.name} from ${config.file}.`;
}

function unknownServerError(name: string, configs: readonly ServerConfig[]): UsageError {
  const names = configs.map((one) => one.name).join(", ");
  return new UsageError(
    names === ""
      ? `There is no server '${name}', nor any other. Add one: ally mcp add ${name} -- COMMAND`
      : `There is no server '${name}'. The servers are: ${names}.`,
  );
}

/** The server of a name. @throws {UsageError} there is none, or its project is not trusted */
function requireServer(
  name: string,
  { servers, files }: { servers: Servers; files: ServerFiles },
): Server {
  const server = servers.find(name);
  if (!server) throw unknownServerError(name, files.configs);
  if (server.config.source === "project" && !files.trusted) {
    throw new UsageError(
      `The server '${name}' belongs to this project, which is not trusted. Look at ${server.config.file}, ` +
        "then start ally here and answer, or add --trust-project before mcp.",
    );
  }
  return server;
}

type WriteLine = (line: string) => void;

async function listServers(
  { json }: { json: boolean },
  { servers, files, out, err, io }: {
    servers: Servers;
    files: ServerFiles;
    out: WriteLine;
    err: WriteLine;
    io: Io;
  },
): Promise<number> {
  const rows = servers.list.map((server) => {
    const { name, slug, source, transport } = server.config;
    const waits = source === "project" && !files.trusted;
    return {
      name,
      slug,
      source,
      kind: transport.kind,
      place: targetOf(server.config),
      state: waits ? "untrusted" : server.state,
      tools: server.hasKnownTools ? server.tools.map((tool) => tool.name) : null,
      waiting: server.unapprovedTools.map(({ tool }) => displayName(tool.name)),
    };
  });
  if (json) {
    out(JSON.stringify({ servers: rows, problems: files.problems }));
    return files.problems.length > 0 ? EXIT.usage : EXIT.done;
  }
  const lines = rows.flatMap(({ name, source, place, state, tools, waiting }) => {
    const count = tools === null ? "tools not known yet" : plural(tools.length, "tool");
    const more = waiting.length > 0 ? `, ${waiting.length} to approve` : "";
    const note = STATE_NOTES[state] ?? "";
    const origin = source === "project" ? ", of the project" : "";
    return [stripControls(`${name}  ${place}`), `  ${count}${more}${note}${origin}`];
  });
  if (rows.length === 0) lines.push("No servers. Add one: ally mcp add NAME -- COMMAND ARGS");
  out(await wrapForTerminal(lines.join("\n"), { io, stream: "stdout" }));
  for (const problem of files.problems) err(`ally: ${problem}`);
  return files.problems.length > 0 ? EXIT.usage : EXIT.done;
}

const STATE_NOTES: Readonly<Record<string, string>> = {
  disabled: ", disabled",
  unapproved: ", off: its entry changed; approve it with ally mcp approve",
  untrusted: ", off: the project is not trusted",
};

async function testServer(
  server: Server,
  { json, out, err, io }: { json: boolean; out: WriteLine; err: WriteLine; io: Io },
): Promise<number> {
  const since = performance.now();
  const { name, slug } = server.config;
  if (!json) err(`Starting ${targetOf(server.config)}`);
  let error: string | undefined;
  const stop = new AbortController();
  using signals = watchSignals(io, { onSignal: () => stop.abort(), onForced: () => server.kill() });
  try {
    await server.start(stop.signal);
  } catch (thrown) {
    error = messageOf(thrown);
  }
  if (signals.exitCode !== undefined) {
    server.kill();
    err("ally: Interrupted: the server was stopped.");
    return signals.exitCode;
  }
  const ms = Math.round(performance.now() - since);
  await server.stop();
  const tools = error === undefined ? server.tools : [];
  const waiting = server.unapprovedTools.map(({ tool }) => displayName(tool.name));
  if (json) {
    const shown = tools.map((tool) => ({ name: tool.name, description: tool.description }));
    const problem = error === undefined ? {} : { error, lines: server.logLines };
    out(
      JSON.stringify({
        name,
        ok: error === undefined,
        duration_ms: ms,
        tools: shown,
        waiting,
        ...problem,
      }),
    );
  } else if (error === undefined) {
    out(`${slug} answers after ${formatDuration(ms)}: ${plural(tools.length, "tool")}`);
    for (const tool of tools) {
      const [first = ""] = stripControls(tool.description).split("\n");
      out(`  ${displayName(tool.name)}  ${cutEnd(first, MAX_DESCRIPTION)}`);
    }
    if (waiting.length > 0) out(`  to approve: ${waiting.join(", ")} (ally mcp approve ${slug})`);
  } else {
    err(`ally: ${error}`);
    // What is noted of a remote server while it starts is the error again.
    const lines = server.config.transport.kind === "stdio" ? server.logLines : [];
    for (const line of lines.filter((one) => !error.includes(one))) err(`  ${line}`);
  }
  return error === undefined ? EXIT.done : EXIT.failed;
}

async function approveServer(server: Server): Promise<string> {
  const { approvedTarget, unapprovedTools, config: { slug } } = server;
  if (approvedTarget === undefined && unapprovedTools.length === 0) {
    return `Nothing of ${slug} waits for approval.`;
  }
  const what = approvedTarget === undefined
    ? unapprovedTools.map(({ tool, approved }) =>
      `${displayName(tool.name)} (${approved ? "changed" : "new"})`
    ).join(
      ", ",
    )
    : `${targetOf(server.config)} (it was ${approvedTarget})`;
  await server.approve();
  return `Approved for ${slug}: ${stripControls(what)}.`;
}
