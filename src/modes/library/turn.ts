/**
 * One turn without a terminal, from the composition of its run to the result. It can be awaited, and read event by
 * event.
 */
import type { TurnSummary } from "../../agent/turn_deps.ts";
import { withDelegated } from "../../agent/usage.ts";
import { runLine } from "../../app/agents.ts";
import type { App } from "../../app/app.ts";
import { compose } from "../../app/compose.ts";
import type { HostProcess } from "../../app/host_process.ts";
import type { Options } from "../../app/options.ts";
import { AnswerSchemaError, UsageError } from "../../core/errors.ts";
import type { Event, EventSink } from "../../core/event.ts";
import type { AskPermission } from "../../core/permission.ts";
import type { Tool } from "../../core/tool.ts";
import { abortable } from "../../lib/async.ts";
import { mapStrings } from "../../lib/json_strings.ts";
import type { JsonObject } from "../../lib/schema.ts";
import type { Turn, TurnResult } from "./turn_result.ts";

/** Milliseconds after which there is time for other work, because the model is slow. */
const WARM_AFTER_MS = 100;

/** What a turn is started with. */
interface TurnStart {
  readonly prompt: string;
  readonly options: Options;
  readonly io: HostProcess;
  readonly tools: readonly Tool[];
  readonly input: string;
  readonly onEvent: EventSink | undefined;
  readonly ask: AskPermission | undefined;
  readonly schema: JsonObject | undefined;
  readonly signal: AbortSignal | undefined;
}

/** From its start to its end. */
export class RunningTurn implements Turn {
  /** As a promise has it. */
  readonly [Symbol.toStringTag] = "Turn";
  readonly #start: TurnStart;
  readonly #result: Promise<TurnResult>;
  readonly #stop = new AbortController();
  readonly #readers = new Set<EventSink>();
  #app: App | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** Starts it. */
  constructor(start: TurnStart) {
    this.#start = start;
    start.signal?.addEventListener("abort", this.#interrupt);
    if (start.signal?.aborted) this.#interrupt();
    this.#result = this.#run();
    // Who only iterates learns of a failure there.
    this.#result.catch(() => {});
  }

  /** Waits for its end. */
  then<A = TurnResult, B = never>(
    onResult?: ((result: TurnResult) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#result.then(onResult, onError);
  }

  /** Handles what kept it from beginning. */
  catch<B = never>(
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<TurnResult | B> {
    return this.#result.catch(onError);
  }

  /** Does something at its end, however it ended. */
  finally(onEnd?: (() => void) | null): Promise<TurnResult> {
    return this.#result.finally(onEnd);
  }

  /** The events from now on. @throws {Error} what kept the turn from beginning */
  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, void> {
    const events: Event[] = [];
    let more = Promise.withResolvers<void>();
    let hasEnded = false;
    const read = (event: Event) => {
      events.push(event);
      more.resolve();
    };
    const end = () => {
      hasEnded = true;
      more.resolve();
    };
    this.#readers.add(read);
    this.#result.then(end, end);
    try {
      for (;;) {
        yield* events.splice(0);
        if (hasEnded && events.length === 0) break;
        await more.promise;
        more = Promise.withResolvers();
      }
      await this.#result;
    } finally {
      this.#readers.delete(read);
      if (!hasEnded) this.#interrupt();
    }
  }

  kill(): void {
    this.#interrupt();
    this.#app?.close();
  }

  /** Ends what runs; every call still gets its result. */
  readonly #interrupt = (): void => {
    this.#stop.abort();
    this.#app?.agent.interrupt();
  };

  async #run(): Promise<TurnResult> {
    const { signal } = this.#stop;
    try {
      return await this.#takeTurn(signal);
    } catch (error) {
      if (this.#failure === undefined && signal.aborted) return NOT_BEGUN;
      throw this.#failure?.error ?? error;
    } finally {
      this.#start.signal?.removeEventListener("abort", this.#interrupt);
    }
  }

  async #takeTurn(signal: AbortSignal): Promise<TurnResult> {
    const { prompt, input, options, schema } = this.#start;
    const answer = schema && await loadAnswerSchema(schema);
    const app = await this.#open(signal, answer);
    const warming = mayRun(options) ? setTimeout(() => app.warm(), WARM_AFTER_MS) : undefined;
    try {
      if (answer) app.prompts.tellModel(answer.description);
      if (options.images) {
        const { attachImageFiles } = await import("../../app/image_files.ts");
        await attachImageFiles(options.images, app);
      }
      const summary = await runPrompt({ words: prompt, piped: input, signal }, app);
      if (answer) requireAnswer(summary);
      await app.stopTasks();
      if (this.#failure) throw this.#failure.error;
      return createResult(summary, app);
    } finally {
      clearTimeout(warming);
      app.close();
    }
  }

  /** Puts the run together, unless the turn is ended first. */
  async #open(
    signal: AbortSignal,
    answer: Awaited<ReturnType<typeof loadAnswerSchema>> | undefined,
  ): Promise<App> {
    const { options, io, ask, tools } = this.#start;
    const entries = tools.length === 0 ? [] : await toOwnEntries(tools);
    const opening = compose(options, {
      sink: this.#tell,
      createAnswerCheck: answer?.createCheck,
      // An answer that never comes holds up no interrupt.
      ask: (requests, signal) =>
        ask ? abortable(ask(requests, signal), signal) : Promise.resolve([]),
      interactive: ask !== undefined,
      masked: true,
      waitsForServers: true,
      tools: entries,
      io,
    });
    try {
      return this.#app = await abortable(opening, signal);
    } catch (error) {
      void opening.then((app) => app.close(), () => {});
      throw error;
    }
  }

  readonly #tell = (event: Event): void => {
    for (const read of this.#readers) read(event);
    try {
      this.#start.onEvent?.(event);
    } catch (error) {
      this.#failure ??= { error };
      this.#interrupt();
    }
    // Before this event there was nothing to interrupt.
    if (event.type === "turn_start" && this.#stop.signal.aborted) this.#app?.agent.interrupt();
  };
}

/** The result of a turn that never began, because it was ended before. */
export const NOT_BEGUN: TurnResult = {
  type: "result",
  text: "",
  reason: "interrupted",
  session_id: null,
  turns: 0,
  tool_calls: 0,
  denied: 0,
  usage: { prompt_tokens: 0, completion_tokens: 0 },
  requests: [],
  duration_ms: 0,
};

/** While the model thinks, the first command is prepared, if a command may run at all. */
function mayRun({ rules }: Options): boolean {
  return rules.allowAll || rules.allow.run !== undefined;
}

/** @throws {UsageError} one of them cannot be used */
async function toOwnEntries(tools: readonly Tool[]) {
  return await (await import("./own_tools.ts")).toEntries(tools);
}

/** What holds the model to a schema. @throws {UsageError} it cannot be used */
async function loadAnswerSchema(schema: JsonObject) {
  const { describeAnswerSchema, requireAnswerSchema } = await import("./answer_schema.ts");
  requireAnswerSchema(schema);
  const { boundPatterns } = await import("./bounded_patterns.ts");
  const bounded = await boundPatterns(schema, "The schema of the answer");
  const { AnswerCheck } = await import("../../agent/answer_check.ts");
  return {
    createCheck: () => new AnswerCheck(schema, bounded?.schemaFor),
    description: describeAnswerSchema(schema),
  };
}

/** @throws {AnswerSchemaError} another agent answered, which knows nothing of the schema */
function requireAnswer(summary: TurnSummary): void {
  if (summary.reason !== "done" || "structured" in summary) return;
  throw new AnswerSchemaError(
    "The agent that was addressed answered in its own words. Leave @NAME out: a schema is for ally itself.",
  );
}

/** Words may attach files; piped text may hold any `@`, and attaches nothing. */
interface Prompt {
  readonly words: string;
  readonly piped: string;
  readonly signal: AbortSignal;
}

/** Runs a custom command or a server's prompt that the words name; all other words are for the model. */
async function runPrompt({ words, piped, signal }: Prompt, app: App): Promise<TurnSummary> {
  const { agent, prompts, runTurn, emit, warn, mcp, skills } = app;
  if (words.startsWith("/")) {
    if (mcp !== undefined && /^\/[\w-]+:/.test(words)) {
      await mcp.waitForTools(signal);
      const { resolvePrompt } = await import("../../slash/mcp.ts");
      const prompt = await resolvePrompt(mcp, await prompts.task(words, { piped, signal }));
      if (prompt !== undefined) return await runTurn(prompt);
    }
    const { loadCustomCommands } = await import("../../app/custom_commands.ts");
    const { commands, prepare, problems } = await loadCustomCommands(app);
    const name = /^\/(\S+)/.exec(words)?.[1] ?? words;
    for (const text of problems) {
      if (text.includes(`/${name.replaceAll(":", "/")}.md`)) warn(text);
    }
    const turn = prepare(words) && prepare(await prompts.task(words, { piped, signal }));
    const { runPreparedTurn } = await import("../../slash/custom.ts");
    const say = (text: string) => emit({ type: "notice", level: "info", text });
    if (turn) return await runPreparedTurn(turn, { agent, runTurn, say });
    const { COMMANDS, describeUnknown, route } = await import("../../slash/table.ts");
    if (route(words).kind === "command") {
      throw new UsageError(
        `/${name} is a command of the prompt: start ally without -p and type it there.`,
      );
    }
    const skill = skills?.find(name);
    if (skills && skill) {
      const { runSkill } = await import("../../app/skills.ts");
      const own = words.slice(name.length + 1).trim();
      return await runSkill(skill, own, { agent, prompts, skills, piped, signal });
    }
    const { skillCommandsOf } = await import("../skill_commands.ts");
    const chosen = route(words, [...COMMANDS, ...commands, ...skillCommandsOf(app, [])]);
    if (chosen.kind === "unknown") {
      warn(`${describeUnknown(chosen)} What you typed is sent as text.`);
    }
  }
  if (/^!\S/.test(words)) {
    warn("What begins with ! runs a command at the prompt only, so it is sent as text");
  }
  return await runLine(words, { ...app, piped, signal });
}

/** Masked, as the events are. What other agents did for this one was done, and used, too. */
function createResult(summary: TurnSummary, app: App): TurnResult {
  const { receipt, secrets, statistics: { requests, totals: { usage } } } = app;
  const { text, reason, turns, duration_ms, error, cause } = summary;
  const { tool_calls, denied } = withDelegated(summary);
  const result: TurnResult = {
    type: "result",
    text,
    reason,
    session_id: app.sessionId() ?? null,
    turns,
    tool_calls,
    denied,
    usage,
    requests,
    duration_ms,
    ...("structured" in summary ? { structured: summary.structured } : {}),
    ...summary.cut && { cut: summary.cut },
    ...(receipt === undefined ? {} : { receipt: receipt.summary }),
    ...(error === undefined ? {} : { error }),
  };
  const masked = mapStrings(result, (one) => secrets.remask(one));
  return cause === undefined ? masked : { ...masked, cause };
}
