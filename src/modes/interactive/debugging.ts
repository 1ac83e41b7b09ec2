/**
 * Looking behind the screen: `--verbose` and `/debug on` tell events as lines, `--debug` also keeps them in a log.
 * Stands between the composition and the sink of a way to run.
 */
import { join } from "node:path";
import type { Event, Sink } from "../../core/event.ts";
import type { Secrets } from "../../core/secrets.ts";
import { jsonLine } from "../../lib/text.ts";
import { maskedSink } from "../../secrets/masked_sink.ts";
import { type EventLog, openEventLog } from "../../store/event_log.ts";
import { verboseLine } from "../../ui/verbose.ts";

/** Pieces of what a later event holds whole. */
const PIECES: ReadonlySet<Event["type"]> = new Set(["text_delta", "thinking_delta", "tool_output"]);

export interface DebuggingOptions {
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
  #toLog: Sink | undefined;
  /** What came before it was known where the log is to be. */
  #early: Event[] = [];

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
  watch(sink: Sink): Sink {
    return (event) => {
      sink(event);
      if (this.#logging && !PIECES.has(event.type)) this.#keep(event);
      const line = this.verbose ? verboseLine(event) : undefined;
      if (line !== undefined) this.#show(line);
    };
  }

  /** Says where a log goes and what is secret; from then on it can be kept. */
  place({ home, secrets }: { home: string; secrets: Secrets }): void {
    const name = `${new Date().toISOString().replace(/[:.]/g, "-")}-${Deno.pid}.jsonl`;
    const log = openEventLog(join(home, "logs", name), this.#show);
    this.#log = log;
    this.#toLog = maskedSink((event) => log.write(jsonLine(event)), secrets);
    const early = this.#early.splice(0);
    if (!this.#logging) return;
    this.#show(`events are kept in ${log.path}`);
    early.forEach(this.#toLog);
  }

  /** Tells and keeps events from now on, or neither. */
  turn(on: boolean): void {
    this.verbose = on;
    this.#logging = on;
  }

  close(): void {
    this.#log?.close();
  }

  #keep(event: Event): void {
    if (this.#toLog === undefined) this.#early.push(event);
    else this.#toLog(event);
  }
}

/** A line as the event that draws it, in its place among the others. */
export function toldLine(text: string): Event {
  const agent = { id: "main", name: "ally", depth: 0 };
  return { type: "notice", level: "info", text, time: new Date().toISOString(), agent };
}
