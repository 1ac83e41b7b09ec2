/**
 * `ally mcp`: adds servers to `mcp.json` and removes them, lists them, tries one out, approves what changed. Nothing is
 * started but by `test`; a project's servers only once the project is trusted.
 */
import { join } from "node:path";
import { readEnvironment } from "../../app/environment.ts";
import { EXIT } from "../../app/exit_codes.ts";
import { surroundingsOf } from "../../app/mcp_run.ts";
import type { Options } from "../../app/options.ts";
import { createSandbox } from "../../app/sandbox.ts";
import { onSignals } from "../../app/signals.ts";
import { standardStreams } from "../../app/standard_streams.ts";
import { UsageError } from "../../core/errors.ts";
import { cutEnd, formatDuration, messageOf, plural, stripControls } from "../../lib/text.ts";
import { editServer, readConfigFile } from "../../mcp/config_file.ts";
import { plainName } from "../../mcp/names.ts";
import type { Server } from "../../mcp/server.ts";
import {
  placeOf,
  readEntries,
  readEntry,
  type ServerEntry,
  slugOf,
} from "../../mcp/server_config.ts";
import { Servers } from "../../mcp/servers.ts";
import { type Locations, locations } from "../../store/paths.ts";
import { findProjectFiles } from "../../store/project.ts";
import { TrustStore } from "../../store/trust.ts";
import type { McpAddition, McpRequest } from "./mcp_command.ts";

/** What of the command line bears on servers. */
export type McpCommandOptions = Pick<Options, "cwd" | "rules" | "trustProject" | "sandbox">;

/** Characters of a tool's description in a list. */
const MOST_DESCRIPTION = 100;

/** Does what `ally mcp` was asked for, and returns the exit code. @throws {UsageError} it cannot */
export async function runMcp(
  { request, options }: { request: McpRequest; options: McpCommandOptions },
): Promise<number> {
  const { out, err } = standardStreams();
  const cwd = await Deno.realPath(options.cwd);
  const env = readEnvironment();
  const places = locations(cwd, env);
  if (request.what === "add") {
    const sandbox = options.sandbox === "required";
    out(await add(request, { cwd, places, sandbox }));
    return EXIT.done;
  }
  const files = await readFiles({ cwd, places, trustAll: options.trustProject });
  if (request.what === "remove") {
    out(await remove(request.name, { files, places }));
    return EXIT.done;
  }
  const variables = env.toObject();
  const around = surroundingsOf({
    places,
    cwd,
    variables,
    shows: () => undefined,
    rules: [options.rules],
    denied: new Set(),
    sandbox: createSandbox({ mode: "auto", roots: () => [cwd], places, env: variables }),
    emit: (fact) => fact.type === "notice" && err(`${fact.level}: ${fact.text}`),
  }, () => {});
  const servers = new Servers(files.entries, { around, problems: files.problems });
  for (const server of servers.list) await server.load();
  switch (request.what) {
    case "list":
      return list(request, { servers, files, out, err });
    case "test":
      return await test(await usable(request.name, { servers, files }), { ...request, out, err });
    case "approve":
      out(await approve(await usable(request.name, { servers, files })));
      return EXIT.done;
    case "login":
    case "logout": {
      const { logInAt, logOutAt } = await import("./mcp_login.ts");
      const { entry } = await usable(request.name, { servers, files });
      const how = { directory: places.mcpMemory, variables };
      if (request.what === "login") return await logInAt(entry, { ...how, out, err });
      out(await logOutAt(entry, how));
      return EXIT.done;
    }
  }
}

interface Files {
  readonly entries: readonly ServerEntry[];
  readonly problems: readonly string[];
  /** Whether the project's file acts. */
  readonly trusted: boolean;
}

async function readFiles(
  { cwd, places, trustAll }: { cwd: string; places: Locations; trustAll: boolean },
): Promise<Files> {
  const own = await readConfigFile(places.mcp);
  const { files: { mcp } } = await findProjectFiles(cwd, { home: places.home });
  const ours = own === undefined
    ? { entries: [], problems: [] }
    : await readEntries(own, { file: places.mcp, source: "user" });
  const theirs = mcp === undefined
    ? { entries: [], problems: [] }
    : await readEntries(mcp.text, { file: join(cwd, mcp.path), source: "project" });
  const decided = await new TrustStore({ path: places.trust }).read(cwd).catch(() => new Map());
  const decision = mcp && decided.get(mcp.path);
  return {
    entries: [
      ...ours.entries,
      ...theirs.entries.filter(({ slug }) => !ours.entries.some((one) => one.slug === slug)),
    ],
    problems: [...ours.problems, ...theirs.problems],
    trusted: trustAll || (decision?.trusted === true && decision.hash === mcp?.hash),
  };
}

async function add(
  addition: McpAddition,
  { cwd, places, sandbox }: { cwd: string; places: Locations; sandbox: boolean },
): Promise<string> {
  const { name, words, env, headers, timeout, project, force } = addition;
  const path = project ? join(cwd, ".ally", "mcp.json") : places.mcp;
  const [first = "", ...args] = words;
  const isAddress = /^https?:\/\//.test(first);
  if (isAddress && args.length > 0) throw new UsageError(`Give one address, without '${args[0]}'.`);
  const given = (values: object) => Object.keys(values).length > 0;
  const value = {
    ...(isAddress ? { type: "http", url: first } : { command: first, args }),
    ...(given(env) && { env }),
    ...(given(headers) && { headers }),
    ...(timeout !== undefined && { timeout }),
    ...(sandbox && { sandbox }),
  };
  if (isAddress && (given(env) || sandbox)) {
    throw new UsageError("--env and --sandbox are for commands; give an address --header.");
  }
  if (!isAddress && given(headers)) {
    throw new UsageError("--header is for addresses; give a command --env.");
  }
  const entry = readEntry(name, value, { file: path, source: project ? "project" : "user" });
  if (typeof entry === "string") throw new UsageError(`Cannot add the server '${name}': ${entry}`);
  const text = await readConfigFile(path);
  const known = text === undefined
    ? []
    : (await readEntries(text, { file: path, source: "user" })).entries;
  const same = known.find(({ slug }) => slug === slugOf(name));
  if (same && !force) {
    throw new UsageError(
      `There is a server '${same.name}' in ${path} (${placeOf(same)}). Replace it with --force, ` +
        "or give this one another name.",
    );
  }
  if (same && same.name !== name) await editServer(path, { name: same.name, value: undefined });
  await editServer(path, { name, value });
  if (!project) await forget(entry, places);
  const next = project
    ? "It acts once the project is trusted."
    : `Try it with: ally mcp test ${entry.slug}`;
  return `Added ${name} (${placeOf(entry)}) to ${path}. ${next}`;
}

/** What was approved under a name that means something else from now on; adding it is the approval. */
async function forget(entry: ServerEntry, places: Locations): Promise<void> {
  const { ServerMemory } = await import("../../mcp/server_cache.ts");
  await new ServerMemory(entry, places.mcpMemory).forget();
  const { LoginFile } = await import("../../mcp/login_file.ts");
  await new LoginFile(entry, { url: "", directory: places.mcpMemory }).forget();
}

async function remove(
  name: string,
  { files: { entries }, places }: { files: Files; places: Locations },
): Promise<string> {
  const entry = entries.find((one) => one.name === name || one.slug === name);
  if (!entry) throw unknown(name, entries);
  await editServer(entry.file, { name: entry.name, value: undefined });
  await forget(entry, places);
  return `Removed ${entry.name} from ${entry.file}.`;
}

function unknown(name: string, entries: readonly ServerEntry[]): UsageError {
  const names = entries.map((one) => one.name).join(", ");
  return new UsageError(
    names === ""
      ? `There is no server '${name}': none is named. Add one: ally mcp add ${name} -- COMMAND`
      : `There is no server '${name}'. There are: ${names}.`,
  );
}

/** The server of a name, unless it waits for trust. */
function usable(
  name: string,
  { servers, files }: { servers: Servers; files: Files },
): Promise<Server> {
  const server = servers.find(name);
  if (!server) throw unknown(name, files.entries);
  if (server.entry.source === "project" && !files.trusted) {
    throw new UsageError(
      `The server '${name}' is the project's, which is not trusted. Look at ${server.entry.file}, ` +
        "then start ally here and answer, or add --trust-project before mcp.",
    );
  }
  return Promise.resolve(server);
}

type Out = (line: string) => void;

function list(
  { json }: { json: boolean },
  { servers, files, out, err }: { servers: Servers; files: Files; out: Out; err: Out },
): number {
  const rows = servers.list.map((server) => {
    const { name, slug, source, how } = server.entry;
    const waits = source === "project" && !files.trusted;
    return {
      name,
      slug,
      source,
      kind: how.kind,
      place: placeOf(server.entry),
      state: waits ? "untrusted" : server.state,
      tools: server.isKnown ? server.tools.map((tool) => tool.name) : null,
      waiting: server.differences.map(({ tool }) => plainName(tool.name)),
    };
  });
  if (json) {
    out(JSON.stringify({ servers: rows, problems: files.problems }));
    return files.problems.length > 0 ? EXIT.usage : EXIT.done;
  }
  for (const { name, source, place, state, tools, waiting } of rows) {
    const count = tools === null ? "tools not known yet" : plural(tools.length, "tool");
    const more = waiting.length > 0 ? `, ${waiting.length} to approve` : "";
    const note = NOTES[state] ?? "";
    out(stripControls(`${name}  ${place}`));
    out(`  ${count}${more}${note}${source === "project" ? ", of the project" : ""}`);
  }
  if (rows.length === 0) out("No servers. Add one: ally mcp add NAME -- COMMAND ARGS");
  for (const problem of files.problems) err(`ally: ${problem}`);
  return files.problems.length > 0 ? EXIT.usage : EXIT.done;
}

const NOTES: Readonly<Record<string, string>> = {
  disabled: ", disabled",
  unapproved: ", off: its entry changed; ally mcp approve",
  untrusted: ", off: the project is not trusted",
};

async function test(
  server: Server,
  { json, out, err }: { json: boolean; out: Out; err: Out },
): Promise<number> {
  const since = performance.now();
  const { name, slug } = server.entry;
  if (!json) err(`Starting ${placeOf(server.entry)}`);
  let error: string | undefined;
  const stop = new AbortController();
  using signals = onSignals({ onSignal: () => stop.abort(), onForced: () => server.kill() });
  try {
    await server.start(stop.signal);
  } catch (thrown) {
    error = messageOf(thrown);
  }
  if (signals.exitCode !== undefined) {
    server.kill();
    err("ally: Interrupted: the server was ended.");
    return signals.exitCode;
  }
  const ms = Math.round(performance.now() - since);
  await server.stop();
  const tools = error === undefined ? server.tools : [];
  const waiting = server.differences.map(({ tool }) => plainName(tool.name));
  if (json) {
    const shown = tools.map((tool) => ({ name: tool.name, description: tool.description }));
    const problem = error === undefined ? {} : { error, lines: server.lines };
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
      out(`  ${plainName(tool.name)}  ${cutEnd(first, MOST_DESCRIPTION)}`);
    }
    if (waiting.length > 0) out(`  to approve: ${waiting.join(", ")} (ally mcp approve ${slug})`);
  } else {
    err(`ally: ${error}`);
    for (const line of server.lines) err(`  ${line}`);
  }
  return error === undefined ? EXIT.done : EXIT.failed;
}

async function approve(server: Server): Promise<string> {
  const { changedFrom, differences, entry: { slug } } = server;
  if (changedFrom === undefined && differences.length === 0) {
    return `Nothing of ${slug} waits for approval.`;
  }
  const what = changedFrom === undefined
    ? differences.map(({ tool, before }) =>
      `${plainName(tool.name)} (${before ? "changed" : "new"})`
    ).join(
      ", ",
    )
    : `${placeOf(server.entry)} (it was ${changedFrom})`;
  await server.approve();
  return `Approved of ${slug}: ${stripControls(what)}.`;
}
