/**
 * What `/plugins` works with in a session: shows the plugins, allows one, and takes that back.
 */
import { join } from "node:path";
import type { App } from "../../app/app.ts";
import { checkPlugin } from "../../app/plugin_check.ts";
import type { ConsentStatus } from "../../app/plugin_consent.ts";
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

/** Makes the port of `/plugins` for a run. */
export function createPluginControl(app: App): PluginControl {
  const { consent } = app.plugins;
  const require = async (name: string): Promise<Plugin> => {
    const found = /^[\w.-]+$/.test(name) ? await findPlugin(name, app) : undefined;
    if (found !== undefined) return found;
    throw new Error(`There is no plugin '${name}' that could run. /plugins shows those there are.`);
  };
  return {
    async names() {
      return (await readAllStates(app)).map(({ name }) => name);
    },
    async list() {
      const states = await readAllStates(app);
      return await Promise.all(states.map(async (state) => ({
        name: state.name,
        version: escapeLine(state.version ?? ""),
        description: escapeLine(state.description ?? ""),
        tools: state.tools.map((tool) => tool.name),
        problems: state.problems,
        status: await describeStatus(state, app),
      })));
    },
    async allow(name) {
      const { signal } = new AbortController();
      return await (await consent()).decide(await require(name), signal);
    },
    async forget(name) {
      await (await consent()).forget(await require(name));
    },
    async audit(name) {
      const states = await readAllStates(app);
      const wanted = states.filter((state) => name === undefined || state.name === name);
      if (name !== undefined && wanted.length === 0) await require(name);
      return wanted.map((state) => ({ name: state.name, facts: pluginFacts(state) }));
    },
  };
}

/** Those of `--plugin-dir`, then those that are installed. */
async function readAllStates(app: App): Promise<PluginState[]> {
  const { env, paths, plugins, warn } = app;
  const consent = await plugins.consent();
  const base = {
    directory: paths.plugins,
    records: consent.records,
    path: env.get("PATH") ?? "",
    sandboxed: await consent.sandboxed(),
    warn,
  };
  const development = await Promise.all(
    plugins.list.filter((one) => one.development)
      .map(({ name, folder }) => readPluginState(name, { ...base, folder })),
  );
  return [...development, ...await readPluginStates(base)];
}

/** The plugin under development of that name, else the installed one as it is now. */
async function findPlugin(name: string, { env, paths, plugins }: App): Promise<Plugin | undefined> {
  const named = plugins.list.find((one) => one.development && one.name === name);
  if (named !== undefined) return named;
  const path = env.get("PATH") ?? "";
  return (await checkPlugin(join(paths.plugins, name), { path })).plugin;
}

const STATUS_TEXTS: Readonly<Record<ConsentStatus, string>> = {
  flag: "allowed by --allow-plugin",
  session: "allowed in this session",
  allowed: "always allowed as it is",
  changed: "changed since it was allowed: asks again",
  unconfined: "allowed where a sandbox holds it; there is none: asks again",
  denied: "denied in this session",
  new: "asks when it is first used",
};

async function describeStatus(
  state: PluginState,
  app: App,
): Promise<string> {
  const plugin = await findPlugin(state.name, app);
  if (plugin === undefined || state.hash === undefined) return "cannot be used";
  const consent = await app.plugins.consent();
  const status = await consent.status(plugin, state.hash).catch(() => undefined);
  return status === undefined ? describeConsent(state) : STATUS_TEXTS[status];
}
