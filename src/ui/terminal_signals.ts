/**
 * What a terminal shows around the text: its title, the progress in its tab, marks to jump between, and a notification
 * when something is over or waits while nobody looks. Only ally's own words and names without control characters go
 * there.
 */
import type { Event, EventSink } from "../core/event.ts";
import { cutEnd, oneLine } from "../lib/text.ts";
import { type Clock, REAL_CLOCK } from "./clock.ts";
import { type Feature, MARKS, notify, PROGRESS, setTitle, TITLE } from "./sequences.ts";
import type { Terminal } from "./terminal.ts";
import { TurnReport } from "./turn_report.ts";

/** What signals are given with. */
interface SignalOptions extends Partial<Clock> {
  readonly terminal: Terminal;
  /** Name of the project. */
  readonly project: string;
  /** Whether the person wants them. */
  readonly isOn: () => boolean;
  /** Replaces secrets. */
  readonly mask: (text: string) => string;
}

/** A turn that took less is over before anybody looks elsewhere, in milliseconds. */
const LONG_MS = 10_000;
/** Milliseconds without a key after which nobody is there, where the terminal does not tell. */
const AWAY_MS = 10_000;
/** Some terminals forget a progress that is not told again, in milliseconds. */
const REPEAT_MS = 5_000;
/** Milliseconds between two looks at whether anybody is there. */
const LOOK_MS = 1_000;
const MAX_NAME = 40;
const MAX_BODY = 160;

/** The signals of one session. */
export class TerminalSignals {
  /** Takes the events of the session. */
  readonly sink: EventSink = (event) => this.#take(event);

  readonly #options: SignalOptions;
  readonly #now: Clock["now"];
  readonly #every: Clock["every"];
  readonly #title: string;
  #begun = false;
  #begunAt = -Infinity;
  #isFocused: boolean | undefined;
  #stopWatching = () => {};
  #stopRepeating = () => {};
  #report: TurnReport | undefined;
  #turnBegan = 0;
  /** Whether the output of a line is being written, since a mark said so. */
  #isOutput = false;
  #hasFailed = false;

  constructor(options: SignalOptions) {
    this.#options = options;
    this.#now = options.now ?? REAL_CLOCK.now;
    this.#every = options.every ?? REAL_CLOCK.every;
    this.#title = `ally: ${this.#safe(options.project, MAX_NAME)}`;
  }

  /** Begins, if signals are wanted here. */
  begin(): void {
    const { terminal, isOn } = this.#options;
    if (this.#begun || !terminal.canRedraw || !isOn()) return;
    this.#begun = true;
    this.#begunAt = this.#now();
    this.#send("title", TITLE.keep + setTitle(this.#title));
    this.#stopWatching = terminal.onReport((report) => {
      if (report.kind === "focus") this.#isFocused = report.focused;
    }, { focus: terminal.kind.features.has("focus") });
  }

  /** A prompt is about to be shown. */
  markPrompt(): void {
    this.#endOutput();
    this.#send("marks", MARKS.prompt);
  }

  /** A line was sent: what follows is its output. */
  markOutput(): void {
    this.#endOutput();
    this.#isOutput = true;
    this.#hasFailed = false;
    this.#send("marks", MARKS.output);
  }

  /** A question has the screen until the returned function is called. */
  ask(): () => void {
    const report = this.#report;
    if (report === undefined || !this.#begun) return () => {};
    this.#say("asks");
    this.#stopRepeating();
    this.#send("progress", PROGRESS.waiting);
    const tell = () => {
      const took = this.#now() - this.#turnBegan;
      this.#notify(report.describe(took, { waits: true }));
    };
    const stop = this.#onceAway(tell);
    return () => {
      stop();
      if (this.#report === report) this.#showWork();
    };
  }

  /** Leaves the terminal as it was found. */
  end(): void {
    if (!this.#begun) return;
    this.#stopWatching();
    this.#endTurn();
    this.#endOutput();
    this.#send("title", TITLE.restore);
    this.#begun = false;
  }

  #take(event: Event): void {
    this.#report?.take(event);
    if (event.agent.depth > 0) return;
    if (event.type === "turn_start") {
      this.#report = new TurnReport();
      this.#turnBegan = this.#now();
      this.#showWork();
    } else if (event.type === "turn_end") {
      const report = this.#report;
      const took = this.#now() - this.#turnBegan;
      this.#hasFailed = event.reason !== "done";
      this.#endTurn();
      this.#say(this.#hasFailed ? "stopped" : "done");
      if (took <= LONG_MS || event.reason === "interrupted" || !this.#isAway) return;
      if (report !== undefined) this.#notify(report.describe(took, event));
    }
  }

  #showWork(): void {
    if (!this.#begun) return;
    this.#say("working");
    this.#stopRepeating();
    const show = () => this.#send("progress", PROGRESS.running);
    show();
    this.#stopRepeating = this.#every(REPEAT_MS, show);
  }

  #endTurn(): void {
    this.#stopRepeating();
    if (this.#report !== undefined) this.#send("progress", PROGRESS.none);
    this.#report = undefined;
  }

  #endOutput(): void {
    if (this.#isOutput) this.#send("marks", this.#hasFailed ? MARKS.failed : MARKS.succeeded);
    this.#isOutput = false;
  }

  /** Whether the window is not looked at, or probably not where the terminal does not tell. */
  get #isAway(): boolean {
    if (this.#isFocused !== undefined) return !this.#isFocused;
    const since = Math.max(this.#begunAt, this.#options.terminal.lastInputAt);
    return this.#now() - since >= AWAY_MS;
  }

  /** Calls back once nobody is there; returns how to stop that. A window that was just left needs no call. */
  #onceAway(callback: () => void): () => void {
    if (this.#isFocused) return () => {};
    if (this.#isAway) {
      callback();
      return () => {};
    }
    const stop = this.#every(LOOK_MS, () => {
      if (!this.#isAway) return;
      stop();
      callback();
    });
    return stop;
  }

  #notify(text: string): void {
    const { terminal } = this.#options;
    if (!this.#begun || terminal.isLent) return;
    const message = { title: this.#title, body: this.#safe(text, MAX_BODY) };
    terminal.control(notify(terminal.kind.notifier, message));
  }

  #say(state: "working" | "asks" | "done" | "stopped"): void {
    this.#send(
      "title",
      setTitle(`${this.#title} ${this.#options.terminal.unicode ? "·" : "-"} ${state}`),
    );
  }

  #send(feature: Feature, sequence: string): void {
    const { terminal } = this.#options;
    if (!this.#begun || terminal.isLent || !terminal.kind.features.has(feature)) return;
    terminal.control(sequence);
  }

  /** One line without secrets and control characters. */
  #safe(text: string, most: number): string {
    return cutEnd(oneLine(this.#options.mask(text)), most);
  }
}
