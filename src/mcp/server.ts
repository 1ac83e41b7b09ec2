/**
 * The life of one server: it starts when first needed, starts again after a failure, later and later if it keeps
 * failing, and its tools can be called only as they were approved.
 */
import { ToolError } from "../core/errors.ts";
import { abortable, CoalescedTask } from "../lib/async.ts";
import { cutSafely } from "../lib/excerpt.ts";
import { messageOf, stripControls } from "../lib/text.ts";
import { type McpPrompt, type McpTool, pinOf } from "./capabilities.ts";
import { connect } from "./connect.ts";
import type { CallOptions, Connection } from "./connection.ts";
import type { ServerContext } from "./context.ts";
import { displayName } from "./names.ts";
import {
  approvalStateOf,
  type Capabilities,
  ServerCache,
  type ServerRecord,
} from "./server_cache.ts";
import { hashOfConfig, type ServerConfig, targetOf } from "./server_config.ts";

/** Milliseconds for a server to list its tools after it announced a change. */
const REFRESH_MS = 10_000;
/** Milliseconds for a server to answer a ping after a call timed out. */
const PING_MS = 3_000;
/** Milliseconds before the next attempt after the second failure; doubled with each. */
const BACKOFF = 1_000;
const MAX_BACKOFF = 60_000;
/** How often a server may announce a change of its tools between two starts. */
const MAX_LIST_CHANGES = 50;
const MAX_LOG_LINES = 50;

/** What a server is doing: it is off, waits for approval, was not needed yet, starts, is up, or is down. */
type ServerState = "disabled" | "unapproved" | "idle" | "starting" | "ready" | "failed";

/** A tool that cannot be called as it is offered now. */
export interface UnapprovedTool {
  readonly tool: McpTool;
  /** The approved tool of that name; undefined for a new one. */
  readonly approved: McpTool | undefined;
}

/** One server. */
export class Server {
  readonly config: ServerConfig;
  readonly #context: ServerContext;
  readonly #cache: ServerCache;
  #record: ServerRecord | undefined;
  #disabled: boolean;
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #abortController = new AbortController();
  readonly #refreshTask = new CoalescedTask(() => this.#refreshCapabilities());
  #listChanges = 0;
  #failures = 0;
  #retryAt = 0;
  #error: string | undefined;
  #lastWarning = "";
  #lastRepeated = "";
  /** The last lines of its log and its standard error. */
  readonly logLines: string[] = [];

  #hash: string | undefined;

  constructor(config: ServerConfig, context: ServerContext) {
    this.config = config;
    this.#context = context;
    this.#cache = new ServerCache(config, context.cacheDirectory);
    this.#disabled = config.disabled;
  }

  /** Reads what earlier runs learned of it. */
  load(): void {
    this.#record = this.#cache.read();
  }

  get state(): ServerState {
    if (this.#disabled) return "disabled";
    if (this.approvedTarget !== undefined) return "unapproved";
    if (this.#connection) return "ready";
    if (this.#connecting) return "starting";
    return this.#error === undefined ? "idle" : "failed";
  }

  /** Why it is down. */
  get error(): string | undefined {
    return this.#error;
  }

  /** The command line or address that was approved, if the entry has changed since. */
  get approvedTarget(): string | undefined {
    const record = this.#record;
    return record && record.entry !== this.#entry ? record.place : undefined;
  }

  /** Whether its tools are known without starting it. */
  get hasKnownTools(): boolean {
    return this.#record?.offer !== undefined;
  }

  /** The tools that may be called. */
  get tools(): readonly McpTool[] {
    const record = this.#record;
    if (this.#disabled || !record || this.approvedTarget !== undefined) return [];
    return record.offer?.tools.filter((tool) => approvalStateOf(tool, record) === "approved") ?? [];
  }

  /** The tools that are off because they differ from what was approved. */
  get unapprovedTools(): readonly UnapprovedTool[] {
    const record = this.#record;
    if (!record || this.approvedTarget !== undefined) return [];
    return (record.offer?.tools ?? [])
      .filter((tool) => approvalStateOf(tool, record) !== "approved")
      .map((tool) => ({ tool, approved: record.approved.find(({ name }) => name === tool.name) }));
  }

  /** Whether something of it is off until the user approves it. */
  get needsApproval(): boolean {
    return !this.#disabled &&
      (this.approvedTarget !== undefined || this.unapprovedTools.length > 0);
  }

  get prompts(): readonly McpPrompt[] {
    return this.#disabled || this.approvedTarget !== undefined
      ? []
      : this.#record?.offer?.prompts ?? [];
  }

  /** Starts it if need be. @throws {ToolError} it cannot be used, and why */
  async start(signal: AbortSignal): Promise<void> {
    await this.#ensureConnected(signal);
  }

  /** Runs a tool as it was approved; the result as it came. @throws {ToolError} it failed, and why */
  async callTool(
    { tool, pin, input }: {
      tool: string;
      pin: string;
      input: Readonly<Record<string, unknown>>;
    },
    options: Omit<CallOptions, "timeoutMs">,
  ): Promise<Record<string, unknown>> {
    return await this.#request(options.signal, (connection) => {
      this.#requireApproved(tool, pin);
      const { asTask = false } = this.tools.find(({ name }) => name === tool) ?? {};
      const call = { name: tool, arguments: input, asTask };
      return connection.callTool(call, { ...options, timeoutMs: this.config.callMs });
    });
  }

  /** Looks after a call at what it has made; where that is now. */
  review(): Promise<readonly string[]> {
    return this.#context.review();
  }

  /** The contents of a resource, as they came. @throws {ToolError} */
  async readResource(uri: string, signal: AbortSignal): Promise<Record<string, unknown>> {
    return await this.#request(
      signal,
      (connection) => connection.readResource(uri, { signal, timeoutMs: this.config.callMs }),
    );
  }

  /** Its resources, as they came. @throws {ToolError} */
  async listResources(signal: AbortSignal): Promise<readonly unknown[]> {
    return await this.#request(
      signal,
      (connection) => connection.listResources({ signal, timeoutMs: this.config.callMs }),
    );
  }

  /** The text of a prompt, as it came. @throws {ToolError} */
  async getPrompt(
    prompt: { name: string; arguments: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    return await this.#request(
      signal,
      (connection) => connection.getPrompt(prompt, { signal, timeoutMs: this.config.callMs }),
    );
  }

  /** Approves its command line and its tools as they are now. */
  async approve(): Promise<void> {
    const record = this.#record;
    this.#record = record && this.approvedTarget === undefined
      ? { ...record, approved: record.offer?.tools ?? [] }
      : { entry: this.#entry, place: targetOf(this.config), approved: [] };
    await this.#cache.write(this.#record);
    this.#context.onChange();
  }

  /** Switches it on or off for this run. */
  async setEnabled(on: boolean): Promise<void> {
    this.#disabled = !on;
    if (!on) await this.stop();
    this.#context.onChange();
  }

  /** Ends it; the next call starts it again. */
  async stop(): Promise<void> {
    if (this.#connecting || this.#connection) {
      this.#abortController.abort();
      this.#abortController = new AbortController();
    }
    const connection = this.#connection;
    this.#connection = undefined;
    this.#error = undefined;
    [this.#failures, this.#retryAt] = [0, 0];
    // The next call must start it again rather than wait for this start.
    await this.#connecting?.catch(() => {});
    await connection?.close();
  }

  /** Ends it at once, without waiting, because ally itself ends. */
  kill(): void {
    this.#abortController.abort();
    this.#connection?.kill("ally ended");
  }

  async #request<T>(signal: AbortSignal, run: (connection: Connection) => Promise<T>): Promise<T> {
    for (let isAgain = false;; isAgain = true) {
      const connection = await this.#ensureConnected(signal);
      await abortable(this.#refreshTask.settled, signal);
      try {
        const result = await run(connection);
        this.#failures = 0;
        return result;
      } catch (error) {
        const { RequestError } = await import("./connection.ts");
        if (!(error instanceof RequestError)) throw error;
        if (error.isTransport) this.#disconnect(error.message, connection);
        if (error.isSessionLost && !isAgain) continue;
        if (error.isTimeout) this.#pingOrDisconnect(connection);
        throw this.#toolError(this.#describeError(error));
      }
    }
  }

  #requireApproved(name: string, pin: string): void {
    if (this.tools.some((one) => one.name === name && this.pinOf(one) === pin)) return;
    throw new ToolError(
      `The server ${this.config.name} no longer offers ${name} as it was approved`,
      {
        kind: "security",
        suggestion: `Do without it, or tell the user, who can look at it with ` +
          `/mcp approve ${this.config.slug} (or: ally mcp approve ${this.config.slug}).`,
      },
    );
  }

  /** The hash of a tool that it offers, with how it is started. */
  pinOf(tool: McpTool): string {
    return pinOf(this.#entry, tool);
  }

  /** Identifies its configuration. */
  get #entry(): string {
    return this.#hash ??= hashOfConfig(this.config);
  }

  /** The connection, made if need be. */
  async #ensureConnected(signal: AbortSignal): Promise<Connection> {
    signal.throwIfAborted();
    if (this.#disabled) throw this.#toolError("it is disabled");
    if (this.approvedTarget !== undefined) {
      throw this.#toolError("its entry changed and waits for approval");
    }
    const refused = this.#context.blockReason(this.config);
    if (refused !== undefined) throw this.#toolError(refused);
    if (this.#connection) return this.#connection;
    const wait = Math.ceil((this.#retryAt - performance.now()) / 1000);
    if (!this.#connecting && wait > 0) {
      throw this.#toolError(`${this.#error}; the next attempt is possible in ${wait} s`);
    }
    return await abortable(this.#connecting ??= this.#connect(), signal);
  }

  async #connect(): Promise<Connection> {
    const leaving = this.#abortController.signal;
    const { startMs } = this.#context;
    this.#context.onChange();
    let connection: Connection | undefined;
    try {
      this.#listChanges = 0;
      connection = await connect(this.config, {
        context: this.#context,
        signal: leaving,
        startMs,
        onListChanged: () => this.#handleListChanged(),
        // Another one may have been made while this one was still ending.
        onClosed: (why) => this.#disconnect(why, connection),
        onLog: (line) => this.#log(line),
      });
      const offer = await connection.listCapabilities({ signal: leaving, timeoutMs: startMs });
      leaving.throwIfAborted();
      this.#connection = connection;
      this.#error = undefined;
      await this.#applyCapabilities(offer);
      return connection;
    } catch (error) {
      await connection?.close();
      const why = this.#describeError(error);
      if (!leaving.aborted) this.#recordFailure(why);
      throw this.#toolError(why);
    } finally {
      this.#connecting = undefined;
      this.#context.onChange();
    }
  }

  #describeError(error: unknown): string {
    const names = error instanceof Error
      ? [error.name, (error.cause as Error | undefined)?.name]
      : [];
    const login = names.includes("LoginNeeded") || names.includes("UnauthorizedError");
    return login ? `${messageOf(error)} (ally mcp login ${this.config.slug})` : messageOf(error);
  }

  /** The tools may have changed: no call runs before they are known again. */
  #handleListChanged(): void {
    const connection = this.#connection;
    if (!connection) return;
    if (++this.#listChanges > MAX_LIST_CHANGES) {
      return connection.kill("it keeps announcing changes of its tools");
    }
    this.#refreshTask.request();
  }

  async #refreshCapabilities(): Promise<void> {
    const timeoutMs = Math.min(REFRESH_MS, this.config.callMs);
    try {
      const offer = await this.#connection?.listCapabilities({
        signal: this.#abortController.signal,
        timeoutMs,
      });
      if (offer) await this.#applyCapabilities(offer);
    } catch (error) {
      this.#log(messageOf(error));
    }
  }

  /** Takes over its tools and prompts; tools that differ from what was approved are off, and the user is told once. */
  async #applyCapabilities(
    { repeated, ...capabilities }: Capabilities & { readonly repeated: readonly string[] },
  ): Promise<void> {
    this.#warnOfRepeated(repeated);
    this.#record = this.#record?.offer === undefined && (this.#record?.approved.length ?? 0) === 0
      ? {
        entry: this.#entry,
        place: targetOf(this.config),
        offer: capabilities,
        approved: capabilities.tools,
      }
      : { ...this.#record!, offer: capabilities };
    await this.#cache.write(this.#record);
    const names = this.unapprovedTools.map(({ tool, approved }) =>
      `${displayName(tool.name)} (${approved ? "changed" : "new"})`
    );
    const text = names.join(", ");
    if (text !== "" && text !== this.#lastWarning) {
      const { slug } = this.config;
      this.#context.notice(
        "warning",
        `MCP server ${slug} offers other tools than were approved; they are off: ${text}. ` +
          `See and approve them with /mcp approve ${slug} (or: ally mcp approve ${slug}).`,
      );
    }
    this.#lastWarning = text;
    this.#context.onChange();
  }

  #warnOfRepeated(repeated: readonly string[]): void {
    const names = repeated.map(displayName).join(", ");
    if (names !== "" && names !== this.#lastRepeated) {
      this.#context.notice(
        "warning",
        `MCP server ${this.config.slug} lists names more than once; the first of each counts: ${names}.`,
      );
    }
    this.#lastRepeated = names;
  }

  /** A connection is gone; nothing happens if it is not the one in use. */
  #disconnect(why: string, connection: Connection | undefined): void {
    if (!connection || connection !== this.#connection) return;
    this.#connection = undefined;
    connection.kill(why);
    this.#recordFailure(why);
    this.#context.onChange();
  }

  #recordFailure(why: string): void {
    this.#error = why.replace(/\.$/, "");
    this.#failures++;
    const pause = this.#failures < 2 ? 0 : BACKOFF * 2 ** (this.#failures - 2);
    this.#retryAt = performance.now() + Math.min(pause, MAX_BACKOFF);
  }

  /** Gives a server up after a timed-out call, unless it answers a ping. */
  #pingOrDisconnect(connection: Connection): void {
    connection.ping(PING_MS).catch(() => this.#disconnect("it no longer answers", connection));
  }

  #log(line: string): void {
    this.logLines.push(stripControls(line).trimEnd());
    if (this.logLines.length > MAX_LOG_LINES) this.logLines.shift();
  }

  #toolError(why: string): ToolError {
    const last = this.config.transport.kind === "stdio" ? this.logLines.at(-1) : undefined;
    const output = last && this.#error !== undefined
      ? ` Its last output: ${cutSafely(last, 200)}`
      : "";
    return new ToolError(`MCP server ${this.config.slug}: ${why.replace(/\.$/, "")}.${output}`, {
      kind: "system",
      suggestion: "Do without this server, or tell the user; /mcp shows its state.",
    });
  }
}
