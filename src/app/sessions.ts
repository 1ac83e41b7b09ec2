/**
 * Which session a run's conversation is saved to: a new one, the last one, or one by its id.
 */
import { join } from "node:path";
import { heal } from "../agent/heal.ts";
import type { Branch } from "../core/branches.ts";
import { UsageError } from "../core/errors.ts";
import type { ImagePart } from "../core/image.ts";
import type { Message } from "../core/message.ts";
import type { EndedTurn, SessionLog, ShownCall } from "../core/session_log.ts";
import type { SystemPrompt } from "../core/system_prompt.ts";
import { plural } from "../lib/text.ts";
import type { StoredSession } from "../store/session_reader.ts";
import type { SearchableSummary } from "../store/session_summary.ts";
import { imagesFolder } from "../store/session_file.ts";
import {
  type ResumedSession,
  type Session,
  SessionStore,
  type TakenImages,
} from "../store/sessions.ts";
import type { Options } from "./options.ts";
import { VERSION } from "./version.ts";

/** Stands for the session that was used last, in place of an id. */
const LAST = "last";

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
  /** The branches that were left by rewinds. */
  readonly branches?: readonly Branch[];
  /** How calls looked, by their ids. */
  readonly calls?: ReadonlyMap<string, ShownCall>;
  /** The turns that have ended. */
  readonly turns?: readonly EndedTurn[];
  /** What the server counted of these messages, for a model. */
  readonly counted?: { readonly tokens: number; readonly model: string } | undefined;
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
  readonly #directory: string;
  /** Images that were taken and not saved yet. */
  readonly #images: TakenImages = new Map();
  #current: Session | undefined;
  /** Where the images are of a session that is only read. */
  #readImages: string | undefined;
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
    const masked = masks ? VERSION : undefined;
    this.#store = new SessionStore({ directory, masked, images: this.#images });
    this.#directory = directory;
  }

  /** Keeps the bytes of an image until a message with it is saved. */
  keepImage({ hash }: ImagePart, bytes: Uint8Array<ArrayBuffer>): void {
    this.#images.set(hash, bytes);
  }

  /** An image as a data URL; undefined if its bytes are gone. */
  async imageUrlOf(image: ImagePart): Promise<string | undefined> {
    const folder = this.#current?.imagesFolder ?? this.#readImages;
    const { readImage, toDataUrl } = await import("../store/session_images.ts");
    const bytes = this.#images.get(image.hash) ?? (folder && await readImage(folder, image));
    return bytes && toDataUrl(image, bytes);
  }

  get id(): string | undefined {
    return this.#current?.header.id;
  }

  /**
   * The session that is asked for: a new one, the last one, or one by its id.
   * @throws {UsageError} several are asked for, or the choice is left to a person
   */
  async open(): Promise<ConversationStart> {
    const { resume, fork } = this.#options;
    const wanted = [this.#options.continue && "continue", resume && "resume", fork && "fork"]
      .filter((one) => typeof one === "string");
    if (wanted.length > 1) {
      throw new UsageError(`Only one session can be gone on with: give ${wanted.join(" or ")}.`);
    }
    if (fork !== undefined) {
      return await this.#fork(fork === LAST ? await this.#store.latest() ?? fork : fork);
    }
    if (resume === true) throw new UsageError(await this.#describeChoices());
    const wantsLast = this.#options.continue || resume === LAST;
    const id = wantsLast ? await this.#store.latest() : resume;
    if (id === undefined) {
      if (wantsLast) this.#warn("There is no session in this directory yet; a new one begins.");
      return this.start();
    }
    return this.#options.session ? await this.#resumeStored(id) : await this.#loadUnsaved(id);
  }

  /** The sessions written to last, newest first. */
  recent(most: number): Promise<readonly SearchableSummary[]> {
    return this.#store.recent(most);
  }

  /** Gives another session than the current one a name. @throws {UsageError} it is not there, or in use */
  async rename(id: string, title: string): Promise<void> {
    await this.#store.rename(id, title);
  }

  /** Deletes another session than the current one. @throws {UsageError} it is not there, or in use */
  async remove(id: string): Promise<void> {
    await this.#store.remove(id);
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

  /**
   * Leaves the current session for a copy of one, which `keeps` takes back to its first messages as a rewind does.
   * @throws {UsageError} it is not there
   */
  async fork(id: string, keeps?: number): Promise<ConversationStart> {
    // What is still being saved belongs to the copy.
    this.#finish(this.#current);
    await this.#closing;
    return await this.#fork(id, keeps);
  }

  async #fork(id: string, keeps?: number): Promise<ConversationStart> {
    if (!this.#options.session) return await this.#loadUnsaved(id);
    return this.#goOn(await this.#store.fork(id, { onError: this.#warn, keeps }));
  }

  /** A session that is read and never written. */
  async #loadUnsaved(id: string): Promise<ConversationStart> {
    const stored = await this.#store.load(id);
    if (stored.damaged > 0) this.#warn(describeDamage(stored.damaged));
    this.#readImages = imagesFolder(join(this.#directory, `${stored.header.id}.jsonl`));
    return { log: NO_LOG, ...healSession(stored) };
  }

  async #resumeStored(id: string): Promise<ConversationStart> {
    return this.#goOn(await this.#store.resume(id, { onError: this.#warn }));
  }

  #goOn({ stored, session, damagedCopy }: ResumedSession): ConversationStart {
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
    return ["Which session? --resume was given no ID. These were used last:", ...rows].join(
      "\n",
    );
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
  const { prompt, messages, state, covered, rewound, branches, calls, turns, title } = stored;
  const { context, spent: [own] = [] } = stored.lastTurn ?? {};
  return {
    prompt,
    messages: heal(messages),
    state,
    covered: covered.map(heal),
    rewound: rewound.map(heal),
    branches: branches.map((one) => ({
      messages: heal(one.messages),
      covered: one.covered.map(heal),
    })),
    calls,
    turns,
    // Without a count of the server's, the tokens of the turn were those that are counted here.
    ...context && own && own.prompt_tokens > 0 && {
      counted: { tokens: context.tokens, model: own.model ?? "" },
    },
    title,
    isMasked: stored.masked === VERSION,
  };
}
