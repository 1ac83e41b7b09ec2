/**
 * When a command is left to run in the background: one that was meant to, after a first look at its output; one
 * that turns out to be a server or a watcher, once it has said that it is ready. Waiting for its end would hang.
 */
import { stripControls } from "../../src/api.ts";

/** What servers and watchers say when they are ready. */
const SIGNS: readonly RegExp[] = [
  /\blistening (?:on|at|for)\b/,
  /\bnow listening\b/,
  /\bserver (?:is |has )?(?:now )?(?:listening|running|started|ready|up)\b/,
  /\b(?:started|starting) (?:\w+ ){0,3}server\b/,
  /\b(?:running|serving|available|started|hosted) (?:\w+ )?(?:on|at):? \S*(?:https?:\/\/|:\d{2,5}\b|port\b)/,
  /\bserving http on\b/,
  /\b(?:local|network|on your network|url):\s+https?:\/\//,
  /\bready (?:in|on|at) \S*\d/,
  /\bready to accept connections\b/,
  /\b(?:accepting|waiting for) (?:connections|requests)\b/,
  /\bapplication startup complete\b/,
  /\bcompiled successfully\b/,
  /\bwebpack \S+ compiled\b/,
  /\b(?:watching|waiting) for (?:file )?changes\b/,
  /\bwatching (?:files|paths?|the)\b/,
  /\bwatcher (?:is )?(?:started|ready)\b/,
  /\bpress ctrl ?[+-] ?c to (?:quit|stop|exit|shut)/,
  /\b(?:quit the server|use ctrl-c to stop)\b/,
];
const READY = new RegExp(SIGNS.map((sign) => sign.source).join("|"), "i");

/** Characters of the output that are searched: who is ready says so before long. */
const MAX_SEARCHED = 200_000;
/** Characters of a line that may be spread over several pieces of output. */
const OVERLAP = 300;

/** Whether a text says that a server or a watcher is ready. */
export function isReadyMessage(text: string): boolean {
  return READY.test(stripControls(text));
}

/** Watches the output of one command. */
export class ReadinessWatch implements Disposable {
  readonly #moment = new AbortController();
  readonly #patience: { quietMs: number; mostMs: number };
  #searched = 0;
  #tail = "";
  #quiet: ReturnType<typeof setTimeout> | undefined;
  #most: ReturnType<typeof setTimeout> | undefined;

  /**
   * `quietMs` must pass without output after the command said that it is ready, or `mostMs` with output.
   */
  constructor(patience = { quietMs: 3000, mostMs: 15_000 }) {
    this.#patience = patience;
  }

  /** Aborted once the command is ready and keeps running. */
  get signal(): AbortSignal {
    return this.#moment.signal;
  }

  /** Takes a piece of output. */
  add(chunk: string): void {
    if (this.#most === undefined) {
      if (this.#searched >= MAX_SEARCHED) return;
      this.#searched += chunk.length;
      const text = this.#tail + chunk;
      this.#tail = text.slice(-OVERLAP);
      if (!isReadyMessage(text)) return;
      this.#most = setTimeout(() => this.#moment.abort(), this.#patience.mostMs);
    }
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#moment.abort(), this.#patience.quietMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#quiet);
    clearTimeout(this.#most);
  }
}

/** Milliseconds until the first look at a command without output, and after its first output. */
const FIRST_LOOK = 500;
const FIRST_OUTPUT = 200;

/** Gives a command a moment to write its first output, or to fail at once. */
export class FirstLook implements Disposable {
  readonly #moment = new AbortController();
  #timer = this.#abortAfter(FIRST_LOOK);
  #wrote = false;

  /** Aborted when the moment is over. */
  get signal(): AbortSignal {
    return this.#moment.signal;
  }

  /** Takes a piece of output. */
  add(): void {
    if (this.#wrote) return;
    this.#wrote = true;
    clearTimeout(this.#timer);
    this.#timer = this.#abortAfter(FIRST_OUTPUT);
  }

  #abortAfter(ms: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#moment.abort(), ms);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
