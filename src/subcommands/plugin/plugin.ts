/**
 * `ally plugin`: creates, installs, lists, removes, audits, checks and tests plugins. Only `test` runs code of a
 * plugin.
 */
import { basename, join, resolve } from "node:path";
import { confirmAtTerminal } from "../../app/confirm_at_terminal.ts";
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import type { PluginOptions } from "../../app/options.ts";
import { checkPlugin, formatProblem } from "../../app/plugin_check.ts";
import { readPluginStates } from "../../app/plugin_state.ts";
import { probeSandbox } from "../../app/sandbox.ts";
import { watchSignals } from "../../app/signals.ts";
import { openStandardStreams, wrapForTerminal } from "../../app/standard_streams.ts";
import { UsageError } from "../../core/errors.ts";
import { exists } from "../../lib/fs.ts";
import { jsonLine, plural, quoteWord } from "../../lib/text.ts";
import { PLUGIN_SCHEMA } from "../../plugin_host/manifest_schema.ts";
import { NPM_REGISTRY } from "../../store/npm_package.ts";
import { allyPaths } from "../../store/paths.ts";
import { removePlugin, repairPluginFolder } from "../../store/plugin_folder.ts";
import { PluginStore } from "../../store/plugin_records.ts";
import type { PluginRequest } from "./command.ts";
import { type InstallOptions, installPlugin } from "./install.ts";
import { formatAudit, formatList } from "./list.ts";
import { newPlugin } from "./new.ts";

/** Runs `ally plugin` and returns the exit code. @throws {UsageError} why it cannot */
export async function runPlugin(
  { request, options: { cwd, color } }: { request: PluginRequest; options: PluginOptions },
  io: Io,
): Promise<number> {
  const { out, err } = openStandardStreams(io);
  const { env } = io;
  const path = env.get("PATH") ?? "";
  if (request.what === "schema") {
    out(JSON.stringify(PLUGIN_SCHEMA, null, 2));
    return EXIT.done;
  }
  const paths = allyPaths(cwd, env);
  if (request.what === "test") {
    const folder = await findFolder(request.directory, { cwd, plugins: paths.plugins });
    const { testPlugin } = await import("./test.ts");
    return await testPlugin(folder, io);
  }
  if (request.what === "check") {
    const folder = await findFolder(request.directory, { cwd, plugins: paths.plugins });
    return await runCheck(folder, { json: request.json, path, out });
  }
  const records = new PluginStore({ path: paths.pluginRecords });
  await repairPluginFolder(paths.plugins);
  switch (request.what) {
    case "new":
      out(await newPlugin(request, { cwd, paths }));
      return EXIT.done;
    case "remove":
      await removePlugin(paths.plugins, requireName(request.name));
      await records.forget(request.name);
      out(`Removed the plugin ${request.name} and the consent to it.`);
      return EXIT.done;
    case "install": {
      const registry = env.get("npm_config_registry") || env.get("NPM_CONFIG_REGISTRY") ||
        NPM_REGISTRY;
      const ask = (question: string) => {
        const refusal =
          `${question} Cannot ask without a terminal. Read what it may do, then confirm with --yes.`;
        return confirmAtTerminal(question, { io, color, refusal });
      };
      const confirm = request.yes ? () => Promise.resolve(true) : ask;
      const { source } = request;
      const parts = { source, cwd, paths, records, registry, path, out, confirm };
      return await runInstall(parts, io);
    }
    default:
      return await showPlugins(request, { paths, records, path, cwd, out, err, io });
  }
}

/** Installs, unless a signal comes: then nothing is installed. */
async function runInstall(
  options: Omit<InstallOptions, "signal" | "sandboxed">,
  io: Io,
): Promise<number> {
  const stop = new AbortController();
  using signals = watchSignals(io, { onSignal: () => stop.abort(), onForced: () => {} });
  try {
    const sandboxed = await hasSandbox(options.cwd, io);
    const done = await installPlugin({ ...options, sandboxed, signal: stop.signal });
    if (!done) options.out("Nothing was installed.");
    return done ? EXIT.done : EXIT.failed;
  } catch (error) {
    if (signals.exitCode === undefined) throw error;
    options.out("Interrupted: nothing was installed.");
    return signals.exitCode;
  }
}

async function showPlugins(
  request: Extract<PluginRequest, { what: "list" | "audit" }>,
  { paths, records, path, cwd, out, err, io }: {
    paths: { plugins: string };
    records: PluginStore;
    path: string;
    cwd: string;
    out: (text: string) => void;
    err: (text: string) => void;
    io: Io;
  },
): Promise<number> {
  const warned = new Set<string>();
  const warn = (text: string) => {
    if (!warned.has(text)) err(`ally: ${text}`);
    warned.add(text);
  };
  const sandboxed = await hasSandbox(cwd, io);
  const options = { directory: paths.plugins, records, sandboxed, path, warn };
  const show = async (text: string) =>
    out(request.json ? text : await wrapForTerminal(text, { io, stream: "stdout" }));
  if (request.what === "list") {
    await show(formatList(await readPluginStates(options), request.json));
    return EXIT.done;
  }
  const states = await readPluginStates(options, request.name);
  if (request.name !== undefined && states.length === 0) throw unknownPluginError(request.name);
  await show(formatAudit(states, request.json));
  return EXIT.done;
}

/** The folder, or the installed plugin of that name if there is no such folder. */
async function findFolder(
  directory: string,
  { cwd, plugins }: { cwd: string; plugins: string },
): Promise<string> {
  const folder = resolve(cwd, directory);
  const installed = join(plugins, directory);
  const isThere = (path: string) => Deno.stat(path).then(() => true, () => false);
  const isName = basename(directory) === directory;
  return isName && !await isThere(folder) && await isThere(installed) ? installed : folder;
}

async function runCheck(
  folder: string,
  { json, path, out }: { json: boolean; path: string; out: (text: string) => void },
): Promise<number> {
  if (!exists(join(folder, "plugin.json"))) {
    throw new UsageError(
      `There is no plugin.json in ${
        quoteWord(folder)
      }. Name a plugin's folder: ally plugin check DIR`,
    );
  }
  const { plugin, problems, hash } = await checkPlugin(folder, { path });
  if (json) out(jsonLine({ folder, ok: problems.length === 0, hash, problems }));
  else if (problems.length === 0) {
    const tools = plural(plugin?.tools.length ?? 0, "tool");
    out(`${plugin?.name} ${plugin?.version} is in order: ${tools}.`);
  } else out(problems.map(formatProblem).join("\n"));
  return problems.length === 0 ? EXIT.done : EXIT.failed;
}

async function hasSandbox(cwd: string, { env, proofs }: Io): Promise<boolean> {
  const status = await probeSandbox({ mode: "auto", roots: [cwd], env: env.toObject(), proofs });
  return status.state === "active";
}

/** The name, unless it could lead out of the folder of plugins. */
function requireName(name: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name)) return name;
  throw unknownPluginError(name);
}

function unknownPluginError(name: string): UsageError {
  return new UsageError(
    `There is no plugin '${name}'. ally plugin list shows the installed ones.`,
  );
}
