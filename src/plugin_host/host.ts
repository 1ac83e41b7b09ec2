/**
 * Runs the tools of plugins: asks for consent, starts a plugin's process on the first call, ends it when it is idle,
 * and runs the programs of manifests. One host serves a session.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ToolError } from "../core/errors.ts";
import { describeSetAside, setAsideNote } from "../lib/set_aside.ts";
import type { ToolResult } from "../core/tool.ts";
import { killGroup } from "../lib/process_group.ts";
import { messageOf } from "../lib/text.ts";
import type { Consent } from "./consent.ts";
import { fingerprint, hashFolder } from "./folder_hash.ts";
import { type Grants, grantsKey, grantsOf } from "./grants.ts";
import { type Launch, launchCommand, type LaunchContext, launchModules } from "./launch.ts";
import type { Plugin, PluginTool } from "./plugin.ts";
import { PluginProcess } from "./plugin_process.ts";
import { runProgram } from "./program.ts";
import { toToolResult } from "./result.ts";

/** Milliseconds without a call after which a plugin's process is ended. */
const IDLE_MS = 60_000;

/** Questions about a plugin whose files keep changing while the person decides. */
const MAX_QUESTIONS = 3;

/** What a host is made with. */
interface HostOptions {
  readonly context: LaunchContext;
  readonly consent: Consent;
  /** Milliseconds. @default a minute */
  readonly idleMs?: number;
  /** For the person. */
  readonly warn: (text: string) => void;
}

/** One call of a plugin's tool. */
interface PluginCall {
  readonly plugin: Plugin;
  readonly tool: PluginTool;
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly report: (text: string) => void;
}

/** A process that runs or is starting. */
interface ProcessEntry {
  readonly process: Promise<PluginProcess>;
  /** Of the plugin's files before the start; empty if they could not be read. */
  readonly fingerprint: string;
  timer?: ReturnType<typeof setTimeout>;
}

/** The host of all plugins of a session. */
export class PluginHost {
  readonly #options: HostOptions;
  /** By plugin and grants. */
  readonly #processes = new Map<string, ProcessEntry>();
  /** By plugin, the last question asked: the next one waits for its answer. */
  readonly #asking = new Map<string, Promise<void>>();
  /** Process groups of running programs. */
  readonly #groups = new Set<number>();

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Runs one call. @throws {ToolError} it may not run, failed, timed out or was interrupted */
  async call(call: PluginCall): Promise<ToolResult> {
    const { plugin, tool } = call;
    const { context } = this.#options;
    const grants = grantsOf(plugin, { tool, context });
    const setAside: string[] = [];
    const onSetAside = (paths: readonly string[]) => {
      this.#tell(plugin, paths);
      setAside.push(...paths);
    };
    const answer = tool.program.kind === "module"
      ? this.#callModule(call, grants)
      : this.#callProgram(call, { grants, onSetAside });
    const value = await answer.finally(async () => onSetAside(await context.review()));
    return toToolResult(value, setAsideNote(setAside));
  }

  /** Ends everything, and waits until it has ended. */
  async stop(): Promise<void> {
    this.#killAll();
    await Promise.all([...this.#running].map(({ exited }) => exited));
  }

  /** Ends everything at once. */
  close(): void {
    this.#killAll();
    for (const release of this.#releases) void release();
    this.#processes.clear();
  }

  #killAll(): void {
    for (const entry of this.#processes.values()) {
      clearTimeout(entry.timer);
      entry.process.then((process) => process.kill("ally ended"), () => {});
    }
    for (const process of this.#running) process.kill("ally ended");
    for (const pid of this.#groups) killGroup(pid, "SIGKILL");
  }

  /** What removes the temporary files of each launch; ally may end before a process that it has killed. */
  readonly #releases = new Set<Launch["release"]>();

  #withRelease(launch: Launch, onSetAside: (paths: readonly string[]) => void): Launch {
    const release = async () => {
      if (!this.#releases.delete(release)) return [];
      const setAside = await launch.release();
      onSetAside(setAside);
      return setAside;
    };
    this.#releases.add(release);
    return { ...launch, release };
  }

  #tell({ name }: Plugin, setAside: readonly string[]): void {
    if (setAside.length === 0) return;
    this.#options.warn(describeSetAside(`the plugin ${name}`, setAside));
  }

  /** The processes that were started, so that closing need not wait. */
  readonly #running = new Set<PluginProcess>();

  async #callModule(call: PluginCall, grants: Grants): Promise<unknown> {
    const { plugin, tool: { program, timeout }, input, signal, report } = call;
    if (program.kind !== "module") throw new Error("Cannot call: the tool is not a module");
    const key = JSON.stringify([plugin.name, grantsKey(grants)]);
    const files = await fingerprint(plugin.folder).catch(() => "");
    const start = () => this.#start(call, grants);
    const { entry, process } = await this.#processFor(key, { files, start });
    clearTimeout(entry.timer);
    try {
      const module = pathToFileURL(join(plugin.folder, program.module)).href;
      return await process.call({ module, input, timeoutMs: timeout * 1000, signal, report });
    } finally {
      if (process.isIdle) this.#endLater(key, { entry, process });
    }
  }

  /** The running process, or a new one if that is ending or its files have changed. */
  async #processFor(
    key: string,
    { files: fingerprint, start }: { files: string; start: () => Promise<PluginProcess> },
  ): Promise<{ entry: ProcessEntry; process: PluginProcess }> {
    for (;;) {
      const entry = this.#processes.get(key) ?? this.#track(key, { process: start(), fingerprint });
      const process = await entry.process;
      const current = entry.fingerprint === fingerprint;
      if (current && await process.isReady()) return { entry, process };
      this.#untrack(key, entry);
      if (!current && process.isIdle) process.kill("its files changed");
    }
  }

  #track(
    key: string,
    { process, fingerprint }: Pick<ProcessEntry, "process" | "fingerprint">,
  ): ProcessEntry {
    const entry: ProcessEntry = { process, fingerprint };
    this.#processes.set(key, entry);
    process.then((one) => one.exited.then(() => this.#untrack(key, entry)), () => {
      this.#untrack(key, entry);
    });
    return entry;
  }

  #untrack(key: string, entry: ProcessEntry): void {
    clearTimeout(entry.timer);
    if (this.#processes.get(key) === entry) this.#processes.delete(key);
  }

  #endLater(
    key: string,
    { entry, process }: { entry: ProcessEntry; process: PluginProcess },
  ): void {
    const { idleMs = IDLE_MS } = this.#options;
    clearTimeout(entry.timer);
    if (this.#processes.get(key) !== entry) return process.kill("another process replaced it");
    entry.timer = setTimeout(() => {
      if (!process.isIdle) return;
      this.#untrack(key, entry);
      process.kill("it was idle");
    }, idleMs);
    Deno.unrefTimer(entry.timer);
  }

  async #start({ plugin, signal }: PluginCall, grants: Grants): Promise<PluginProcess> {
    await this.#requireConsent(plugin, signal);
    const { context } = this.#options;
    const { folder, name } = plugin;
    const launch = this.#withRelease(
      await launchModules(grants, { folder, context }),
      (setAside) => this.#tell(plugin, setAside),
    );
    const [workspace = ""] = context.roots();
    const process = startProcess(() =>
      new PluginProcess(launch, { name, plugin: folder, workspace })
    );
    this.#running.add(process);
    process.exited.then(() => this.#running.delete(process));
    return process;
  }

  async #callProgram(
    call: PluginCall,
    { grants, onSetAside }: {
      grants: Grants;
      onSetAside: (paths: readonly string[]) => void;
    },
  ): Promise<unknown> {
    const { plugin, tool: { program, timeout }, input, signal, report } = call;
    if (program.kind !== "command") throw new Error("Cannot call: the tool is not a program");
    await this.#requireConsent(plugin, signal);
    const { context } = this.#options;
    const launch = this.#withRelease(
      await launchCommand(program, { grants, folder: plugin.folder, context }),
      onSetAside,
    );
    return await runProgram(launch, {
      name: plugin.name,
      input: JSON.stringify(input),
      timeoutMs: timeout * 1000,
      signal,
      report,
      groups: this.#groups,
    });
  }

  /** Asks whether a plugin may run as it is now, one question at a time for each plugin. */
  async #requireConsent(plugin: Plugin, signal: AbortSignal): Promise<void> {
    const before = this.#asking.get(plugin.name) ?? Promise.resolve();
    const asking = before.catch(() => {}).then(() => this.#askConsent(plugin, signal));
    this.#asking.set(plugin.name, asking);
    try {
      await asking;
    } finally {
      if (this.#asking.get(plugin.name) === asking) this.#asking.delete(plugin.name);
    }
  }

  async #askConsent(plugin: Plugin, signal: AbortSignal): Promise<void> {
    for (let times = 0; times < MAX_QUESTIONS; times++) {
      const { hash, files } = await inspectFiles(plugin);
      const answer = await this.#options.consent.check(plugin, { hash, signal });
      if (answer.kind === "denied") {
        throw new ToolError(answer.message, { kind: "permission", suggestion: answer.suggestion });
      }
      // Files may change while the person decides, and they agreed to what was shown.
      if (files === await fingerprint(plugin.folder).catch(() => "")) return;
    }
    throw unusableError(plugin, "its files keep changing while you are asked about it");
  }
}

/** The hash of a plugin's files, and their fingerprint. */
async function inspectFiles(plugin: Plugin): Promise<{ hash: string; files: string }> {
  try {
    const files = await fingerprint(plugin.folder);
    return { files, hash: await hashFolder(plugin.folder) };
  } catch (error) {
    throw unusableError(plugin, messageOf(error));
  }
}

function unusableError({ name }: Plugin, why: string): ToolError {
  return new ToolError(`The plugin ${name} cannot run: ${why}`, {
    kind: "security",
    suggestion: "Tell the user: the plugin must be fixed or reinstalled.",
  });
}

function startProcess(start: () => PluginProcess): PluginProcess {
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
