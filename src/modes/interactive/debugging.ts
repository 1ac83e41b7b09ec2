/**
 * Looking behind the screen: `--verbose` and `/debug on` tell events as lines, `--debug` also keeps them in a log.
 * Stands between the composition and the sink of a way to run.
 */
import { MAIN_AGENT } from "../../app/events.ts";
import { join } from "node:path";
import type { Event, EventSink } from "../../core/event.ts";
import type { Secrets } from "../../core/secrets.ts";
import { jsonLine } from "../../lib/text.ts";
import { maskSink } from "../../secrets/masked_sink.ts";
import { type EventLog, openEventLog } from "../../store/event_log.ts";
import { verboseLine } from "../../ui/verbose.ts";

/** Pieces of what a later event holds whole. */
const DELTA_EVENTS: ReadonlySet<Event["type"]> = new Set([
  "text_delta",
  "thinking_delta",
  "tool_output",
]);

/** What of a run is told and logged. */
interface DebuggingOptions {
  readonly verbose: boolean;
  /** Whether a log is kept from the start. */
  readonly logging: boolean;
  /** Shows a line to the user. */
  readonly show: (line: string) => void;
}

/** What is told and kept of a run's events. */
export class Debugging {
  /** Whether events are told as lines. */
  verbose: boolean;
  readonly #show: (line: string) => void;
  #logging: boolean;
  #log: EventLog | undefined;
  #logSink: EventSink | undefined;
  /** What came before it was known where the log is to be. */
  #buffered: Event[] = [];

  constructor({ verbose, logging, show }: DebuggingOptions) {
    this.verbose = verbose || logging;
    this.#logging = logging;
    this.#show = show;
  }

  /** Where events are kept, if they are. */
  get logPath(): string | undefined {
    return this.#logging ? this.#log?.path : undefined;
  }

  /** Passes events on; what is told of one comes after it. */
  wrapSink(sink: EventSink): EventSink {
    return (event) => {
      sink(event);
      if (this.#logging && !DELTA_EVENTS.has(event.type)) this.#writeLog(event);
      const line = this.verbose ? verboseLine(event) : undefined;
      if (line !== undefined) this.#show(line);
    };
  }

  /** Says where a log goes and what is secret; from then on it can be kept. */
  openLog({ home, secrets }: { home: string; secrets: Secrets }): void {
    const name = `${new Date().toISOString().replace(/[:.]/g, "-")}-${Deno.pid}.jsonl`;
    const log = openEventLog(join(home, "logs", name), this.#show);
    this.#log = log;
    this.#logSink = maskSink((event) => log.write(jsonLine(event)), secrets);
    const early = this.#buffered.splice(0);
    if (!this.#logging) return;
    this.#show(`events are kept in ${log.path}`);
    early.forEach(this.#logSink);
  }

  /** Tells and keeps events from now on, or neither. */
  setEnabled(on: boolean): void {
    this.verbose = on;
    this.#logging = on;
  }

  close(): void {
    this.#log?.close();
  }

  #writeLog(event: Event): void {
    if (this.#logSink === undefined) this.#buffered.push(event);
    else this.#logSink(event);
  }
}

/** A line as the event that draws it, in its place among the others. */
export function createNotice(text: string): Event {
  const time = new Date().toISOString();
  return { type: "notice", level: "info", text, time, agent: MAIN_AGENT };
}
