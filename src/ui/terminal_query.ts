/**
 * What a terminal is asked: its answers come among the keys. One that has not come is remembered for a while, so that
 * it is neither taken for the answer to a later question nor left to another program.
 */
import { type Clock, REAL_CLOCK } from "./clock.ts";

/** Milliseconds for which an answer is waited for. */
const ANSWER_MS = 150;
/** Milliseconds after which an answer comes no more; in a session over a slow line it may come late. */
const LATE_MS = 1000;

/** One question. */
export interface TerminalQuery<T> {
  /** What is sent to ask it. */
  readonly sequence: string;
  /** What an answer says; undefined for one to another question. */
  readonly parse: (answer: string) => T | undefined;
}

/** A question without an answer so far. */
interface OpenQuery {
  readonly askedAt: number;
  /** Whether this was its answer. */
  readonly take: (answer: string) => boolean;
}

/** The questions of one terminal. */
export class TerminalQueries {
  readonly #send: (sequence: string) => void;
  readonly #now: Clock["now"];
  #open: OpenQuery[] = [];
  #hasAnswered = false;

  constructor(
    send: (sequence: string) => void,
    { now = REAL_CLOCK.now }: Partial<Pick<Clock, "now">> = {},
  ) {
    this.#send = send;
    this.#now = now;
  }

  /** Whether an answer may still come. */
  get isOpen(): boolean {
    return this.#open.some((one) => this.#isAwaited(one));
  }

  /** Asks, and calls back with the answer whenever it comes, before anything behind it is read. */
  ask<T>({ sequence, parse }: TerminalQuery<T>, onAnswer: (answer: T) => void): void {
    this.#open.push({
      askedAt: this.#now(),
      take(text) {
        const answer = parse(text);
        if (answer !== undefined) onAnswer(answer);
        return answer !== undefined;
      },
    });
    this.#send(sequence);
  }

  /** The answer; undefined if none comes soon. With `isPatient` a terminal that has answered before gets more time. */
  async waitFor<T>(
    query: TerminalQuery<T>,
    { onAnswer = () => {}, isPatient = false } = {},
  ): Promise<
    T | undefined
  > {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    const patience = isPatient && this.#hasAnswered ? LATE_MS : ANSWER_MS;
    const timer = setTimeout(() => resolve(undefined), patience);
    this.ask(query, (answer) => {
      clearTimeout(timer);
      resolve(answer);
      onAnswer();
    });
    return await promise;
  }

  /** Takes an answer: it is to the oldest question that it fits, before those whose answers are not awaited any more. */
  take(answer: string): void {
    const inOrder = this.#open.toSorted((a, b) => this.#rankOf(a) - this.#rankOf(b));
    const answered = inOrder.find(({ take }) => take(answer));
    this.#hasAnswered ||= answered !== undefined;
    this.#open = this.#open.filter((one) => one !== answered);
  }

  #isAwaited({ askedAt }: OpenQuery): boolean {
    return this.#now() - askedAt < LATE_MS;
  }

  #rankOf(query: OpenQuery): number {
    return this.#isAwaited(query) ? 0 : 1;
  }
}
