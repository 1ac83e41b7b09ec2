/**
 * What a call prints and does while it runs, as progress notifications of MCP: in order, joined while it comes fast, so
 * that a flood of output is no flood of messages.
 */
import { safeEnd } from "../../lib/excerpt.ts";
import type { Event } from "../../core/event.ts";
import { formatDuration, oneLine, stripControls } from "../../lib/text.ts";

/** Milliseconds for which output is joined. */
const JOIN_MS = 100;
/** Characters of one notification: of more only the end is told. */
const MAX_CHARACTERS = 4_000;

/** Milliseconds of silence after which a client is told that the call still runs: some give up after a minute. */
const SILENCE_MS = 15_000;

/** What progress is told with. */
interface CallProgressOptions {
  readonly callId: string;
  /** Gets a number that grows, and what happened since. */
  readonly send: (progress: number, message: string) => void;
  /** @default 15 seconds */
  readonly silenceMs?: number;
}

/** Tells the progress of one call. */
export class CallProgress {
  readonly #callId: string;
  readonly #send: CallProgressOptions["send"];
  readonly #started = performance.now();
  readonly #sign: ReturnType<typeof setInterval>;
  #text = "";
  #sent = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ callId, send, silenceMs = SILENCE_MS }: CallProgressOptions) {
    this.#callId = callId;
    this.#send = send;
    this.#sign = setInterval(() => this.#tellRunning(), silenceMs);
  }

  /** Takes an event, which may be another call's. */
  take(event: Event): void {
    if (event.type === "tool_output" && event.call_id === this.#callId) {
      this.#add(event.text);
    } else if (event.type === "tool_start" && event.agent.call_id === this.#callId) {
      this.#add(`${event.agent.name}: ${event.name} ${oneLine(event.description)}\n`);
    }
  }

  /** Tells what has not been told, for the last time. */
  end(): void {
    clearInterval(this.#sign);
    this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#text === "") return;
    const message = safeEnd(stripControls(this.#text), MAX_CHARACTERS);
    this.#text = "";
    this.#send(++this.#sent, message);
  }

  #add(text: string): void {
    this.#text = safeEnd(this.#text + text, MAX_CHARACTERS);
    this.#timer ??= setTimeout(() => this.#flush(), JOIN_MS);
  }

  #tellRunning(): void {
    if (this.#text !== "") return;
    this.#send(++this.#sent, `still running, ${formatDuration(performance.now() - this.#started)}`);
  }
}
