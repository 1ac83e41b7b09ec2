/**
 * Which session a run's conversation is saved to: a new one, the last one, or one by its id.
 */
import { heal } from "../agent/heal.ts";
import { UsageError } from "../core/errors.ts";
import type { Message } from "../core/message.ts";
import type { SessionLog } from "../core/session_log.ts";
import type { SystemPrompt } from "../core/system_prompt.ts";
import { plural } from "../lib/text.ts";
import type { StoredSession } from "../store/session_reader.ts";
import type { SessionSummary } from "../store/session_summary.ts";
import { type Session, SessionStore } from "../store/sessions.ts";
import type { Options } from "./options.ts";
import { VERSION } from "./version.ts";

/** What a conversation starts from. */
export interface ConversationStart {
  readonly log: SessionLog;
  /** The system prompt it began with. @default it begins now */
  readonly prompt?: SystemPrompt | undefined;
  readonly messages: readonly Message[];
  readonly state: ReadonlyMap<string, unknown>;
  /** What the compactions of the conversation have covered. */
  readonly covered?: readonly (readonly Message[])[];
  /** What was dropped by rewinds that can still be undone. */
  readonly rewound?: readonly (readonly Message[])[];
  readonly title?: string | undefined;
  /** Whether secrets were masked in all of it as they are now. */
  readonly isMasked?: boolean;
}

/** The sessions of this run, one at a time. */
export class Sessions {
  readonly #options: Options;
  readonly #cwd: string;
  readonly #warn: (text: string) => void;
  readonly #store: SessionStore;
  #current: Session | undefined;
  /** Settles when earlier sessions are saved. */
  #closing: Promise<void> = Promise.resolve();

  constructor(parts: {
    options: Options;
    cwd: string;
    directory: string;
    /** Whether secrets are masked. */
    masks: boolean;
    warn: (text: string) => void;
  }) {
    this.#options = parts.options;
    this.#cwd = parts.cwd;
    this.#warn = parts.warn;
    const { directory, masks } = parts;
    this.#store = new SessionStore({ directory, masked: masks ? VERSION : undefined });
  }

  get id(): string | undefined {
    return this.#current?.header.id;
  }

  /** The session that the flags ask for: a new one, the last one, or one by its id. */
  async open(): Promise<ConversationStart> {
    const { resume } = this.#options;
    if (resume === true) throw new UsageError(await this.#describeChoices());
    const id = resume ?? (this.#options.continue ? await this.#store.latest() : undefined);
    if (id === undefined) {
      if (this.#options.continue) {
        this.#warn("There is no session in this directory yet; a new one begins.");
      }
      return this.start();
    }
    if (!this.#options.session) {
      const stored = await this.#store.load(id);
      if (stored.damaged > 0) this.#warn(describeDamage(stored.damaged));
      return { log: NO_LOG, ...healSession(stored) };
    }
    return await this.#resumeStored(id);
  }

  /** The sessions written to last, newest first. */
  recent(most: number): Promise<readonly SessionSummary[]> {
    return this.#store.recent(most);
  }

  /** Leaves the current session for another one. @throws {UsageError} it is not there, or in use */
  async resume(id: string): Promise<ConversationStart> {
    const [exact] = await this.#store.matchIds(id);
    if (exact === this.id && exact !== undefined) {
      throw new UsageError("This session goes on already.");
    }
    await this.#closing;
    const before = this.#current;
    const start = await this.#resumeStored(id);
    this.#finish(before);
    return start;
  }

  async #resumeStored(id: string): Promise<ConversationStart> {
    const { stored, session, damagedCopy } = await this.#store.resume(id, { onError: this.#warn });
    if (stored.damaged > 0) {
      const where = damagedCopy === undefined ? "" : ` A copy of the damaged file: ${damagedCopy}`;
      this.#warn(describeDamage(stored.damaged) + where);
    }
    this.#current = session;
    return { log: session, ...healSession(stored) };
  }

  /** Opens the file of the session, before the process gives up writing. */
  async openFile(): Promise<void> {
    await this.#current?.openNow();
  }

  /** Begins a new session. */
  start(): ConversationStart {
    this.#finish(this.#current);
    this.#current = undefined;
    if (!this.#options.session) return { log: NO_LOG, messages: [], state: new Map() };
    this.#current = this.#store.create({ cwd: this.#cwd, onError: this.#warn });
    return { log: this.#current, messages: [], state: new Map() };
  }

  /** Waits until the whole conversation is saved. Call it before a run ends. */
  async flush(): Promise<void> {
    this.#finish(this.#current);
    await this.#closing;
  }

  /** Closes the file at once. */
  close(): void {
    this.#current?.close();
  }

  #finish(session: Session | undefined): void {
    this.#closing = Promise.all([this.#closing, session?.finish()]).then(() => {});
  }

  async #describeChoices(): Promise<string> {
    const recent = await this.#store.recent();
    if (recent.length === 0) return "There is no session in this directory yet.";
    const rows = recent.map(({ id, title }) => `  ${id}  ${title}`);
    return ["Which session? Name one with --resume ID:", ...rows].join("\n");
  }
}

function describeDamage(damaged: number): string {
  return `${plural(damaged, "line")} of the session could not be read and are left out.`;
}

/** The log of `--no-session`. */
const NO_LOG: SessionLog = {
  append: () => Promise.resolve(),
  appendEntry: () => Promise.resolve(),
};

function healSession(stored: StoredSession): Omit<ConversationStart, "log"> {
  const { prompt, messages, state, covered, rewound, title, masked } = stored;
  return {
    prompt,
    messages: heal(messages),
    state,
    covered: covered.map(heal),
    rewound: rewound.map(heal),
    title,
    isMasked: masked === VERSION,
  };
}
