/**
 * The plugins of a run: finds and reads them, and makes tools of them; what runs them is loaded when the first is
 * called.
 */
import { join } from "node:path";
import { MANIFEST } from "../../plugins/manifest.ts";
import type { AccessKind } from "../core/permission.ts";
import type { AskConsent } from "../core/plugin_consent.ts";
import type { ToolEntry } from "../core/tool.ts";
import { realPathOrSame } from "../lib/fs.ts";
import type { Rules } from "../permission/rules.ts";
import { targetsDeniedByName } from "../permission/sandbox_policy.ts";
import type { Consent } from "../plugin_host/consent.ts";
import type { DenyRules } from "../plugin_host/grants.ts";
import type { PluginHost } from "../plugin_host/host.ts";
import type { Plugin } from "../plugin_host/plugin.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Bootstrap } from "./bootstrap.ts";
import type { Enforcement } from "./enforcement.ts";
import type { PluginConsent } from "./plugin_consent.ts";

/** What plugins are opened with. */
interface PluginsOptions {
  /** ally's own directory, absolute; undefined if there is none. */
  readonly allyHome: string | undefined;
  /** Named with `--plugin-dir`; absolute. */
  readonly developmentDirs: readonly string[];
  /** Names of the built-in tools. */
  readonly builtInNames: readonly string[];
  readonly roots: () => readonly string[];
  readonly home: string;
  /** Of what a plugin's program gets the part that its manifest names. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether a rule hides a variable. */
  readonly isHidden: (name: string) => boolean;
  /** What rules deny. */
  readonly denied: DenyRules;
  readonly sandbox: Pick<Sandbox, "confinePlugin" | "review" | "status">;
  /** File of what was allowed to plugins. */
  readonly recordsPath: string;
  /** File of the manifests that passed every check. */
  readonly knownManifestsPath: string;
  /** Names given with `--allow-plugin`. */
  readonly allowed: readonly string[];
  /** Whether no other may run, whatever was allowed before. */
  readonly onlyNamed: boolean;
  /** Asks whether a plugin may run; absent where nobody can answer. */
  readonly ask: AskConsent | undefined;
  readonly warn: (text: string) => void;
}

/** The plugins of a run. */
export interface Plugins {
  /** Names of the tools that ally brings; no plugin has one of them. */
  readonly builtInNames: readonly string[];
  readonly list: readonly Plugin[];
  readonly entries: readonly ToolEntry[];
  /** What decides whether one may run; loaded when it is first asked for. */
  readonly consent: () => Promise<PluginConsent>;
  /** Ends all that runs of them, and waits until it has ended. */
  stop(): Promise<void>;
  /** Ends all that runs of them at once. */
  close(): void;
}

/**
 * Reads the installed plugins and those under development; broken ones are left out with a warning.
 * @throws {UsageError} a directory named with `--plugin-dir` holds none
 */
export async function openPlugins(
  bootstrap: Bootstrap,
  enforcement: Enforcement,
): Promise<Plugins> {
  const options = pluginsOptionsOf(bootstrap, enforcement);
  const { allyHome, builtInNames, developmentDirs, warn } = options;
  let opened: Promise<PluginConsent> | undefined;
  const consent = () => opened ??= openConsent(options);
  const installed = allyHome === undefined ? undefined : join(allyHome, "plugins");
  if (developmentDirs.length === 0 && !(installed !== undefined && hasEntries(installed))) {
    warnUnknown([], options);
    return { builtInNames, list: [], entries: [], consent, stop: async () => {}, close: () => {} };
  }
  const { readPluginTools } = await import("./plugin_tools.ts");
  let host: PluginHost | undefined;
  let making: Promise<PluginHost> | undefined;
  const make = async () => host = await createHost({ ...options, consent: await consent() });
  const { knownManifestsPath, roots, home } = options;
  const { plugins, entries, problems } = await readPluginTools({
    folders: { installed, development: developmentDirs },
    knownManifestsPath,
    entries: {
      taken: builtInNames,
      context: { roots, home },
      // One host, however many first calls come at once.
      host: () => making ??= make(),
    },
  });
  problems.forEach(warn);
  warnUnknown(plugins, options);
  return {
    ...{ builtInNames, list: plugins, entries, consent },
    stop: async () => await host?.stop(),
    close: () => host?.close(),
  };
}

function pluginsOptionsOf(
  { options, frontend, events, env, home, storage, workspace, denied }: Bootstrap,
  { permissions, sandbox, isVariableVisible }: Enforcement,
): PluginsOptions {
  const layers = [permissions.rules, ...permissions.configured];
  return {
    allyHome: storage.hasHome ? storage.paths.home : undefined,
    developmentDirs: options.pluginDirs,
    builtInNames: [...MANIFEST, ...frontend.tools ?? []].map(({ definition }) => definition.name),
    roots: () => workspace.roots,
    home,
    env: env.toObject(),
    isHidden: (name) => isVariableVisible(name) === false,
    denied: {
      read: targetsDeniedByName("read", layers),
      write: targetsDeniedByName("write", layers),
      net: targetsDeniedByName("net", layers).filter((host) => !host.startsWith("mcp:")),
      kinds: wholeKindsDenied(layers, denied),
    },
    sandbox,
    recordsPath: storage.paths.pluginRecords,
    knownManifestsPath: storage.paths.knownManifests,
    allowed: options.allowedPlugins,
    onlyNamed: frontend.foreign !== undefined,
    ask: frontend.askConsent,
    warn: events.warn,
  };
}

async function openConsent(
  { recordsPath, allowed, onlyNamed, ask, sandbox, warn }: PluginsOptions,
): Promise<PluginConsent> {
  const [{ PluginConsent }, { PluginStore }] = await Promise.all([
    import("./plugin_consent.ts"),
    import("../store/plugin_records.ts"),
  ]);
  return new PluginConsent({
    records: new PluginStore({ path: recordsPath }),
    allowed,
    onlyNamed,
    ask,
    sandboxed: async () => (await sandbox.status()).state === "active",
    warn,
  });
}

/** Names of `--allow-plugin` that allow nothing. */
function warnUnknown(plugins: readonly Plugin[], { allowed, warn }: PluginsOptions): void {
  const unknown = allowed.filter((name) => !plugins.some((plugin) => plugin.name === name));
  if (unknown.length > 0) {
    warn(`--allow-plugin=${unknown.join(",")} allows nothing: ally plugin list shows the plugins.`);
  }
}

async function createHost(options: PluginsOptions & { consent: Consent }): Promise<PluginHost> {
  const { PluginHost } = await import("../plugin_host/host.ts");
  const { allyHome, consent } = options;
  const allyCommand = Deno.build.standalone ? [Deno.execPath()] as const : undefined;
  return new PluginHost({
    consent,
    warn: options.warn,
    context: {
      ...options,
      confine: options.sandbox.confinePlugin,
      review: options.sandbox.review,
      allyHome: allyHome === undefined ? "" : realPathOrSame(allyHome),
      allyCommand,
    },
  });
}

/** What is denied as a whole, by a rule or because the run only reads. */
function wholeKindsDenied(
  layers: readonly Pick<Rules, "deny">[],
  denied: Bootstrap["denied"],
): string[] {
  const isDenied = (kind: AccessKind) =>
    layers.some(({ deny }) => deny[kind] === true) || (kind !== "read" && denied.has(kind));
  return KINDS.filter(([kind]) => isDenied(kind)).map(([, words]) => words);
}

/** Each kind in the words of a refusal. */
const KINDS: readonly (readonly [AccessKind, string])[] = [
  ["read", "reading"],
  ["write", "changing files"],
  ["run", "running programs"],
  ["net", "the network"],
  ["env", "the environment"],
];

/** Whether there is anything to load the loader for. */
function hasEntries(directory: string): boolean {
  try {
    return Deno.readDirSync(directory)[Symbol.iterator]().next().done !== true;
  } catch {
    return false;
  }
}
