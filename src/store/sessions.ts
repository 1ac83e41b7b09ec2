/**
 * Sessions on disk: one append-only file of JSON lines each, a header and then every message and note as
 * it came; notes take effect when the file is read.
 * A crash costs at most the line being written; what cannot be read is left out, never written over.
 */
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { UsageError } from "../core/errors.ts";
import type { Journal, Note } from "../core/journal.ts";
import type { Message } from "../core/message.ts";
import { requireWrite } from "../lib/fs.ts";
import { isObject } from "../lib/schema.ts";
import { cutEnd, messageOf } from "../lib/text.ts";

const VERSION = 1;
const TITLE_LENGTH = 60;

export interface SessionHeader {
  readonly id: string;
  readonly cwd: string;
  /** ISO 8601. */
  readonly created: string;
}

/** A session as loaded; the messages are as saved and may need healing. */
export interface StoredSession {
  readonly header: SessionHeader;
  readonly messages: readonly Message[];
  /** What tools keep with the session, by key. */
  readonly state: ReadonlyMap<string, unknown>;
  /** Lines that could not be read. */
  readonly damaged: number;
  /** True if the last line has no line end: the next append starts a new line. */
  readonly torn: boolean;
}

/** The sessions of one project. */
export class SessionStore {
  readonly #directory: string;

  /** `directory` need not exist. */
  constructor(options: { directory: string }) {
    this.#directory = options.directory;
  }

  /** A new session; its file appears with its first message. */
  create(options: { cwd: string; onError: (message: string) => void }): Session {
    const created = new Date().toISOString();
    const id = `${created.slice(0, 19).replace(/[-:]/g, "")}-${randomBytes(3).toString("hex")}`;
    const header = { id, cwd: options.cwd, created };
    const path = this.#pathOf(id);
    return new Session({ path, header, unsaved: [headerLine(header)], onError: options.onError });
  }

  /** Goes on with a loaded session. */
  resume(stored: StoredSession, options: { onError: (message: string) => void }): Session {
    const { header, torn } = stored;
    const path = this.#pathOf(header.id);
    return new Session({ path, header, unsaved: torn ? [""] : [], onError: options.onError });
  }

  /** Id of the session written to last, if there is one. */
  async latest(): Promise<string | undefined> {
    return (await this.#idsByTime())[0];
  }

  /** The sessions written to last, newest first, with the user's first words as title. */
  async recent(most = 10): Promise<{ id: string; title: string }[]> {
    const ids = (await this.#idsByTime()).slice(0, most);
    return await Promise.all(ids.map(async (id) => {
      const { messages } = await this.load(id);
      const words = messages.find((message) => message.role === "user")?.content ?? "";
      return { id, title: cutEnd(words.replace(/\s+/g, " ").trim(), TITLE_LENGTH) };
    }));
  }

  /**
   * Reads a session by its id or the beginning of it.
   * @throws {UsageError} no such session, or more than one
   */
  async load(id: string): Promise<StoredSession> {
    const matching = (await this.#ids()).filter((one) => one.startsWith(id));
    const [only] = matching;
    if (only === undefined || (matching.length > 1 && !matching.includes(id))) {
      const what = matching.length > 1
        ? `${matching.length} sessions begin with`
        : "No session has the id";
      throw new UsageError(`${what} '${id}' in this directory. Use --continue for the last one.`);
    }
    const exact = matching.includes(id) ? id : only;
    return parseSession(exact, await Deno.readTextFile(this.#pathOf(exact)));
  }

  async #idsByTime(): Promise<string[]> {
    const all = await Promise.all((await this.#ids()).map(async (id) => {
      const { mtime, size } = await Deno.stat(this.#pathOf(id));
      return { id, time: mtime?.getTime() ?? 0, size };
    }));
    // A file that was opened and never written to is no session.
    const dated = all.filter(({ size }) => size > 0);
    // Ids begin with their time: they settle what the clock of the file system does not.
    return dated.sort((a, b) => b.time - a.time || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
  }

  async #ids(): Promise<string[]> {
    const ids: string[] = [];
    try {
      for await (const entry of Deno.readDir(this.#directory)) {
        if (entry.isFile && entry.name.endsWith(".jsonl")) ids.push(entry.name.slice(0, -6));
      }
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw new Error(
        `Cannot list the sessions in ${this.#directory}: ${messageOf(error)}. ` +
          "Make it a readable directory, or set ALLY_HOME to another one.",
        { cause: error },
      );
    }
    return ids.sort();
  }

  #pathOf(id: string): string {
    return join(this.#directory, `${id}.jsonl`);
  }
}

/** The journal of one running session. */
export class Session implements Journal {
  readonly header: SessionHeader;
  readonly #path: string;
  readonly #onError: (message: string) => void;
  /** Lines that are not on disk yet, without their ends. */
  #unsaved: string[];
  #file: Deno.FsFile | undefined;
  #failing = false;
  #queue: Promise<void> = Promise.resolve();

  constructor(options: {
    path: string;
    header: SessionHeader;
    unsaved: string[];
    onError: (message: string) => void;
  }) {
    this.header = options.header;
    this.#path = options.path;
    this.#unsaved = options.unsaved;
    this.#onError = options.onError;
  }

  /** Saves a message; while the disk refuses, messages wait in memory and are saved with the next. */
  append(message: Message): Promise<void> {
    return this.#save({ type: "message", time: now(), message });
  }

  /** Saves a note, in order with the messages. */
  note({ type, ...fields }: Note): Promise<void> {
    return this.#save({ type, time: now(), ...fields });
  }

  /** Opens the file now: what is open stays writable when the process gives up writing. */
  async hold(): Promise<void> {
    try {
      this.#file ??= await openForAppend(this.#path);
    } catch (error) {
      this.#complain(error);
    }
  }

  /** Closes the file; a later append opens it again. */
  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #save(record: Readonly<Record<string, unknown>>): Promise<void> {
    this.#unsaved.push(JSON.stringify(record));
    this.#queue = this.#queue.then(() => this.#flush());
    return this.#queue;
  }

  async #flush(): Promise<void> {
    if (this.#unsaved.length === 0) return;
    const lines = this.#unsaved;
    try {
      this.#file ??= await openForAppend(this.#path);
      await writeAll(this.#file, `${lines.join("\n")}\n`);
      this.#unsaved = [];
      this.#failing = false;
    } catch (error) {
      // What was half written is closed off by an empty line and written again with the next message.
      if (lines[0] !== "") this.#unsaved = ["", ...lines];
      this.close();
      this.#complain(error);
    }
  }

  /** Once, until saving works again. */
  #complain(error: unknown): void {
    if (!this.#failing) {
      this.#onError(
        `Cannot save the session to ${this.#path}: ${messageOf(error)}. ` +
          "It goes on in memory and is saved as soon as that works.",
      );
    }
    this.#failing = true;
  }
}

function now(): string {
  return new Date().toISOString();
}

function headerLine(header: SessionHeader): string {
  return JSON.stringify({ type: "session", version: VERSION, ...header });
}

async function openForAppend(path: string): Promise<Deno.FsFile> {
  requireWrite(path);
  await Deno.mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
  return await Deno.open(path, { append: true, create: true, mode: 0o600 });
}

async function writeAll(file: Deno.FsFile, text: string): Promise<void> {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(await file.write(bytes));
}

/** Reads what can be read of a session file. */
function parseSession(id: string, text: string): StoredSession {
  const messages: Message[] = [];
  const state = new Map<string, unknown>();
  const cleaned = new Map<unknown, string>();
  let header: SessionHeader = { id, cwd: "", created: "" };
  let damaged = 0;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const record = parseLine(line);
    if (record?.type === "session") {
      header = { id, cwd: String(record.cwd), created: String(record.created) };
    } else if (record?.type === "message" && isMessage(record.message)) {
      messages.push(record.message);
    } else if (record?.type === "state" && typeof record.key === "string") {
      state.set(record.key, record.value);
    } else if (record?.type === "cleanup" && isCleanup(record)) {
      for (const id of record.call_ids) cleaned.set(id, record.content);
    } else {
      damaged++;
    }
  }
  return {
    header,
    messages: messages.map((message) => withCleanUp(message, cleaned)),
    state,
    damaged,
    torn: text !== "" && !text.endsWith("\n"),
  };
}

function isCleanup(
  record: Record<string, unknown>,
): record is { call_ids: unknown[]; content: string } {
  return Array.isArray(record.call_ids) && typeof record.content === "string";
}

/** The message as it reads since its result was cleaned up, if it was. */
function withCleanUp(message: Message, cleaned: ReadonlyMap<unknown, string>): Message {
  const content = message.role === "tool" ? cleaned.get(message.call_id) : undefined;
  return content === undefined || message.role !== "tool"
    ? message
    : { ...message, content, cleaned: true };
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is Message {
  if (!isObject(value) || typeof value.content !== "string") return false;
  switch (value.role) {
    case "user":
      return true;
    case "assistant":
      return Array.isArray(value.calls) && value.calls.every(isCall);
    case "tool":
      return typeof value.call_id === "string" && typeof value.name === "string";
    default:
      return false;
  }
}

function isCall(value: unknown): boolean {
  return isObject(value) && typeof value.id === "string" && typeof value.name === "string" &&
    typeof value.arguments === "string";
}
