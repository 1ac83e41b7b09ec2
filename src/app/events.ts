/**
 * Where the facts of a run go: each becomes an event of the agent that tells it, is counted, and is handed to
 * the sink, which may be put behind others while the run is put together. Made by the composition root.
 */
import type { Statistics } from "../agent/statistics.ts";
import type { EventBody, EventSink } from "../core/event.ts";
import type { AgentIdentity } from "../core/tool.ts";

/** The agent that the user talks to. */
export const MAIN_AGENT: AgentIdentity = { id: "main", name: "ally", depth: 0 };

/** Ready to use after `new`. */
export class EventEmitter {
  /** Tells a fact as the main agent's. */
  readonly emit: (fact: EventBody) => void;
  readonly #statistics: Statistics;
  #sink: EventSink;
  #listener: (fact: EventBody) => void = () => {};

  constructor({ sink, statistics }: { sink: EventSink; statistics: Statistics }) {
    this.#sink = sink;
    this.#statistics = statistics;
    this.emit = this.emitterFor(MAIN_AGENT);
  }

  /** Tells facts as an agent's. */
  emitterFor(agent: AgentIdentity): (fact: EventBody) => void {
    return (fact) => {
      const event = { ...fact, time: new Date().toISOString(), agent };
      this.#statistics.take(event);
      this.#listener(fact);
      this.#sink(event);
    };
  }

  /** Tells a person of something that is not as it should be. */
  readonly warn = (text: string): void => this.emit({ type: "notice", level: "warning", text });

  /** Puts something before the sink. */
  wrapSink(wrapper: (sink: EventSink) => EventSink): void {
    this.#sink = wrapper(this.#sink);
  }

  /** Has one more hear every fact. */
  setListener(listener: (fact: EventBody) => void): void {
    this.#listener = listener;
  }
}
