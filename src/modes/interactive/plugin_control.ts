/**
 * What `/plugins` does: shows the plugins of this session, lets one run, takes that back. The port is declared by
 * the commands; the session at the terminal joins them.
 */
import { join } from "node:path";
import type { App } from "../../app/app.ts";
import type { Environment } from "../../app/environment.ts";
import { checkPlugin } from "../../app/plugin_check.ts";
import type { ConsentStatus, PluginConsent } from "../../app/plugin_consent.ts";
import {
  describeConsent,
  pluginFacts,
  type PluginState,
  readPluginState,
  readPluginStates,
} from "../../app/plugin_state.ts";
import type { Plugin } from "../../plugin_host/plugin.ts";
import type { PluginControl } from "../../slash/command.ts";
import { escapeLine } from "../../ui/safe_text.ts";

interface PluginControlOptions {
  /** Folder of installed plugins. */
  readonly directory: string;
  /** Those that `--plugin-dir` named. */
  readonly development: readonly Plugin[];
  readonly consent: () => Promise<PluginConsent>;
  readonly env: Environment;
  readonly warn: (text: string) => void;
}

/** The port for a run. */
export function pluginControlOf({ env, paths, plugins, emit }: App): PluginControl {
  return createPluginControl({
    directory: paths.plugins,
    development: plugins.list.filter(({ development }) => development),
    consent: plugins.consent,
    env,
    warn: (text) => emit({ type: "notice", level: "warning", text }),
  });
}

/** Makes the port. */
function createPluginControl(options: PluginControlOptions): PluginControl {
  const find = async (name: string): Promise<Plugin> => {
    const found = options.development.find((one) => one.name === name) ??
      (await checkPlugin(join(options.directory, name), { path: pathOf(options) })).plugin;
    if (found !== undefined && /^[\w.-]+$/.test(name)) return found;
    throw new Error(`There is no plugin '${name}' that could run. /plugins shows those there are.`);
  };
  return {
    async names() {
      return (await readAllStates(options)).map(({ name }) => name);
    },
    async list() {
      const states = await readAllStates(options);
      return await Promise.all(states.map(async (state) => ({
        name: state.name,
        version: escapeLine(state.version ?? ""),
        description: escapeLine(state.description ?? ""),
        tools: state.tools.map((tool) => tool.name),
        problems: state.problems,
        status: await describeStatus(state, options),
      })));
    },
    async allow(name) {
      return await (await options.consent()).decide(await find(name), new AbortController().signal);
    },
    async forget(name) {
      await (await options.consent()).forget(await find(name));
    },
    async audit(name) {
      const states = await readAllStates(options);
      const wanted = states.filter((state) => name === undefined || state.name === name);
      if (name !== undefined && wanted.length === 0) await find(name);
      return wanted.map((state) => ({ name: state.name, facts: pluginFacts(state) }));
    },
  };
}

async function readAllStates(options: PluginControlOptions): Promise<PluginState[]> {
  const { directory, warn } = options;
  const consent = await options.consent();
  const { records } = consent;
  const base = {
    directory,
    records,
    path: pathOf(options),
    sandboxed: await consent.sandboxed(),
    warn,
  };
  const installed = await readPluginStates(base);
  const named = await Promise.all(
    options.development.map(({ name, folder }) => readPluginState(name, { ...base, folder })),
  );
  return [...named, ...installed];
}

function pathOf({ env }: PluginControlOptions): string {
  return env.get("PATH") ?? "";
}

const STATUS_TEXTS: Readonly<Record<ConsentStatus, string>> = {
  flag: "allowed by --allow-plugin",
  session: "allowed in this session",
  allowed: "always allowed as it is",
  changed: "changed since it was allowed: asks again",
  denied: "denied in this session",
  new: "asks when it is first used",
};

async function describeStatus(
  state: PluginState,
  options: PluginControlOptions,
): Promise<string> {
  const { directory, development } = options;
  const plugin = development.find(({ name }) => name === state.name) ??
    (await checkPlugin(join(directory, state.name), { path: pathOf(options) })).plugin;
  if (plugin === undefined || state.hash === undefined) return "cannot be used";
  const standing = await (await options.consent()).status(plugin, state.hash).catch(() =>
    undefined
  );
  return standing === undefined ? describeConsent(state) : STATUS_TEXTS[standing];
}
