/**
 * The life of one server: started when it is first needed, started again after it died, held back after it died too
 * often, and its tools usable only as they were approved. `servers.ts` has one for each entry.
 */
import { ToolError } from "../core/errors.ts";
import { cutEnd, messageOf, stripControls } from "../lib/text.ts";
import { Renewal, unlessAborted } from "./async.ts";
import { type OfferedPrompt, type OfferedTool, pinOf } from "./capabilities.ts";
import type { CallOptions, Connection } from "./connection.ts";
import type { Surroundings } from "./context.ts";
import { plainName } from "./names.ts";
import { isSameEntry, type Known, type Offer, ServerMemory, standingOf } from "./server_cache.ts";
import { hashOfEntry, placeOf, type ServerEntry } from "./server_config.ts";
import { connect } from "./start.ts";

/** Milliseconds until a server must have introduced itself; the first start may have to fetch a package. */
const START_MS = 60_000;
/** Milliseconds that a server which announced other tools gets to name them. */
const RENEW_MS = 10_000;
/** Milliseconds within which a server that let a call run out of time must show that it lives. */
const PING_MS = 3_000;
/** Milliseconds between two tries after the second failure; doubled with each. */
const BACKOFF = 1_000;
const LONGEST_BACKOFF = 60_000;
/** Times that one run of a server may announce other tools. */
const MOST_ANNOUNCEMENTS = 50;
const MOST_LINES = 50;

/** What a server is doing: it waits for the user, was never needed yet, is up, or is down. */
export type ServerState = "disabled" | "unapproved" | "idle" | "starting" | "ready" | "failed";

/** A tool that is not usable as it is offered now. */
export interface Difference {
  readonly tool: OfferedTool;
  /** What was approved under its name; absent for a new one. */
  readonly before: OfferedTool | undefined;
}

/** One server. */
export class Server {
  readonly entry: ServerEntry;
  readonly #around: Surroundings;
  readonly #memory: ServerMemory;
  #known: Known | undefined;
  #disabled: boolean;
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #leaving = new AbortController();
  readonly #offers = new Renewal(() => this.#renew());
  #announcements = 0;
  #failures = 0;
  #retryAt = 0;
  #error: string | undefined;
  #told = "";
  /** What it wrote to its log and its stderr last. */
  readonly lines: string[] = [];

  constructor(entry: ServerEntry, around: Surroundings) {
    this.entry = entry;
    this.#around = around;
    this.#memory = new ServerMemory(entry, around.memoryDirectory);
    this.#disabled = entry.disabled;
  }

  /** Reads what is known of it from earlier runs. */
  async load(): Promise<void> {
    this.#known = await this.#memory.read();
  }

  get state(): ServerState {
    if (this.#disabled) return "disabled";
    if (this.changedFrom !== undefined) return "unapproved";
    if (this.#connection) return "ready";
    if (this.#connecting) return "starting";
    return this.#error === undefined ? "idle" : "failed";
  }

  /** Why it is down. */
  get error(): string | undefined {
    return this.#error;
  }

  /** The command line or address that was approved, if the entry is another one now. */
  get changedFrom(): string | undefined {
    const known = this.#known;
    return known && !known.slow && !isSameEntry(this.entry, known) ? known.place : undefined;
  }

  /** Whether it was too slow to tell its tools before, and has told none since. */
  get isSlow(): boolean {
    const known = this.#known;
    return known?.slow === true && isSameEntry(this.entry, known);
  }

  /** Remembers that it was waited for in vain. */
  async noteSlow(): Promise<void> {
    if (this.isKnown) return;
    this.#known = {
      entry: hashOfEntry(this.entry),
      place: placeOf(this.entry),
      approved: [],
      slow: true,
    };
    await this.#memory.write(this.#known);
  }

  /** Whether its tools are known without starting it. */
  get isKnown(): boolean {
    return this.#known?.offer !== undefined;
  }

  /** The tools that may be called. */
  get tools(): readonly OfferedTool[] {
    const known = this.#known;
    if (this.#disabled || !known || this.changedFrom !== undefined) return [];
    return known.offer?.tools.filter((tool) => standingOf(tool, known) === "approved") ?? [];
  }

  /** The tools that are off because they are not what was approved. */
  get differences(): readonly Difference[] {
    const known = this.#known;
    if (!known || this.changedFrom !== undefined) return [];
    return (known.offer?.tools ?? [])
      .filter((tool) => standingOf(tool, known) !== "approved")
      .map((tool) => ({ tool, before: known.approved.find(({ name }) => name === tool.name) }));
  }

  /** Whether something of it is off until the user approves it. */
  get isWaiting(): boolean {
    return !this.#disabled && (this.changedFrom !== undefined || this.differences.length > 0);
  }

  get prompts(): readonly OfferedPrompt[] {
    return this.#disabled || this.changedFrom !== undefined
      ? []
      : this.#known?.offer?.prompts ?? [];
  }

  /** Starts it if need be. @throws {ToolError} it cannot be used, and why */
  async start(signal: AbortSignal): Promise<void> {
    await this.#ensure(signal);
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
      return connection.callTool(call, { ...options, timeoutMs: this.entry.callMs });
    });
  }

  /** What a resource holds, as it came. @throws {ToolError} */
  async readResource(uri: string, signal: AbortSignal): Promise<Record<string, unknown>> {
    return await this.#request(
      signal,
      (connection) => connection.readResource(uri, { signal, timeoutMs: this.entry.callMs }),
    );
  }

  /** Its resources, as they came. @throws {ToolError} */
  async resources(signal: AbortSignal): Promise<readonly unknown[]> {
    return await this.#request(
      signal,
      (connection) => connection.resources({ signal, timeoutMs: this.entry.callMs }),
    );
  }

  /** What a prompt says, as it came. @throws {ToolError} */
  async getPrompt(
    prompt: { name: string; arguments: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    return await this.#request(
      signal,
      (connection) => connection.getPrompt(prompt, { signal, timeoutMs: this.entry.callMs }),
    );
  }

  /** Approves its command line and its tools as they are now. */
  async approve(): Promise<void> {
    const known = this.#known;
    this.#known = known && this.changedFrom === undefined
      ? { ...known, approved: known.offer?.tools ?? [] }
      : { entry: hashOfEntry(this.entry), place: placeOf(this.entry), approved: [] };
    await this.#memory.write(this.#known);
    this.#around.onChange();
  }

  /** Uses it from now on, or no longer; in this run. */
  async enable(on: boolean): Promise<void> {
    this.#disabled = !on;
    if (!on) await this.stop();
    this.#around.onChange();
  }

  /** Ends it; the next call starts it again. */
  async stop(): Promise<void> {
    this.#leaving.abort();
    this.#leaving = new AbortController();
    const connection = this.#connection;
    this.#connection = undefined;
    this.#error = undefined;
    [this.#failures, this.#retryAt] = [0, 0];
    // What has begun to start is not what the next call is to wait for.
    await this.#connecting?.catch(() => {});
    await connection?.close();
  }

  /** Ends it at once, without waiting: for the moment when ally itself ends. */
  kill(): void {
    this.#leaving.abort();
    this.#connection?.kill("ally ended");
  }

  async #request<T>(signal: AbortSignal, run: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#ensure(signal);
    await unlessAborted(this.#offers.settled, signal);
    try {
      const result = await run(connection);
      this.#failures = 0;
      return result;
    } catch (error) {
      const { RequestError } = await import("./connection.ts");
      if (!(error instanceof RequestError)) throw error;
      if (error.isTransport) this.#drop(error.message, connection);
      if (error.isSessionLost) return await run(await this.#ensure(signal));
      if (error.isTimeout) this.#probe(connection);
      throw this.#failure(this.#reason(error));
    }
  }

  #requireApproved(name: string, pin: string): void {
    const { pins } = this;
    if (pins.get(name) === pin) return;
    throw new ToolError(
      `The server ${this.entry.name} no longer offers ${name} as it was approved`,
      {
        kind: "security",
        suggestion: `Do without it, or tell the user, who can look at it with ` +
          `/mcp approve ${this.entry.slug} (or: ally mcp approve ${this.entry.slug}).`,
      },
    );
  }

  /** By name: the hash of each tool that may be called. */
  get pins(): ReadonlyMap<string, string> {
    const entry = hashOfEntry(this.entry);
    return new Map(this.tools.map((tool) => [tool.name, pinOf(entry, tool)]));
  }

  /** The connection, made if need be. */
  async #ensure(signal: AbortSignal): Promise<Connection> {
    signal.throwIfAborted();
    if (this.#disabled) throw this.#failure("it is disabled");
    if (this.changedFrom !== undefined) {
      throw this.#failure("its entry changed and waits for approval");
    }
    const refused = this.#around.refuses(this.entry);
    if (refused !== undefined) throw this.#failure(refused);
    if (this.#connection) return this.#connection;
    const wait = Math.ceil((this.#retryAt - performance.now()) / 1000);
    if (!this.#connecting && wait > 0) {
      throw this.#failure(`${this.#error}; tried again in ${wait} s at the earliest`);
    }
    return await unlessAborted(this.#connecting ??= this.#connect(), signal);
  }

  async #connect(): Promise<Connection> {
    const leaving = this.#leaving.signal;
    this.#around.onChange();
    let connection: Connection | undefined;
    try {
      this.#announcements = 0;
      connection = await connect(this.entry, {
        around: this.#around,
        signal: leaving,
        startMs: START_MS,
        onListChanged: () => this.#announced(),
        onClosed: (why) => this.#drop(why),
        onLog: (line) => this.#log(line),
      });
      const offer = await connection.offer({ signal: leaving, timeoutMs: START_MS });
      leaving.throwIfAborted();
      this.#connection = connection;
      this.#error = undefined;
      await this.#take(offer);
      return connection;
    } catch (error) {
      await connection?.close();
      const why = this.#reason(error);
      if (!leaving.aborted) this.#fail(why);
      throw this.#failure(why);
    } finally {
      this.#connecting = undefined;
      this.#around.onChange();
    }
  }

  #reason(error: unknown): string {
    const names = error instanceof Error
      ? [error.name, (error.cause as Error | undefined)?.name]
      : [];
    const login = names.includes("LoginNeeded") || names.includes("UnauthorizedError");
    return login ? `${messageOf(error)} (ally mcp login ${this.entry.slug})` : messageOf(error);
  }

  /** The tools may be others now: nothing is called before that is known. */
  #announced(): void {
    const connection = this.#connection;
    if (!connection) return;
    if (++this.#announcements > MOST_ANNOUNCEMENTS) {
      return connection.kill("it changes its tools without end");
    }
    this.#offers.ask();
  }

  async #renew(): Promise<void> {
    const timeoutMs = Math.min(RENEW_MS, this.entry.callMs);
    try {
      const offer = await this.#connection?.offer({ signal: this.#leaving.signal, timeoutMs });
      if (offer) await this.#take(offer);
    } catch (error) {
      this.#log(messageOf(error));
    }
  }

  /** Takes over what it offers; what is not as it was approved is off, and the user is told once. */
  async #take(offer: Offer): Promise<void> {
    this.#known = this.#known?.offer === undefined && (this.#known?.approved.length ?? 0) === 0
      ? { entry: hashOfEntry(this.entry), place: placeOf(this.entry), offer, approved: offer.tools }
      : { ...this.#known!, offer };
    await this.#memory.write(this.#known);
    const names = this.differences.map(({ tool, before }) =>
      `${plainName(tool.name)} (${before ? "changed" : "new"})`
    );
    const text = names.join(", ");
    if (text !== "" && text !== this.#told) {
      const { slug } = this.entry;
      this.#around.notice(
        "warning",
        `MCP server ${slug} offers other tools than were approved; they are off: ${text}. ` +
          `See and approve them with /mcp approve ${slug} (or: ally mcp approve ${slug}).`,
      );
    }
    this.#told = text;
    this.#around.onChange();
  }

  /** The connection is gone. */
  #drop(why: string, connection = this.#connection): void {
    if (!connection || connection !== this.#connection) return;
    this.#connection = undefined;
    connection.kill(why);
    this.#fail(why);
    this.#around.onChange();
  }

  #fail(why: string): void {
    this.#error = why.replace(/\.$/, "");
    this.#failures++;
    const pause = this.#failures < 2 ? 0 : BACKOFF * 2 ** (this.#failures - 2);
    this.#retryAt = performance.now() + Math.min(pause, LONGEST_BACKOFF);
  }

  /** A server that let a call run out of time is given up unless it shows that it lives. */
  #probe(connection: Connection): void {
    connection.ping(PING_MS).catch(() => this.#drop("it no longer answers", connection));
  }

  #log(line: string): void {
    this.lines.push(stripControls(line).trimEnd());
    if (this.lines.length > MOST_LINES) this.lines.shift();
  }

  #failure(why: string): ToolError {
    const last = this.entry.how.kind === "stdio" ? this.lines.at(-1) : undefined;
    const said = last && this.#error !== undefined ? ` It wrote last: ${cutEnd(last, 200)}` : "";
    return new ToolError(`MCP server ${this.entry.slug}: ${why.replace(/\.$/, "")}.${said}`, {
      kind: "system",
      suggestion: "Do without this server, or tell the user; /mcp shows how it is.",
    });
  }
}
