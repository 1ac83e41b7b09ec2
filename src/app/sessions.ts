/**
 * Which session a run's conversation is saved to: a new one, the last one, or one by its id.
 */
import { heal } from "../agent/heal.ts";
import { UsageError } from "../core/errors.ts";
import type { Fact } from "../core/event.ts";
import type { Message } from "../core/message.ts";
import type { Journal } from "../core/session_log.ts";
import { plural } from "../lib/text.ts";
import type { StoredSession } from "../store/session_reader.ts";
import type { SessionSummary } from "../store/session_summary.ts";
import { type Session, SessionStore } from "../store/sessions.ts";
import type { Options } from "./options.ts";
import { VERSION } from "./version.ts";

/** What a conversation goes on from. */
export interface Start {
  readonly journal: Journal;
  readonly messages: readonly Message[];
  readonly state: ReadonlyMap<string, unknown>;
  /** What the compactions of the conversation have covered. */
  readonly covered?: readonly (readonly Message[])[];
  /** What the rewinds that can be taken back have dropped. */
  readonly rewound?: readonly (readonly Message[])[];
  readonly title?: string | undefined;
  /** Whether secrets were masked in all of it as they are now. */
  readonly isMasked?: boolean;
}

/** The sessions of this run, one at a time. */
export class Sessions {
  readonly #options: Options;
  readonly #cwd: string;
  readonly #emit: (fact: Fact) => void;
  readonly #store: SessionStore;
  #current: Session | undefined;
  /** Settles when the sessions that were left are saved. */
  #left: Promise<void> = Promise.resolve();

  constructor(parts: {
    options: Options;
    cwd: string;
    directory: string;
    /** Whether secrets are masked. */
    masks: boolean;
    emit: (fact: Fact) => void;
  }) {
    this.#options = parts.options;
    this.#cwd = parts.cwd;
    this.#emit = parts.emit;
    const { directory, masks } = parts;
    this.#store = new SessionStore({ directory, masked: masks ? VERSION : undefined });
  }

  get id(): string | undefined {
    return this.#current?.header.id;
  }

  /** The session that the flags ask for: a new one, the last one, or one by its id. */
  async open(): Promise<Start> {
    const { resume } = this.#options;
    if (resume === true) throw new UsageError(await this.#choices());
    const id = resume ?? (this.#options.continue ? await this.#store.latest() : undefined);
    if (id === undefined) {
      if (this.#options.continue) {
        this.#notice("There is no session in this directory yet; a new one begins.");
      }
      return this.start();
    }
    if (!this.#options.session) {
      const stored = await this.#store.load(id);
      if (stored.damaged > 0) this.#notice(leftOut(stored.damaged));
      return { journal: NOWHERE, ...healed(stored) };
    }
    return await this.#goOn(id);
  }

  /** The sessions written to last, newest first. */
  recent(most: number): Promise<readonly SessionSummary[]> {
    return this.#store.recent(most);
  }

  /** Leaves the current session for another one. @throws {UsageError} it is not there, or in use */
  async resume(id: string): Promise<Start> {
    const [exact] = await this.#store.matching(id);
    if (exact === this.id && exact !== undefined) {
      throw new UsageError("This session goes on already.");
    }
    await this.#left;
    const before = this.#current;
    const start = await this.#goOn(id);
    this.#leave(before);
    return start;
  }

  async #goOn(id: string): Promise<Start> {
    const onError = (text: string) => this.#notice(text);
    const { stored, session, setAside } = await this.#store.resume(id, { onError });
    if (stored.damaged > 0) {
      const where = setAside === undefined ? "" : ` The file as it was is kept: ${setAside}`;
      this.#notice(leftOut(stored.damaged) + where);
    }
    this.#current = session;
    return { journal: session, ...healed(stored) };
  }

  /** Opens the file of the session, before the process gives up writing. */
  async hold(): Promise<void> {
    await this.#current?.hold();
  }

  /** Begins a new session. */
  start(): Start {
    this.#leave(this.#current);
    this.#current = undefined;
    if (!this.#options.session) return { journal: NOWHERE, messages: [], state: new Map() };
    const onError = (text: string) => this.#notice(text);
    this.#current = this.#store.create({ cwd: this.#cwd, onError });
    return { journal: this.#current, messages: [], state: new Map() };
  }

  /** Waits until all that was said is saved; what a run does before its end. */
  async settle(): Promise<void> {
    this.#leave(this.#current);
    await this.#left;
  }

  /** Closes the file at once. */
  close(): void {
    this.#current?.close();
  }

  #leave(session: Session | undefined): void {
    this.#left = Promise.all([this.#left, session?.finish()]).then(() => {});
  }

  async #choices(): Promise<string> {
    const recent = await this.#store.recent();
    if (recent.length === 0) return "There is no session in this directory yet.";
    const rows = recent.map(({ id, title }) => `  ${id}  ${title}`);
    return ["Which session? Name one with --resume ID:", ...rows].join("\n");
  }

  #notice(text: string): void {
    this.#emit({ type: "notice", level: "warning", text });
  }
}

function leftOut(damaged: number): string {
  return `${plural(damaged, "line")} of the session could not be read and are left out.`;
}

/** The journal of `--no-session`. */
const NOWHERE: Journal = { append: () => Promise.resolve(), note: () => Promise.resolve() };

function healed(stored: StoredSession): Omit<Start, "journal"> {
  const { messages, state, covered, rewound, title, masked } = stored;
  return {
    messages: heal(messages),
    state,
    covered: covered.map(heal),
    rewound: rewound.map(heal),
    title,
    isMasked: masked === VERSION,
  };
}
