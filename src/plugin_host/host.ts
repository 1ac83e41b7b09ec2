/**
 * Runs what plugins bring: asks for consent, starts a plugin's process on the first call and ends it when it is
 * idle, and runs its programs. One host serves a session; the tools of plugins call it, `cli/` makes and
 * closes it.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ToolError } from "../core/errors.ts";
import type { ToolResult } from "../core/tool.ts";
import { killGroup } from "../lib/process_group.ts";
import { messageOf } from "../lib/text.ts";
import type { Consent } from "./consent.ts";
import { contentHash, fingerprint } from "./folder_hash.ts";
import { type Reach, reachKey, reachOf } from "./grants.ts";
import { launchCommand, launchModules, type LaunchPlaces } from "./launch.ts";
import type { Plugin, PluginTool } from "./plugin.ts";
import { PluginProcess } from "./plugin_process.ts";
import { runProgram } from "./program.ts";
import { resultOf } from "./result.ts";

/** Milliseconds without a call after which a plugin's process is ended. */
const IDLE = 60_000;

/** Times that a plugin is asked about whose files change meanwhile. */
const MOST_QUESTIONS = 3;

/** What a host works with. */
export interface HostOptions {
  readonly places: LaunchPlaces;
  readonly consent: Consent;
  /** Milliseconds. @default a minute */
  readonly idleMs?: number;
}

/** One call of a plugin's tool. */
export interface PluginCall {
  readonly plugin: Plugin;
  readonly tool: PluginTool;
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly report: (text: string) => void;
}

/** A process that runs or is being started. */
interface Kept {
  readonly process: Promise<PluginProcess>;
  /** Of the plugin's files before it was started; empty if they could not be looked at. */
  readonly files: string;
  timer?: ReturnType<typeof setTimeout>;
}

/** Keeps the processes of plugins. */
export class PluginHost {
  readonly #options: HostOptions;
  /** By plugin and what they may reach. */
  readonly #kept = new Map<string, Kept>();
  /** The question that is open for a plugin; others wait for its answer. */
  readonly #asking = new Map<string, Promise<void>>();
  /** Groups of programs that run. */
  readonly #groups = new Set<number>();

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Runs one call. @throws {ToolError} it may not run, failed, took too long or was given up */
  async call(call: PluginCall): Promise<ToolResult> {
    const { plugin, tool } = call;
    const { places } = this.#options;
    const reach = reachOf(plugin, { tool, places });
    const value = tool.program.kind === "module"
      ? await this.#callModule(call, reach)
      : await this.#callProgram(call, reach);
    return resultOf(value);
  }

  /** Ends everything at once. */
  close(): void {
    for (const kept of this.#kept.values()) {
      clearTimeout(kept.timer);
      kept.process.then((process) => process.kill("ally ended"), () => {});
    }
    for (const process of this.#running) process.kill("ally ended");
    for (const pid of this.#groups) killGroup(pid, "SIGKILL");
    this.#kept.clear();
  }

  /** Those that are started, so that closing needs to wait for nothing. */
  readonly #running = new Set<PluginProcess>();

  async #callModule(call: PluginCall, reach: Reach): Promise<unknown> {
    const { plugin, tool: { program, timeout }, input, signal, report } = call;
    if (program.kind !== "module") throw new Error("Cannot call: the tool is not a module");
    const key = JSON.stringify([plugin.name, reachKey(reach)]);
    const files = await fingerprint(plugin.folder).catch(() => "");
    const start = () => this.#start(call, reach);
    const { kept, process } = await this.#processFor(key, { files, start });
    clearTimeout(kept.timer);
    try {
      const module = pathToFileURL(join(plugin.folder, program.module)).href;
      return await process.call({ module, input, timeoutMs: timeout * 1000, signal, report });
    } finally {
      if (process.idle) this.#endLater(key, { kept, process });
    }
  }

  /** The one that runs, or a new one if that is being ended or has loaded files that changed since. */
  async #processFor(
    key: string,
    { files, start }: { files: string; start: () => Promise<PluginProcess> },
  ): Promise<{ kept: Kept; process: PluginProcess }> {
    for (;;) {
      const kept = this.#kept.get(key) ?? this.#keep(key, { process: start(), files });
      const process = await kept.process;
      const current = kept.files === files;
      if (current && await process.ready()) return { kept, process };
      this.#forget(key, kept);
      if (!current && process.idle) process.kill("its files changed");
    }
  }

  #keep(key: string, { process, files }: Pick<Kept, "process" | "files">): Kept {
    const kept: Kept = { process, files };
    this.#kept.set(key, kept);
    process.then((one) => one.ended.then(() => this.#forget(key, kept)), () => {
      this.#forget(key, kept);
    });
    return kept;
  }

  #forget(key: string, kept: Kept): void {
    clearTimeout(kept.timer);
    if (this.#kept.get(key) === kept) this.#kept.delete(key);
  }

  #endLater(key: string, { kept, process }: { kept: Kept; process: PluginProcess }): void {
    const { idleMs = IDLE } = this.#options;
    clearTimeout(kept.timer);
    if (this.#kept.get(key) !== kept) return process.kill("another one has taken its place");
    kept.timer = setTimeout(() => {
      if (!process.idle) return;
      this.#forget(key, kept);
      process.kill("it was idle");
    }, idleMs);
    Deno.unrefTimer(kept.timer);
  }

  async #start({ plugin, signal }: PluginCall, reach: Reach): Promise<PluginProcess> {
    await this.#admit(plugin, signal);
    const { places } = this.#options;
    const { folder, name } = plugin;
    const launch = await launchModules(reach, { folder, places });
    const [workspace = ""] = places.roots();
    const process = started(() => new PluginProcess(launch, { name, plugin: folder, workspace }));
    this.#running.add(process);
    process.ended.then(() => this.#running.delete(process));
    return process;
  }

  async #callProgram(call: PluginCall, reach: Reach): Promise<unknown> {
    const { plugin, tool: { program, timeout }, input, signal, report } = call;
    if (program.kind !== "command") throw new Error("Cannot call: the tool is not a program");
    await this.#admit(plugin, signal);
    const { places } = this.#options;
    const launch = await launchCommand(program, { reach, folder: plugin.folder, places });
    return await runProgram(launch, {
      name: plugin.name,
      input: JSON.stringify(input),
      timeoutMs: timeout * 1000,
      signal,
      report,
      groups: this.#groups,
    });
  }

  /** Asks whether a plugin may run as it is now; one question at a time for a plugin. */
  async #admit(plugin: Plugin, signal: AbortSignal): Promise<void> {
    await this.#asking.get(plugin.name)?.catch(() => {});
    const asking = this.#ask(plugin, signal);
    this.#asking.set(plugin.name, asking);
    try {
      await asking;
    } finally {
      if (this.#asking.get(plugin.name) === asking) this.#asking.delete(plugin.name);
    }
  }

  async #ask(plugin: Plugin, signal: AbortSignal): Promise<void> {
    for (let times = 0; times < MOST_QUESTIONS; times++) {
      const { hash, files } = await look(plugin);
      const answer = await this.#options.consent.check(plugin, { hash, signal });
      if (answer.kind === "denied") {
        throw new ToolError(answer.message, { kind: "permission", suggestion: answer.suggestion });
      }
      // A person takes their time, and what they agreed to is what they were asked about.
      if (files === await fingerprint(plugin.folder).catch(() => "")) return;
    }
    throw unusable(plugin, "its files change while it is asked about");
  }
}

/** The hash of a plugin's files, and what tells whether they are still the same. */
async function look(plugin: Plugin): Promise<{ hash: string; files: string }> {
  try {
    const files = await fingerprint(plugin.folder);
    return { files, hash: await contentHash(plugin.folder) };
  } catch (error) {
    throw unusable(plugin, messageOf(error));
  }
}

function unusable({ name }: Plugin, why: string): ToolError {
  return new ToolError(`The plugin ${name} cannot run: ${why}`, {
    kind: "security",
    suggestion: "Tell the user: the plugin's folder must be mended or installed anew.",
  });
}

function started(start: () => PluginProcess): PluginProcess {
  try {
    return start();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    throw new ToolError(
      'Cannot run the plugin: this ally may not start programs (Deno\'s permission "run" is missing)',
      { kind: "system", suggestion: "Start ally without --deny-run.", cause: error },
    );
  }
}
