/**
 * One connection to one server through the official client: its capabilities, calls, prompts and resources. Results
 * are returned as they came and read field by field elsewhere. Loaded when a server is first needed.
 */
import { Client } from "@modelcontextprotocol/sdk/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport";
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol";
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  CallToolResultSchema,
  ErrorCode,
  LoggingMessageNotificationSchema,
  McpError,
  PromptListChangedNotificationSchema,
  type Request,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { abortable, MAX_TIMER_MS } from "../lib/async.ts";
import { isUntrusted, isWrongScheme, readFetchError } from "../lib/fetch_problem.ts";
import { pageWords } from "../lib/html_page.ts";
import { isDeeper } from "../lib/schema.ts";
import { cutSafely } from "../lib/excerpt.ts";
import { causeMessages, formatBytes, messageOf, stripControls } from "../lib/text.ts";
import { firstOfEachName, MAX_TOOLS, parsePrompt, parseTool } from "./capabilities.ts";
import { httpTransport, requiresSse, sseTransport } from "./http.ts";
import { LoginNeeded } from "./login_provider.ts";
import { RateLimit } from "./rate_limit.ts";
import type { Capabilities } from "./server_cache.ts";
import type { HttpConfig } from "./server_config.ts";
import { MAX_MESSAGE_BYTES, type StdioOptions, StdioTransport } from "./stdio.ts";

/** Pages of one list that are read. */
const MAX_PAGES = 50;
/** The total time of a call that reports progress, as a multiple of its timeout. */
const MAX_TIMEOUT_FACTOR = 10;
/** Milliseconds for a server over HTTP to hear that its session ends. */
const END_SESSION_MS = 2_000;
const MAX_LOG = 2000;
/** Levels of objects and lists in each other in an answer: far deeper ones cannot be written as JSON again. */
const MAX_DEPTH = 500;
/** Characters of one progress message. */
const MAX_PROGRESS = 500;

/** What a connection is made with. */
export interface ConnectionOptions {
  /** A program to start, or an address. */
  readonly target: { readonly kind: "stdio"; readonly start: StdioOptions } | HttpConfig;
  /** Of the saved login, if there is one. */
  readonly authProvider?: OAuthClientProvider | undefined;
  /** ally's version, told to the server. */
  readonly version: string;
  /** Milliseconds for its initialization. */
  readonly startMs: number;
  readonly signal: AbortSignal;
  /** It announced that its tools or prompts changed. */
  readonly onListChanged: () => void;
  /** The connection was closed, and why. */
  readonly onClosed: (why: string) => void;
  /** Gets a message of its log. */
  readonly onLog: (line: string) => void;
}

/** How one request is made. */
export interface CallOptions {
  readonly signal: AbortSignal;
  /** Milliseconds without progress. */
  readonly timeoutMs: number;
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** A connection to an initialized server. */
export class Connection {
  readonly #client: Client;
  readonly #transport: Transport;
  /** Why it was ended, if it was. */
  #endReason: string | undefined;

  private constructor(client: Client, transport: Transport) {
    this.#client = client;
    this.#transport = transport;
  }

  /**
   * Connects; to a server without streamable HTTP by the older transport.
   * @throws {LoginNeeded} it asks for a login @throws {Error} why it cannot; nothing is left running then
   */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const { target } = options;
    if (target.kind === "stdio") {
      return await Connection.#open(new StdioTransport(target.start), options);
    }
    const { authProvider } = options;
    const open = async (make: typeof httpTransport | typeof sseTransport) => {
      const { promise: oversized, resolve: onOversized } = Promise.withResolvers<string>();
      const transport = await make(target, { authProvider, onOversized }) as Transport;
      return await Connection.#open(transport, { ...options, oversized });
    };
    if (target.older) return await open(sseTransport);
    try {
      return await open(httpTransport);
    } catch (error) {
      if (!(error instanceof Error) || !requiresSse(error.cause)) throw error;
      // If that fails too, the first answer says more.
      return await open(sseTransport).catch(() => Promise.reject(error));
    }
  }

  static async #open(
    transport: Transport,
    options: ConnectionOptions & { readonly oversized?: Promise<string> },
  ): Promise<Connection> {
    const { version, startMs, signal, oversized, onClosed, onLog, onListChanged } = options;
    const client = new Client({ name: "ally", version }, { capabilities: {} });
    const connection = new Connection(client, transport);
    client.onclose = () => onClosed(connection.#failure ?? "the connection was closed");
    oversized?.then((why) => connection.kill(why));
    client.onerror = (error) => onLog(cutSafely(error.message, MAX_LOG));
    client.setNotificationHandler(ToolListChangedNotificationSchema, onListChanged);
    client.setNotificationHandler(PromptListChangedNotificationSchema, onListChanged);
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      const text = typeof params.data === "string" ? params.data : JSON.stringify(params.data);
      onLog(cutSafely(`${params.level}: ${text}`, MAX_LOG));
    });
    const leave = () => connection.kill("ally ended");
    signal.addEventListener("abort", leave, { once: true });
    try {
      const connecting = client.connect(transport as never, { timeout: startMs, signal });
      // The client has set its handler by now.
      connection.#limitRate();
      await connecting;
      return connection;
    } catch (error) {
      const { target } = options;
      const why = connection.#failure ??
        (target.kind === "stdio" ? undefined : describeNoAnswer(error, target.url)) ??
        describeError(error, startMs);
      connection.kill(why);
      await connection.close();
      if (isUnauthorized(error)) throw new LoginNeeded(why, { cause: error });
      throw new Error(why, { cause: error });
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  /** Its tools and prompts now, each name once; `repeated` are the names that it lists again. @throws {Error} it fails, or does not answer in time */
  async listCapabilities(
    options: CallOptions,
  ): Promise<Capabilities & { readonly repeated: readonly string[] }> {
    const { tools, prompts } = this.#client.getServerCapabilities() ?? {};
    const offered = tools ? await this.#list("tools", options) : [];
    const asked = prompts ? await this.#list("prompts", options).catch(() => []) : [];
    const ofTools = firstOfEachName(offered.flatMap((one) => parseTool(one) ?? []));
    const ofPrompts = firstOfEachName(asked.flatMap((one) => parsePrompt(one) ?? []));
    return {
      tools: ofTools.first,
      prompts: ofPrompts.first,
      repeated: [...ofTools.repeated, ...ofPrompts.repeated],
    };
  }

  /** Runs a tool; the result as it came. @throws {Error} it failed, or did not answer in time */
  callTool(
    { asTask, ...params }: {
      name: string;
      arguments: Readonly<Record<string, unknown>>;
      asTask: boolean;
    },
    options: CallOptions,
  ): Promise<Record<string, unknown>> {
    const request = { method: "tools/call", params };
    return asTask ? this.#callAsTask(request.params, options) : this.#request(request, options);
  }

  /** The text of a prompt, as it came. */
  getPrompt(
    prompt: { name: string; arguments: Readonly<Record<string, string>> },
    options: CallOptions,
  ): Promise<Record<string, unknown>> {
    return this.#request({ method: "prompts/get", params: prompt }, options);
  }

  /** The contents of a resource, as they came. */
  readResource(uri: string, options: CallOptions): Promise<Record<string, unknown>> {
    return this.#request({ method: "resources/read", params: { uri } }, options);
  }

  /** Its resources, as they came; none if it has none. */
  async listResources(options: CallOptions): Promise<readonly unknown[]> {
    if (!this.#client.getServerCapabilities()?.resources) return [];
    return await this.#list("resources", options);
  }

  /** Checks that the server answers. @throws {Error} it does not in time */
  async ping(timeoutMs: number): Promise<void> {
    await this.#client.ping({ timeout: timeoutMs });
  }

  /** Closes it in order. Never throws. */
  async close(): Promise<void> {
    const { terminateSession } = this.#transport as Partial<StreamableHTTPClientTransport>;
    const ended = terminateSession?.call(this.#transport);
    if (ended) await abortable(ended, AbortSignal.timeout(END_SESSION_MS)).catch(() => {});
    await this.#client.close().catch(() => {});
    await this.#transport.close().catch(() => {});
  }

  /** Ends it at once. */
  kill(why: string): void {
    this.#endReason ??= why;
    if (this.#transport instanceof StdioTransport) this.#transport.kill(why);
    else this.#transport.close().catch(() => {});
  }

  /** Why the transport failed, if that is known. */
  get #failure(): string | undefined {
    return this.#transport instanceof StdioTransport ? this.#transport.failure : this.#endReason;
  }

  async #list(
    what: "tools" | "prompts" | "resources",
    options: CallOptions,
  ): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    let cursor: unknown;
    let characters = 0;
    for (let page = 0; page < MAX_PAGES && items.length < MAX_TOOLS; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const result = await this.#request({ method: `${what}/list`, params } as Request, options);
      if (Array.isArray(result[what])) items.push(...result[what].slice(0, MAX_TOOLS));
      characters += JSON.stringify(result).length;
      if (characters > MAX_MESSAGE_BYTES) {
        throw new Error(`its list of ${what} is longer than ${formatBytes(MAX_MESSAGE_BYTES)}`);
      }
      cursor = result.nextCursor;
      if (typeof cursor !== "string" || cursor === "") break;
    }
    return items;
  }

  async #request(request: Request, options: CallOptions): Promise<Record<string, unknown>> {
    const { signal, timeoutMs } = options;
    try {
      return requireFlat(
        await this.#client.request(request, ResultSchema, requestOptions(options)),
      );
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw new RequestError(this.#describeFailure(error, timeoutMs), { cause: error });
    }
  }

  /** Starts a task and polls it until it is done or its time is over. */
  async #callAsTask(
    call: { name: string; arguments: Readonly<Record<string, unknown>> },
    options: CallOptions,
  ): Promise<Record<string, unknown>> {
    const { signal, timeoutMs, onProgress } = options;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(totalMs(timeoutMs))]);
    const run = async () => {
      const how = { ...requestOptions({ ...options, signal: limit }), task: {} };
      const { tasks } = this.#client.experimental;
      for await (const message of tasks.callToolStream(call, CallToolResultSchema, how)) {
        if (message.type === "result") return requireFlat(message.result);
        if (message.type === "error") throw message.error;
        const { status, statusMessage } = message.task;
        onProgress?.(cutSafely([status, statusMessage].filter(Boolean).join(": "), MAX_PROGRESS));
      }
      throw new Error("the task ended without a result");
    };
    try {
      return await abortable(run(), limit);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw new RequestError(this.#describeFailure(error, timeoutMs), { cause: error });
    }
  }

  #describeFailure(error: unknown, timeoutMs: number): string {
    const why = describeError(error, timeoutMs);
    return this.#failure === undefined ? why : `${why}: ${this.#failure}`;
  }

  /** Counts every message before the client gets it. */
  #limitRate(): void {
    const transport = this.#transport as { onmessage?: (...args: unknown[]) => void };
    const receive = transport.onmessage;
    const limit = new RateLimit({ now: () => performance.now() });
    let exceeded = false;
    transport.onmessage = (...args) => {
      if (exceeded) return;
      exceeded = limit.countMessage();
      if (exceeded) this.kill("it flooded ally with messages");
      else receive?.(...args);
    };
  }
}

/** The answer. @throws {McpError} it is nested too deep */
function requireFlat<T>(answer: T): T {
  if (!isDeeper(answer, MAX_DEPTH)) return answer;
  const why = `its answer is nested deeper than ${MAX_DEPTH} levels, which is refused`;
  throw new McpError(ErrorCode.InternalError, why);
}

/** How long a call with this timeout may take in all. */
function totalMs(timeoutMs: number): number {
  return Math.min(timeoutMs * MAX_TIMEOUT_FACTOR, MAX_TIMER_MS);
}

function requestOptions({ signal, timeoutMs, onProgress }: CallOptions): RequestOptions {
  return {
    signal,
    timeout: timeoutMs,
    resetTimeoutOnProgress: true,
    maxTotalTimeout: totalMs(timeoutMs),
    ...(onProgress && {
      onprogress: ({ progress, total, message }) => {
        const share = total === undefined ? `${progress}` : `${progress}/${total}`;
        onProgress(cutSafely([share, message].filter(Boolean).join(" "), MAX_PROGRESS));
      },
    }),
  };
}

/** A request that failed; the connection may still be good. */
export class RequestError extends Error {
  override name = "RequestError";

  /** Whether the server no longer knows the session: the request was not executed and may be sent again. */
  get isSessionLost(): boolean {
    return this.#code === 404;
  }

  /** Whether it timed out. */
  get isTimeout(): boolean {
    return this.#code === TIMEOUT_CODE;
  }

  /** Whether the transport failed rather than the server. */
  get isTransport(): boolean {
    const code = this.#code;
    return code === CLOSED_CODE || typeof code !== "number" || code > 0;
  }

  get #code(): unknown {
    return this.cause instanceof Error && "code" in this.cause ? this.cause.code : undefined;
  }
}

/** Whether a server asks for a login. */
function isUnauthorized(error: unknown): boolean {
  if (error instanceof LoginNeeded) return true;
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === UNAUTHORIZED) || error.name === "UnauthorizedError";
}

/** HTTP's own. */
const UNAUTHORIZED = 401;
const MIN_HTTP_STATUS = 100;
/** Characters shown of an answer that was not a message. */
const MAX_ANSWER = 200;
/** The client's own error codes. */
const TIMEOUT_CODE = -32001;
const CLOSED_CODE = -32000;

function describeError(error: unknown, timeoutMs: number): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === TIMEOUT_CODE) return `no answer within ${Math.round(timeoutMs / 100) / 10} seconds`;
  if (error instanceof LoginNeeded) return error.message;
  if (isUnauthorized(error)) return "it asks for a login";
  if (code === CLOSED_CODE) return "the server ended before it answered";
  if (error instanceof Error && "issues" in error) {
    return "its answer is not valid MCP";
  }
  if (typeof code === "number" && code >= MIN_HTTP_STATUS) {
    const text = messageOf(error).replace(
      /^Streamable HTTP error: (Error POSTing to endpoint: ?)?/,
      "",
    );
    const page = pageWords(text);
    const words = page === undefined ? text.trim() : `${page}; is its address right?`;
    return cutSafely(stripControls(`it answered ${code}: ${words}`), MAX_ANSWER);
  }
  const why = withCauses(error).replace(/^MCP error -?\d+: /, "").replace(/\.$/, "");
  return cutSafely(stripControls(why), MAX_LOG);
}

/** What kept an address from being reached, and what to do; undefined if it was something else. */
function describeNoAnswer(error: unknown, address: string): string | undefined {
  const { kind, words } = readFetchError(error);
  const { origin, hostname, protocol } = new URL(address);
  switch (kind) {
    case "refused":
      return `${origin} refuses connections: start the server, or correct its address`;
    case "unresolved":
      return `the host ${hostname} cannot be found: correct the address, or check the network`;
    case "unreachable":
      if (isUntrusted(words)) {
        return `${origin} has a certificate that is not trusted (${words}): if the authority is ` +
          "your own, name it with DENO_CERT=FILE";
      }
      return isWrongScheme(words)
        ? `${origin} does not speak ${protocol.slice(0, -1)}: use ${
          protocol === "https:" ? "http" : "https"
        }:// in its address`
        : `${origin} cannot be reached (${words.replace(/\.$/, "")}): check its address`;
    default:
      return undefined;
  }
}

/** "fetch failed: connection refused", without causes that only repeat what was said. */
function withCauses(error: unknown): string {
  return causeMessages(error)
    .filter((message, index, all) => !all.slice(0, index).some((one) => one.includes(message)))
    .join(": ");
}
