/**
 * ally as an MCP server: each call of the client goes through the pipeline that the model's calls go through, under the
 * same permissions, sandbox, undo and masking. The directories that it works in are those of its command line: what the
 * client calls its roots widens nothing.
 */
import { Server } from "@modelcontextprotocol/sdk/server";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { fitResult } from "../../agent/turn_calls.ts";
import type { App } from "../../app/app.ts";
import { compose, NO_MODEL } from "../../app/compose.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { budgetTuningOf } from "../../app/tuning.ts";
import { VERSION } from "../../app/version.ts";
import { Budget } from "../../context/budget.ts";
import { TokenCounter } from "../../context/counter.ts";
import type { Event } from "../../core/event.ts";
import { Semaphore } from "../../lib/pool.ts";
import { boundMessage } from "../../lib/excerpt.ts";
import type { Registry } from "../../tools/registry.ts";
import { runCalls } from "../../tools/scheduler.ts";
import { ClientQuestions } from "./ask_client.ts";
import { ClientImages } from "./client_images.ts";
import { CallProgress } from "./progress.ts";
import { openTools, toMcpTool } from "./served_tools.ts";

/** Tokens of the window that a client's model is taken to have: of its real one MCP says nothing. */
const CLIENT_WINDOW = 200_000;

/** What a server is made with. */
interface ToolServerOptions {
  /** Names of the tools to serve. */
  readonly tools: ReadonlySet<string>;
  readonly options: Options;
  readonly io: Io;
  /** Gets a line for whoever reads the log of the client. */
  readonly log: (line: string) => void;
}

/** A run, with what is the same for all calls. */
interface OpenRun {
  readonly app: App;
  readonly budget: Budget;
  readonly permits: Semaphore;
  /** Number of the newest change when it was opened. */
  readonly since: number;
}

/** What the SDK gives with a request. */
interface RequestExtra {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
}

/** Serves one client. */
export class ToolServer {
  readonly #options: ToolServerOptions;
  readonly #server: Server;
  /** Opened once the client has introduced itself: only then it is known whether the client can ask a person. */
  #run: Promise<OpenRun> | undefined;
  #app: App | undefined;
  readonly #progress = new Set<CallProgress>();
  #calls = 0;
  /** Calls that have not ended. */
  readonly #running = new Set<Promise<unknown>>();
  /** Why the run could not be opened. */
  failure: unknown;

  constructor(options: ToolServerOptions) {
    this.#options = options;
    this.#server = new Server({ name: "ally", version: VERSION }, {
      capabilities: { tools: {} },
      instructions:
        `These tools work in ${options.options.cwd}. Read a file with read before you ` +
        "change it. What is denied says which flag of `ally mcp serve` would allow it; undo takes " +
        "changes back.",
    });
    this.#server.setRequestHandler(ListToolsRequestSchema, async () => {
      const { definitions } = this.#toolsFor({}, await this.#open());
      return { tools: definitions.map(toMcpTool) };
    });
    this.#server.setRequestHandler(
      CallToolRequestSchema,
      ({ params: { name, arguments: input = {} } }, extra) => this.#call({ name, input }, extra),
    );
    this.#server.oninitialized = () => {
      this.#open().then(({ app }) => app.warm()).catch(() => {});
    };
  }

  /** Serves the client at the other end. */
  async connect(transport: Transport): Promise<void> {
    // The SDK's own types of a transport are not exact about what may be undefined.
    await this.#server.connect(transport as never);
  }

  /** Ends what is still running, in order; its calls were aborted when the client left. */
  async close(): Promise<void> {
    // What a call did is recorded when it has ended.
    await Promise.allSettled(this.#running);
    await this.#run?.then(({ app }) => app.stopTasks()).catch(() => {});
    this.kill();
  }

  /** Ends it at once. */
  kill(): void {
    this.#app?.close();
  }

  #take(event: Event): void {
    for (const progress of this.#progress) progress.take(event);
    if (event.type === "notice") this.#options.log(`${event.level}: ${event.text}`);
  }

  /** Opens the run, once. @throws what `compose` throws, and the connection is closed */
  #open(): Promise<OpenRun> {
    return this.#run ??= this.#compose().catch((error) => {
      this.failure = error;
      void this.#server.close();
      throw error;
    });
  }

  async #compose(): Promise<OpenRun> {
    const { options, io } = this.#options;
    const canAsk = this.#server.getClientCapabilities()?.elicitation?.form !== undefined;
    const questions = new ClientQuestions({
      server: this.#server,
      mask: (text) => app.secrets.mask(text),
    });
    const app: App = await compose({ ...options, session: false }, {
      sink: (event) => this.#take(event),
      ask: canAsk
        ? (requests, signal) => questions.ask(requests, signal)
        : (requests) => Promise.resolve(requests.map(() => ({ kind: "deny" }))),
      interactive: canAsk,
      // The client is no person's screen, even where it can ask one.
      masked: true,
      servesTools: true,
      io,
    });
    this.#app = app;
    const { values } = app.settings;
    return {
      app,
      budget: new Budget({
        size: CLIENT_WINDOW,
        fixed: "",
        messages: [],
        counter: new TokenCounter({ perMessage: values.tokens_per_message }),
        tuning: budgetTuningOf(values),
      }),
      permits: new Semaphore({ limit: values.max_parallel }),
      since: await app.workspace.newestChangeNumber().catch(() => 0),
    };
  }

  async #call(
    { name, input }: { name: string; input: Readonly<Record<string, unknown>> },
    extra: RequestExtra,
  ): Promise<CallToolResult> {
    const { tools } = this.#options;
    if (!tools.has(name)) {
      const known = [...tools].join(", ");
      const problem = boundMessage(`There is no tool '${name}', only ${known}.`);
      throw new McpError(ErrorCode.InvalidParams, problem);
    }
    const run = await this.#open();
    const answer = run.permits.run(() => this.#runTool({ name, input }, { run, extra }));
    this.#running.add(answer);
    return await answer.finally(() => this.#running.delete(answer));
  }

  async #runTool(
    { name, input }: { name: string; input: Readonly<Record<string, unknown>> },
    { run, extra }: { run: OpenRun; extra: RequestExtra },
  ): Promise<CallToolResult> {
    const { app, budget } = run;
    const { scheduler, saveOutput } = app.agent.deps;
    const images = scheduler.media && new ClientImages(scheduler.media);
    const call = { id: `mcp_${++this.#calls}`, name, arguments: JSON.stringify(input) };
    const timeUp = new AbortController();
    using _clock = app.models.spending?.startClock((reason) => timeUp.abort(reason));
    using _progress = this.#tellProgress(call.id, extra);
    const { results: [outcome] } = await runCalls([call], {
      deps: {
        ...scheduler,
        registry: this.#toolsFor(input, run),
        limits: () => ({ ...scheduler.limits(), readTokens: budget.readTokens }),
        ...images && { media: images },
      },
      signal: AbortSignal.any([extra.signal, timeUp.signal]),
    });
    if (outcome === undefined) throw new Error(`Cannot answer the call of ${name}: no result`);
    const { text } = await fitResult(outcome, {
      budget,
      sharers: 1,
      ...saveOutput && { saveOutput },
    });
    const { result } = outcome;
    const shown = result.ok && images?.contentOf(result.images ?? []) || [];
    return { content: [{ type: "text", text }, ...shown], isError: !result.ok };
  }

  /** The tools for a call with these arguments. */
  #toolsFor(input: unknown, { app, since }: OpenRun): Registry {
    const { agent, current, models, workspace } = app;
    return openTools(input, {
      chosen: this.#options.tools,
      registry: agent.deps.scheduler.registry,
      workspace,
      since,
      async prepareModel() {
        if (current.settings.model !== NO_MODEL) return;
        models.switchTo(await models.resolveInitial(undefined));
      },
    });
  }

  /** Tells the progress of a call until it is disposed, if the client wants to know. */
  #tellProgress(callId: string, { _meta, signal }: RequestExtra): Disposable | undefined {
    const { progressToken } = _meta ?? {};
    if (progressToken === undefined) return undefined;
    const progress = new CallProgress({
      callId,
      send: (count, message) => {
        if (signal.aborted) return;
        const params = { progressToken, progress: count, message };
        void this.#server.notification({ method: "notifications/progress", params }).catch(
          () => {},
        );
      },
    });
    this.#progress.add(progress);
    return {
      [Symbol.dispose]: () => {
        progress.end();
        this.#progress.delete(progress);
      },
    };
  }
}
