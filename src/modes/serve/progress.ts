/**
 * What a call prints and does while it runs, as progress notifications of MCP: in order, joined while it comes fast, so
 * that a flood of output is no flood of messages.
 */
import type { Event } from "../../core/event.ts";
import { oneLine, stripControls } from "../../lib/text.ts";

/** Milliseconds for which output is joined. */
const JOIN_MS = 100;
/** Characters of one notification: of more only the end is told. */
const MAX_CHARACTERS = 4_000;

/** Tells the progress of one call. */
export class CallProgress {
  readonly #callId: string;
  readonly #send: (progress: number, message: string) => void;
  #text = "";
  #sent = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `send` gets a number that grows, and what happened since. */
  constructor(
    { callId, send }: { callId: string; send: (progress: number, message: string) => void },
  ) {
    this.#callId = callId;
    this.#send = send;
  }

  /** Takes an event, which may be another call's. */
  take(event: Event): void {
    if (event.type === "tool_output" && event.call_id === this.#callId) {
      this.#add(event.text);
    } else if (event.type === "tool_start" && event.agent.call_id === this.#callId) {
      this.#add(`${event.agent.name}: ${event.name} ${oneLine(event.description)}\n`);
    }
  }

  /** Tells what has not been told; nothing is sent afterwards. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#text === "") return;
    const message = stripControls(this.#text).slice(-MAX_CHARACTERS);
    this.#text = "";
    this.#send(++this.#sent, message);
  }

  #add(text: string): void {
    this.#text = (this.#text + text).slice(-MAX_CHARACTERS);
    this.#timer ??= setTimeout(() => this.end(), JOIN_MS);
  }
}
