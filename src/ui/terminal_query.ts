/**
 * Asks a terminal something, and waits a moment for its answer, which comes among the keys.
 */
import type { ReportListener } from "./keyboard.ts";

/** Milliseconds for which an answer is waited for. */
const ANSWER_MS = 150;

/** One question. */
interface Query<T> {
  /** Calls back for what the terminal says by itself; returns how to stop that. */
  readonly onReport: (listener: ReportListener) => () => void;
  readonly send: () => void;
  /** What an answer says; undefined for one to another question. */
  readonly parse: (answer: string) => T | undefined;
  /** Called before anything behind the answer is read. */
  readonly onAnswer?: () => void;
}

/** The answer; undefined if none comes soon. */
export async function queryTerminal<T>(query: Query<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<T | undefined>();
  const stop = query.onReport((report) => {
    const answer = report.kind === "reply" ? query.parse(report.text) : undefined;
    if (answer === undefined) return;
    resolve(answer);
    query.onAnswer?.();
  });
  const timer = setTimeout(() => resolve(undefined), ANSWER_MS);
  query.send();
  const answer = await promise;
  clearTimeout(timer);
  stop();
  return answer;
}
