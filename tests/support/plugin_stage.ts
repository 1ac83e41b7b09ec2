/**
 * A host of plugins over real processes: a home with ally's own files and a key in them, a workspace, a folder
 * that nobody granted, and plugins written on the spot.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSandbox } from "../../src/app/sandbox.ts";
import type { ToolResult } from "../../src/core/tool.ts";
import type { Consent } from "../../src/plugin_host/consent.ts";
import type { DenyRules } from "../../src/plugin_host/grants.ts";
import { PluginHost } from "../../src/plugin_host/host.ts";
import { readManifest } from "../../src/plugin_host/manifest.ts";
import type { Plugin } from "../../src/plugin_host/plugin.ts";
import { PROOFS } from "./confined.ts";

/** What must never come out of a plugin. */
export const SECRET = "s3cret-of-the-user";

/** How the host is made. */
export interface PluginStageOptions {
  /** In the OS sandbox, with Deno's permissions alone, or as an executable of ally's would. @default "sandbox" */
  readonly way?: "sandbox" | "permissions" | "standalone";
  readonly consent?: Consent;
  readonly idleMs?: number;
  /** What rules deny by name. */
  readonly denied?: Partial<DenyRules>;
}

/** A host with its places; all paths absolute and canonical. */
export interface PluginStage extends AsyncDisposable {
  readonly host: PluginHost;
  readonly workspace: string;
  readonly outside: string;
  readonly allyHome: string;
  /** What the person was told. */
  readonly warnings: readonly string[];
  /** Writes a plugin; tools are named after the modules or programs that they run. */
  plugin(options: PluginText): Promise<Plugin>;
  /** Calls a tool; what it reports is gathered. */
  call(plugin: Plugin, tool: string, how?: CallOptions): Promise<CallOutcome>;
}

export interface PluginText {
  readonly name?: string;
  readonly permissions?: Readonly<Record<string, unknown>>;
  /** Text of each module, by tool. */
  readonly modules?: Readonly<Record<string, string>>;
  /** Command line for `sh -c` of each tool. */
  readonly commands?: Readonly<Record<string, string>>;
  readonly effects?: readonly string[];
  /** Seconds. */
  readonly timeout?: number;
}

export interface CallOptions {
  readonly input?: unknown;
  readonly signal?: AbortSignal;
}

export interface CallOutcome {
  readonly result?: ToolResult;
  readonly error?: Error & { kind?: string; data?: Readonly<Record<string, unknown>> };
  readonly reported: string;
  /** All of it as text, to look for what must not be in it. */
  readonly text: string;
}

const STANDALONE = [
  Deno.execPath(),
  "run",
  "-A",
  "--quiet",
  "--no-config",
  "--unstable-worker-options",
  fileURLToPath(new URL("./standalone_process.ts", import.meta.url)),
] as const;

const GRANT: Consent = { check: () => Promise.resolve({ kind: "granted" }) };

/** Makes a stage. */
export async function pluginStage(options: PluginStageOptions = {}): Promise<PluginStage> {
  const { way = "sandbox", consent = GRANT, idleMs, denied } = options;
  const warnings: string[] = [];
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-plugins-" }));
  const [home, workspace, outside] = ["home", "work", "outside"].map((name) => join(root, name));
  const allyHome = join(home!, ".ally");
  for (const path of [join(allyHome, "plugins"), join(workspace!, ".git/hooks"), outside!]) {
    await Deno.mkdir(path, { recursive: true });
  }
  await Deno.writeTextFile(join(allyHome, "config.json"), `{"api_key": "${SECRET}"}`);
  await Deno.writeTextFile(join(home!, ".netrc"), SECRET);
  await Deno.writeTextFile(join(workspace!, "notes.txt"), `${SECRET}\n`);
  await Deno.writeTextFile(join(outside!, "secret.json"), `{"secret": "${SECRET}"}`);
  await Deno.writeTextFile(join(outside!, "mod.ts"), `export default () => "${SECRET}";\n`);
  const env = {
    PATH: Deno.env.get("PATH") ?? "",
    HOME: home!,
    OPENAI_API_KEY: SECRET,
    ALLOWED: "seen",
    LANG: "C.UTF-8",
  };
  const sandbox = createSandbox({
    mode: way === "sandbox" ? "auto" : "off",
    roots: () => [workspace!],
    paths: {
      home: allyHome,
      outputs: join(allyHome, "outputs"),
      sandbox: join(root, "sandbox"),
      unreviewed: join(allyHome, "unreviewed"),
    },
    env,
    proofs: PROOFS,
  });
  const host = new PluginHost({
    consent,
    warn: (text) => void warnings.push(text),
    ...(idleMs !== undefined && { idleMs }),
    context: {
      roots: () => [workspace!],
      home: home!,
      allyHome,
      env,
      isHidden: () => false,
      denied: { read: [], write: [], net: [], kinds: [], ...denied },
      confine: sandbox.confinePlugin,
      review: sandbox.review,
      allyCommand: way === "standalone" ? STANDALONE : undefined,
    },
  });
  return {
    host,
    workspace: workspace!,
    outside: outside!,
    allyHome,
    warnings,
    plugin: (text) => writePlugin(join(allyHome, "plugins"), text),
    call: (plugin, name, how) => callTool(host, { plugin, name, how }),
    async [Symbol.asyncDispose]() {
      host.close();
      sandbox.close();
      await Deno.remove(root, { recursive: true });
    },
  };
}

async function writePlugin(directory: string, text: PluginText): Promise<Plugin> {
  const { name = "evil", permissions = {}, modules = {}, commands = {}, timeout = 10 } = text;
  const folder = join(directory, name);
  await Deno.mkdir(folder, { recursive: true });
  for (const [tool, code] of Object.entries(modules)) {
    await Deno.writeTextFile(join(folder, `${tool}.ts`), code);
  }
  const common = {
    description: "x",
    effects: text.effects ?? ["read"],
    parameters: { type: "object" },
    timeout,
  };
  const manifest = JSON.stringify({
    manifest: 1,
    name,
    version: "1",
    description: "x",
    permissions,
    tools: [
      ...Object.keys(modules).map((tool) => ({ name: tool, ...common, module: `./${tool}.ts` })),
      ...Object.entries(commands).map(([tool, line]) => ({
        name: tool,
        ...common,
        command: "sh",
        args: ["-c", line],
      })),
    ],
  });
  await Deno.writeTextFile(join(folder, "plugin.json"), manifest);
  const reading = await readManifest(manifest, { folder });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.plugin;
}

async function callTool(
  host: PluginHost,
  { plugin, name, how = {} }: { plugin: Plugin; name: string; how?: CallOptions | undefined },
): Promise<CallOutcome> {
  const { input = {}, signal = new AbortController().signal } = how;
  const tool = plugin.tools.find((one) => one.name === name);
  if (!tool) throw new Error(`No tool ${name}`);
  let reported = "";
  const report = (text: string) => reported += text;
  try {
    const result = await host.call({ plugin, tool, input, signal, report });
    return { result, reported, text: JSON.stringify(result) + reported };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { message, data } = error as CallOutcome["error"] & Error;
    return { error, reported, text: `${message} ${JSON.stringify(data ?? {})} ${reported}` };
  }
}
