/**
 * Looking behind the screen: `--verbose` and `/debug on` show events as lines, `--debug` also logs them. Wraps the sink
 * of a mode.
 */
import { MAIN_AGENT } from "../app/events.ts";
import { join } from "node:path";
import type { Event, EventSink } from "../core/event.ts";
import type { Secrets } from "../core/secrets.ts";
import { maskSink } from "../secrets/masked_sink.ts";
import { type EventLog, openEventLog } from "../store/event_log.ts";
import { eventLine } from "../ui/headless.ts";
import { verboseLine } from "../ui/verbose.ts";

/** Events whose text a later event holds as a whole. */
const DELTA_EVENTS: ReadonlySet<Event["type"]> = new Set([
  "text_delta",
  "thinking_delta",
  "tool_output",
]);

/** What is shown and logged of a run. */
interface DebuggingOptions {
  readonly verbose: boolean;
  /** Whether events are logged from the start. */
  readonly logging: boolean;
  /** Shows a line to the user. */
  readonly show: (line: string) => void;
}

/** Shows and logs the events of a run. */
export class Debugging {
  /** Whether events are shown as lines. */
  verbose: boolean;
  readonly #show: (line: string) => void;
  #logging: boolean;
  #log: EventLog | undefined;
  #logSink: EventSink | undefined;
  /** Events from before the log was opened. */
  #buffered: Event[] = [];

  constructor({ verbose, logging, show }: DebuggingOptions) {
    this.verbose = verbose || logging;
    this.#logging = logging;
    this.#show = show;
  }

  /** Path of the log, if events are logged. */
  get logPath(): string | undefined {
    return this.#logging ? this.#log?.path : undefined;
  }

  /** Passes events on, and shows the line of each after it. */
  wrapSink(sink: EventSink): EventSink {
    return (event) => {
      sink(event);
      if (this.#logging && !DELTA_EVENTS.has(event.type)) this.#writeLog(event);
      const line = this.verbose ? verboseLine(event) : undefined;
      if (line !== undefined) this.#show(line);
    };
  }

  /** Opens the log once the home and the secrets are known, and writes what came before. */
  openLog({ home, secrets }: { home: string; secrets: Secrets }): void {
    const name = `${new Date().toISOString().replace(/[:.]/g, "-")}-${Deno.pid}.jsonl`;
    const log = openEventLog(join(home, "logs", name), this.#show);
    this.#log = log;
    this.#logSink = maskSink((event) => log.write(eventLine(event)), secrets);
    const early = this.#buffered.splice(0);
    if (!this.#logging) return;
    this.#show(`events are logged to ${log.path}`);
    early.forEach(this.#logSink);
  }

  /** Shows and logs events from now on, or neither. */
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

/** A text as the event that shows it among the others. */
export function createNotice(text: string): Event {
  const time = new Date().toISOString();
  return { type: "notice", level: "info", text, time, agent: MAIN_AGENT };
}
