/**
 * The running process of a plugin's modules: it exchanges JSON lines with ally and is ended as a group. A call that
 * takes too long or is interrupted ends the process, because nothing else ends a loop.
 */
import { ToolError } from "../core/errors.ts";
import { splitStream } from "../lib/line_splitter.ts";
import { killGroup, spawnPiped } from "../lib/process_group.ts";
import { isObject } from "../lib/schema.ts";
import { cutSafely, safeEnd, safeStart } from "../lib/excerpt.ts";
import { formatBytes, plural } from "../lib/text.ts";
import {
  type Handshake,
  type HostMessage,
  MAX_RESULT,
  type ProcessMessage,
} from "./child/messages.ts";
import type { Launch } from "./launch.ts";

/** Characters of its last output, which may show why it ended. */
const MAX_TAIL = 2_000;
/** Characters that one call may report; what follows is dropped. */
const MAX_REPORT = 1_000_000;
/** Characters that even a shorter report counts as. */
const MIN_REPORT = 50;
/** Milliseconds for an aborted call to end by itself. */
const GRACE = 200;

/** One call. */
interface ProcessCall {
  /** URL. */
  readonly module: string;
  readonly input: unknown;
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly report: (text: string) => void;
}

interface Pending extends Omit<ProcessCall, "module" | "input"> {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  reported: number;
}

/** A process; `exited` resolves when it has ended. */
export class PluginProcess {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #marker = crypto.randomUUID();
  readonly #pending = new Map<number, Pending>();
  /** Aborted calls that may still end by themselves; `onEnd` is called when one does. */
  readonly #aborting = new Map<
    number,
    { readonly settled: Promise<void>; readonly onEnd: () => void }
  >();
  readonly #name: string;
  #lastId = 0;
  #tail = "";
  /** Why it was ended, if not by itself. */
  #reason: string | undefined;
  #exited = false;
  readonly exited: Promise<void>;

  constructor(launch: Launch, { name, ...hello }: Omit<Handshake, "marker"> & { name: string }) {
    this.#name = name;
    this.#child = spawnPiped(launch.argv, launch);
    this.#child.unref();
    this.#input = this.#child.stdin.getWriter();
    this.#send({ ...hello, marker: this.#marker });
    this.exited = this.#watch(launch.release);
  }

  /** Whether it can take a call; waits until aborted calls have ended or it is killed. */
  async isReady(): Promise<boolean> {
    await Promise.all([...this.#aborting.values()].map(({ settled }) => settled));
    return !this.#exited && this.#reason === undefined;
  }

  /** Whether no call is running. */
  get isIdle(): boolean {
    return this.#pending.size === 0;
  }

  /**
   * Calls a module and returns what it returned.
   * @throws {ToolError} it threw, timed out, was interrupted, or its process ended
   */
  async call({ module, input, ...how }: ProcessCall): Promise<unknown> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { ...how, resolve, reject, reported: 0 });
    const timer = setTimeout(() => {
      const limit = plural(how.timeoutMs / 1000, "second");
      this.#giveUp(id, `it did not end within ${limit}`, { kind: "user" });
    }, how.timeoutMs);
    const onAbort = () => this.#giveUp(id, "it was interrupted", { kind: "interrupted" });
    how.signal.addEventListener("abort", onAbort, { once: true });
    this.#child.ref();
    try {
      this.#send({ type: "call", id, module, input });
      if (how.signal.aborted) onAbort();
      return await promise;
    } finally {
      clearTimeout(timer);
      how.signal.removeEventListener("abort", onAbort);
      this.#pending.delete(id);
      if (this.isIdle) this.#child.unref();
    }
  }

  /** Ends the whole group at once. */
  kill(reason: string): void {
    this.#reason ??= reason;
    killGroup(this.#child.pid, "SIGKILL");
  }

  #send(line: Handshake | HostMessage): void {
    const bytes = new TextEncoder().encode(`${JSON.stringify(line)}\n`);
    // That the process has ended is noticed elsewhere.
    this.#input.write(bytes).catch(() => {});
  }

  /** Fails the call at once, and ends a process that does not finish the call soon. */
  #giveUp(id: number, why: string, { kind }: { kind: "user" | "interrupted" }): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#send({ type: "abort", id });
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.kill(why);
      resolve();
    }, GRACE);
    const onEnd = () => {
      clearTimeout(timer);
      this.#aborting.delete(id);
      resolve();
    };
    this.#aborting.set(id, { settled, onEnd });
    pending.reject(new ToolError(`The plugin ${this.#name} was stopped: ${why}`, { kind }));
  }

  async #watch(release: Launch["release"]): Promise<void> {
    const { stdout, stderr, status } = this.#child;
    const reading = splitStream(stdout, {
      maxBytes: MAX_RESULT + 1_000,
      onLine: (line) => this.#receive(line),
      onOverlong: () => {
        throw new RangeError("a line is too long");
      },
    });
    const flooded = () => this.kill(`it printed more than ${formatBytes(MAX_RESULT)} on one line`);
    await Promise.all([reading.catch(flooded), this.#watchErrors(stderr), status]);
    const { code } = await status;
    this.#exited = true;
    killGroup(this.#child.pid, "SIGKILL");
    await this.#input.close().catch(() => {});
    for (const { onEnd } of this.#aborting.values()) onEnd();
    const tail = this.#tail.trim();
    const why = this.#reason ?? `its process ended with exit code ${code}`;
    for (const { reject } of this.#pending.values()) {
      reject(
        new ToolError(`The plugin ${this.#name} failed: ${why}`, {
          kind: "system",
          suggestion: "The next call starts it again.",
          ...(tail !== "" && { data: { output: tail } }),
        }),
      );
    }
    await release();
  }

  async #watchErrors(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) this.#addOutput(decoder.decode(bytes, { stream: true }));
  }

  #receive(line: string): void {
    if (!line.startsWith(this.#marker)) {
      if (line !== "") this.#addOutput(`${line}\n`);
      return;
    }
    const reply = parseMessage(line.slice(this.#marker.length));
    const pending = reply && this.#pending.get(reply.id);
    if (reply && reply.type !== "report") this.#aborting.get(reply.id)?.onEnd();
    if (!pending) return;
    switch (reply.type) {
      case "report":
        return this.#report(pending, reply.text);
      case "value":
        return pending.resolve(reply.value);
      case "failure":
        return pending.reject(
          new ToolError(cutSafely(reply.message, MAX_TAIL), { kind: "user" }),
        );
    }
  }

  /** Its output is shown with the running call, if there is only one. */
  #addOutput(text: string): void {
    this.#tail = safeEnd(this.#tail + text, MAX_TAIL);
    const [only, ...more] = this.#pending.values();
    if (only && more.length === 0) this.#report(only, text);
  }

  #report(pending: Pending, text: string): void {
    const room = MAX_REPORT - pending.reported;
    if (room <= 0) return;
    pending.reported += Math.max(text.length, MIN_REPORT);
    pending.report(safeStart(text, room));
  }
}

/** Its messages are checked like everything else from outside. */
function parseMessage(text: string): ProcessMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || typeof value.id !== "number") return undefined;
    const { type } = value;
    const known = type === "value" || (type === "report" && typeof value.text === "string") ||
      (type === "failure" && typeof value.message === "string");
    return known ? value as unknown as ProcessMessage : undefined;
  } catch {
    return undefined;
  }
}
