/**
 * Where the status line has its facts from: the events of the session, the run itself, and git's files, which are read
 * while nobody waits. A program of the user's may make the line instead.
 */
import { basename } from "node:path";
import type { App } from "../../app/app.ts";
import { pickMinimalEnvironment } from "../../app/environment.ts";
import type { Event } from "../../core/event.ts";
import type { Tasks } from "../../core/shell.ts";
import { findOwnProgram, findProgram, trustedPath } from "../../lib/find_program.ts";
import { runProcess } from "../../lib/process.ts";
import { messageOf, oneLine, splitLines } from "../../lib/text.ts";
import { repositoryRoot } from "../../store/instructions.ts";
import type { StatusLineSetting } from "../../store/setting_schemas.ts";
import { type SessionState, type StatusForm, statusRows } from "../../ui/status_line.ts";
import type { Layout } from "../../ui/theme.ts";
import { readGitState } from "../../workspace/git_state.ts";

/** What the line is made of. */
interface StatusSourceOptions {
  readonly app: Pick<
    App,
    | "agent"
    | "env"
    | "focus"
    | "mode"
    | "settings"
    | "statistics"
    | "userScheduler"
    | "warn"
    | "workspace"
  >;
  /** Lines that wait. */
  readonly queued: () => number;
}

/** Milliseconds that the user's program may take. */
const COMMAND_MS = 1_000;
/** Characters of its output that are kept. */
const COMMAND_OUTPUT = 4_096;
/** A reply that came within so many milliseconds says nothing of the server's speed. */
const MIN_REPLY_MS = 250;

/** Keeps the facts. */
export class StatusSource {
  readonly #options: StatusSourceOptions;
  readonly #setting: StatusLineSetting;
  readonly #stop = new AbortController();
  #speed: number | undefined;
  #textSince: number | undefined;
  #git: SessionState["git"];
  /** What the user's program said last. */
  #given: string | undefined;
  #runs = false;
  readonly #watchers = new Set<() => void>();
  #hasFailed = false;

  constructor(options: StatusSourceOptions) {
    this.#options = options;
    this.#setting = options.app.settings.values.status_line;
    this.#stop.signal.addEventListener("abort", this.#tasks.onEnd(() => this.refresh()));
  }

  /** Takes the events of the session. */
  take(event: Event): void {
    if (event.agent.depth > 0) return;
    switch (event.type) {
      case "request_start":
        this.#textSince = undefined;
        return;
      case "thinking_delta":
      case "text_delta":
        this.#textSince ??= performance.now();
        return;
      case "message":
        return this.#measure(event);
      case "turn_end":
        return this.refresh();
    }
  }

  /** The mode of the session, as the prompt names it; "" for the usual one. */
  get mode(): string {
    const { mode, focus } = this.#options.app;
    return [mode.label, oneLine(focus.label ?? "")].filter(Boolean).join(" ");
  }

  /** The rows below the prompt. */
  rows(layout: Layout): string[] {
    const form = this.#form;
    return form === undefined ? [] : statusRows(this.#state, { form, ...layout });
  }

  /** Looks anew at what no event tells, soon. */
  refresh(): void {
    if (this.#setting === "off") return;
    setTimeout(() => {
      if (this.#stop.signal.aborted) return;
      this.#readGit();
      this.#tell();
      this.#runCommand().catch((error) => this.#warnOnce(messageOf(error)));
    });
  }

  /** Calls back when something has changed that no event told; returns how to stop that. */
  onChange(callback: () => void): () => void {
    this.#watchers.add(callback);
    return () => this.#watchers.delete(callback);
  }

  /** Ends what runs. */
  stop(): void {
    this.#stop.abort();
  }

  get #form(): StatusForm | undefined {
    const setting = this.#setting;
    if (setting === "off") return undefined;
    if (setting === "auto") return { kind: "auto" };
    if (typeof setting === "string") return { kind: "template", text: setting };
    return this.#given === undefined ? undefined : { kind: "given", text: this.#given };
  }

  get #tasks(): Tasks {
    return this.#options.app.userScheduler.shell.tasks;
  }

  get #state(): SessionState {
    const { agent, statistics, workspace } = this.#options.app;
    const { settings, budget, conversation } = agent.deps;
    const { percent, used: tokens, size } = budget;
    const { cost } = statistics.totals.usage;
    const cached = this.#cachedShare;
    return {
      project: basename(workspace.cwd),
      model: settings.model,
      tasks: this.#tasks.running().length,
      queued: this.#options.queued(),
      ...this.mode !== "" && { mode: this.mode },
      ...conversation.messages.length > 0 && { window: { percent, tokens, size } },
      ...this.#speed !== undefined && { speed: this.#speed },
      ...this.#git && { git: this.#git },
      ...cost !== undefined && { cost },
      ...cached !== undefined && { cached },
    };
  }

  /** Of the last request of the session's own agent. */
  get #cachedShare(): number | undefined {
    const { cached_tokens, prompt_tokens = 0 } = this.#options.app.statistics.requests.at(-1) ?? {};
    if (cached_tokens === undefined || prompt_tokens === 0) return undefined;
    return Math.round((cached_tokens / prompt_tokens) * 100);
  }

  #measure({ usage }: Extract<Event, { type: "message" }>): void {
    if (usage === undefined || this.#textSince === undefined) return;
    const ms = performance.now() - this.#textSince;
    if (ms >= MIN_REPLY_MS) this.#speed = (usage.completion_tokens / ms) * 1000;
  }

  #tell(): void {
    for (const callback of [...this.#watchers]) callback();
  }

  #readGit(): void {
    const root = repositoryRoot(this.#options.app.workspace.cwd);
    const state = root === undefined ? undefined : readGitState(root);
    this.#git = state && {
      branch: state.branch,
      ...state.changed !== undefined && { changed: state.changed },
    };
  }

  async #runCommand(): Promise<void> {
    const setting = this.#setting;
    if (typeof setting === "string" || this.#runs) return;
    const { workspace, env } = this.#options.app;
    const [name = "", ...args] = setting.command;
    this.#runs = true;
    try {
      const path = env.get("PATH") ?? "";
      const { roots } = workspace;
      const program = /[\\/]/.test(name)
        ? await findProgram(name, { path, cwd: "/" })
        : findOwnProgram(name, { path, roots });
      if (program === undefined) throw new Error(`there is no program ${name}`);
      const result = await runProcess([program, ...args], {
        cwd: workspace.cwd,
        env: { ...pickMinimalEnvironment(env.toObject()), PATH: trustedPath({ path, roots }) },
        input: `${JSON.stringify(this.#state)}\n`,
        signal: this.#stop.signal,
        timeoutMs: COMMAND_MS,
        stderr: "drop",
        maxOutput: COMMAND_OUTPUT,
      });
      if (result.ended === "interrupted") return;
      if (result.ended === "timeout") throw new Error(`it takes more than ${COMMAND_MS / 1000} s`);
      if (result.code !== 0) throw new Error(`it ended with code ${result.code}`);
      this.#given = splitLines(result.output)[0] ?? "";
      this.#tell();
    } finally {
      this.#runs = false;
    }
  }

  #warnOnce(why: string): void {
    if (this.#hasFailed || this.#stop.signal.aborted) return;
    this.#hasFailed = true;
    this.#options.app.warn(`The command of status_line made no status line: ${why}.`);
  }
}
