/**
 * Sessions on disk: one append-only file of JSON lines each, a header and then every message and note as
 * it came; notes take effect when the file is read.
 * A crash costs at most the line being written; what cannot be read is left out, never written over.
 */
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { UsageError } from "../core/errors.ts";
import type { Journal, Note } from "../core/journal.ts";
import type { Message, UserMessage } from "../core/message.ts";
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
  /** What each compaction that stands has covered, the last one last. */
  readonly covered: readonly (readonly Message[])[];
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
      const { messages, covered: [earliest = messages] } = await this.load(id);
      const words = earliest.find((message) => message.role === "user")?.content ?? "";
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
    const dated = await Promise.all((await this.#ids()).map(async (id) => {
      const { mtime } = await Deno.stat(this.#pathOf(id));
      return { id, time: mtime?.getTime() ?? 0 };
    }));
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
      if (!this.#failing) {
        this.#onError(
          `Cannot save the session to ${this.#path}: ${messageOf(error)}. ` +
            "It goes on in memory and is saved as soon as that works.",
        );
      }
      this.#failing = true;
    }
  }
}

function now(): string {
  return new Date().toISOString();
}

function headerLine(header: SessionHeader): string {
  return JSON.stringify({ type: "session", version: VERSION, ...header });
}

async function openForAppend(path: string): Promise<Deno.FsFile> {
  await Deno.mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
  return await Deno.open(path, { append: true, create: true, mode: 0o600 });
}

async function writeAll(file: Deno.FsFile, text: string): Promise<void> {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(await file.write(bytes));
}

/** Reads what can be read of a session file. */
function parseSession(id: string, text: string): StoredSession {
  const replay = new Replay();
  let header: SessionHeader = { id, cwd: "", created: "" };
  let damaged = 0;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const record = parseLine(line);
    if (record?.type === "session") {
      header = { id, cwd: String(record.cwd), created: String(record.created) };
    } else if (record === undefined || !replay.take(record)) {
      damaged++;
    }
  }
  const torn = text !== "" && !text.endsWith("\n");
  return { header, ...replay.result(), damaged, torn };
}

/** Messages and notes, taken one after the other as they were saved. */
class Replay {
  #messages: Message[] = [];
  readonly #state = new Map<string, unknown>();
  readonly #cleaned = new Map<unknown, string>();
  readonly #covered: (readonly Message[])[] = [];

  /** Takes one record; false if it cannot be read. */
  take(record: Record<string, unknown>): boolean {
    if (record.type === "message" && isMessage(record.message)) {
      this.#messages.push(record.message);
    } else if (record.type === "state" && typeof record.key === "string") {
      this.#state.set(record.key, record.value);
    } else if (record.type === "cleanup" && isCleanup(record)) {
      for (const id of record.call_ids) this.#cleaned.set(id, record.content);
    } else if (record.type === "compaction" && isCompaction(record)) {
      const end = endOfCovered(this.#messages, record.covers);
      this.#covered.push(this.#messages.slice(0, end));
      this.#messages = [record.message, ...this.#messages.slice(end)];
    } else if (record.type === "compaction_undone") {
      const covered = this.#covered.pop();
      if (covered === undefined) return false;
      this.#messages = [...covered, ...this.#messages.slice(1)];
    } else {
      return false;
    }
    return true;
  }

  result(): Pick<StoredSession, "messages" | "state" | "covered"> {
    const clean = (message: Message) => withCleanUp(message, this.#cleaned);
    return {
      messages: this.#messages.map(clean),
      state: this.#state,
      covered: this.#covered.map((messages) => messages.map(clean)),
    };
  }
}

function isCompaction(
  record: Record<string, unknown>,
): record is { covers: number; message: UserMessage } {
  return typeof record.covers === "number" && isMessage(record.message) &&
    record.message.role === "user";
}

/** Where the covered messages end: results go with their replies, and are not counted. */
function endOfCovered(messages: readonly Message[], covers: number): number {
  let left = covers;
  const end = messages.findIndex(({ role }) => role !== "tool" && left-- === 0);
  return end < 0 ? messages.length : end;
}

function isCleanup(
  record: Record<string, unknown>,
): record is { call_ids: unknown[]; content: string } {
  return Array.isArray(record.call_ids) && typeof record.content === "string";
}

/** The message as it reads since its result was cleaned up, if it was. */
function withCleanUp(message: Message, cleaned: ReadonlyMap<unknown, string>): Message {
  const content = message.role === "tool" ? cleaned.get(message.call_id) : undefined;
  if (content === undefined || message.role !== "tool") return message;
  const { files: _overtaken, ...rest } = message;
  return { ...rest, content, cleaned: true };
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
      return value.said === undefined ||
        (Array.isArray(value.said) && value.said.every((text) => typeof text === "string"));
    case "assistant":
      return Array.isArray(value.calls) && value.calls.every(isCall);
    case "tool":
      return typeof value.call_id === "string" && typeof value.name === "string" &&
        (value.files === undefined ||
          (Array.isArray(value.files) && value.files.every(isFileMark)));
    default:
      return false;
  }
}

function isFileMark(value: unknown): boolean {
  return isObject(value) && typeof value.path === "string" && typeof value.how === "string";
}

function isCall(value: unknown): boolean {
  return isObject(value) && typeof value.id === "string" && typeof value.name === "string" &&
    typeof value.arguments === "string";
}
