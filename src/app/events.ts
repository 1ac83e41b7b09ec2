/**
 * Where the events of a run go: each gets its time and its agent, is counted, and is handed to the sink, which can be
 * wrapped while the run is put together.
 */
import type { Statistics } from "../agent/statistics.ts";
import type { EventBody, EventSink } from "../core/event.ts";
import type { AgentIdentity } from "../core/tool.ts";
import { boundWords } from "../lib/excerpt.ts";

/** The agent that the user talks to. */
export const MAIN_AGENT: AgentIdentity = { id: "main", name: "ally", depth: 0 };

/** Ready to use after `new`. */
export class EventEmitter {
  /** Emits an event of the main agent. */
  readonly emit: (body: EventBody) => void;
  readonly #statistics: Statistics;
  #sink: EventSink;
  #listener: (body: EventBody) => void = () => {};

  constructor({ sink, statistics }: { sink: EventSink; statistics: Statistics }) {
    this.#sink = sink;
    this.#statistics = statistics;
    this.emit = this.emitterFor(MAIN_AGENT);
  }

  /** What emits the events of an agent. */
  emitterFor(agent: AgentIdentity): (body: EventBody) => void {
    return (said) => {
      const body = said.type === "notice" ? { ...said, text: boundWords(said.text) } : said;
      const event = { ...body, time: new Date().toISOString(), agent };
      this.#statistics.take(event);
      this.#listener(body);
      this.#sink(event);
    };
  }

  /** Warns the person. */
  readonly warn = (text: string): void => this.emit({ type: "notice", level: "warning", text });

  /** Puts something in front of the sink. */
  wrapSink(wrapper: (sink: EventSink) => EventSink): void {
    this.#sink = wrapper(this.#sink);
  }

  /** Has one listener get every event, too. */
  setListener(listener: (body: EventBody) => void): void {
    this.#listener = listener;
  }
}
