/**
 * Whether a failed attempt is worth another, and how long to wait before it. Pure but for the clock, which
 * tests replace.
 */
import type { RequestFailure } from "./failure.ts";
import { isOverflow } from "./overflow.ts";

/** Time and chance, as the client needs them. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** From 0 to under 1. */
  random(): number;
  /** Resolves after `ms` milliseconds, or at once when the signal is aborted. */
  delay(ms: number, signal: AbortSignal): Promise<void>;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;
const MAX_REQUESTED_WAIT_MS = 120_000;
/** A server that is starting takes a moment; one that is not running needs no more retries than this. */
const REFUSED_RETRIES = 2;

/** Milliseconds to wait before the next attempt, or undefined if there is to be none. */
export function waitBeforeRetry(
  failure: RequestFailure,
  options: { attempt: number; retries: number; clock: Clock },
): number | undefined {
  const { attempt, retries, clock } = options;
  const allowed = failure.kind === "refused" ? Math.min(retries, REFUSED_RETRIES) : retries;
  if (attempt > allowed || !isTransient(failure)) return undefined;
  const requested = requestedWait(failure.headers, clock.now());
  if (requested !== undefined) return Math.min(Math.max(0, requested), MAX_REQUESTED_WAIT_MS);
  const full = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS);
  // Up to a quarter less, so that clients that failed together do not come back together.
  return Math.round(full * (1 - clock.random() / 4));
}

/** How errors within a stream, which have no status, say that a retry may help. */
const TRANSIENT =
  /overloaded|server_error|internal.{0,10}error|rate.?limit|unavailable|temporar|try again|timed? ?out/i;

function isTransient(failure: RequestFailure): boolean {
  const { kind, status, message } = failure;
  if (kind === "refused" || kind === "lost" || isOverloaded(failure)) return true;
  if (kind !== "answered" || isOverflow(message)) return false;
  // Groq refuses what its own model generated; a retry mostly succeeds.
  return message.includes("tool_use_failed") || status === 408 || status === 409;
}

/** Whether the server says that it has too much to do, or fails by itself. */
export function isOverloaded({ kind, status, message }: RequestFailure): boolean {
  if (kind !== "answered" || isOverflow(message)) return false;
  if (status === undefined) return TRANSIENT.test(message);
  // An exhausted account is answered with 429 too, and waiting does not help.
  if (status === 429) return !message.includes("insufficient_quota");
  return status >= 500;
}

/** Milliseconds that the server asked for. */
function requestedWait(headers: Headers | undefined, now: number): number | undefined {
  const milliseconds = numberIn(headers?.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const after = headers?.get("retry-after");
  const seconds = numberIn(after);
  if (seconds !== undefined) return seconds * 1000;
  const date = Date.parse(after ?? "");
  return Number.isNaN(date) ? undefined : date - now;
}

function numberIn(text: string | null | undefined): number | undefined {
  return text && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

/** Milliseconds between two looks at a server that is loading. */
const LOADING_POLL_MS = 500;
/** Milliseconds of loading after which the person is told for the second time; then after twice as many. */
const SECOND_NOTICE_MS = 5_000;

/** Waits while a server loads its model: llama-server answers everything with "Loading model" until it can work. */
export class LoadingWait {
  readonly #limitMs: number;
  readonly #clock: Clock;
  #since: number | undefined;
  #nextNoticeMs = 0;

  constructor({ limitMs, clock = SYSTEM_CLOCK }: { limitMs: number; clock?: Clock | undefined }) {
    this.#limitMs = limitMs;
    this.#clock = clock;
  }

  /**
   * Waits a moment if the failure says that the server is loading; false if it does not, or has for too long.
   * `onLoading` gets the milliseconds so far, at growing intervals.
   */
  async wait(
    failure: RequestFailure,
    { signal, onLoading }: { signal: AbortSignal; onLoading: (ms: number) => void },
  ): Promise<boolean> {
    if (!isLoading(failure)) return false;
    this.#since ??= this.#clock.now();
    const ms = this.#clock.now() - this.#since;
    if (ms >= this.#limitMs) return false;
    if (ms >= this.#nextNoticeMs) {
      this.#nextNoticeMs = Math.max(SECOND_NOTICE_MS, 2 * ms);
      onLoading(ms);
    }
    await this.#clock.delay(LOADING_POLL_MS, signal);
    return true;
  }
}

function isLoading({ kind, status, message }: RequestFailure): boolean {
  return kind === "answered" && status === 503 && /loading model/i.test(message);
}

/** The real clock. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  delay: (ms, signal) =>
    new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", finish);
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal.addEventListener("abort", finish);
      if (signal.aborted) finish();
    }),
};
