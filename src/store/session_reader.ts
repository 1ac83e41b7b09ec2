/**
 * Reads the lines of a session's file: its messages with all entries applied. What cannot be read is counted and left
 * out.
 */
import { type Branch, leaveRewound, switchBranch } from "../core/branches.ts";
import { UsageError } from "../core/errors.ts";
import {
  INTERRUPTION_MARKER,
  type LoadedSkill,
  type Message,
  type UserMessage,
  withoutImages,
  withoutReasoning,
  withoutStatus,
} from "../core/message.ts";
import type { EndedTurn, ShownCall } from "../core/session_log.ts";
import type { SystemPrompt } from "../core/system_prompt.ts";
import { parseJson } from "../lib/json_text.ts";
import { isObject } from "../lib/schema.ts";
import { type SessionHeader, VERSION } from "./session_header.ts";
import { forEachLine, type LineCounts } from "./session_lines.ts";

/** A session as loaded; the messages are as saved and may need healing. */
export interface StoredSession {
  readonly header: SessionHeader;
  /** The system prompt it began with; undefined if its file does not say. */
  readonly prompt: SystemPrompt | undefined;
  readonly messages: readonly Message[];
  /** What tools keep with the session, by key. */
  readonly state: ReadonlyMap<string, unknown>;
  /** What each compaction that stands has covered, the last one last. */
  readonly covered: readonly (readonly Message[])[];
  /** What each rewind that can be taken back has dropped, the last one last. */
  readonly rewound: readonly (readonly Message[])[];
  /** The branches that were left, in the order in which that happened. */
  readonly branches: readonly Branch[];
  /** How calls looked, by their ids. */
  readonly calls: ReadonlyMap<string, ShownCall>;
  /** The turns that have ended, on whatever branch, in order. */
  readonly turns: readonly EndedTurn[];
  /** The turn at whose end the conversation was as it is now; undefined if it was changed since. */
  readonly lastTurn: EndedTurn | undefined;
  /** What the user calls it; undefined if it has no name of its own. */
  readonly title: string | undefined;
  /** Lines that could not be read. */
  readonly damaged: number;
  /** True if the last line has no line end: the next append starts a new line. */
  readonly unterminated: boolean;
  /** Version of the rules by which all of it is masked; undefined if not all is. */
  readonly masked: string | undefined;
}

/** Reads a session's file. @throws {UsageError} the session is of another format @throws {Error} it cannot be read */
export async function readSession(path: string, id: string): Promise<StoredSession> {
  const reader = new SessionReader(id);
  return reader.result(await forEachLine(path, (line) => reader.readLine(line)));
}

/** The lines of a session's file that can be read, its header among them. @throws as `readSession` */
export async function readableLines(path: string, id: string): Promise<string[]> {
  const reader = new SessionReader(id);
  const lines: string[] = [];
  await forEachLine(path, (line) => {
    if (reader.readLine(line)) lines.push(line);
  });
  return lines;
}

/** Reads what can be read of a session's lines, taken one after the other. */
export class SessionReader {
  readonly #id: string;
  readonly #entries = new EntryReducer();
  #header: SessionHeader;
  #damaged = 0;

  constructor(id: string) {
    this.#id = id;
    this.#header = { id, cwd: "", created: "" };
  }

  /** Takes a line; false if it cannot be read. @throws {UsageError} the session is of another format */
  readLine(line: string): boolean {
    if (line === "") return false;
    const record = parseLine(line);
    if (record?.type === "session") {
      assertVersion(this.#id, record.version);
      const { cwd, created, masked, forkedFrom } = record;
      this.#header = {
        id: this.#id,
        cwd: String(cwd),
        created: String(created),
        ...typeof masked === "string" && { masked },
        ...typeof forkedFrom === "string" && { forkedFrom },
      };
      return true;
    }
    const isRead = record !== undefined && this.#entries.apply(record);
    if (!isRead) this.#damaged++;
    return isRead;
  }

  /** The session, once all lines were taken. */
  result({ overlong, unterminated }: LineCounts): StoredSession {
    const { unmasked, ...rest } = this.#entries.result();
    return {
      header: this.#header,
      ...rest,
      masked: unmasked ? undefined : this.#header.masked,
      damaged: this.#damaged + overlong,
      unterminated,
    };
  }
}

/** Entries about what agents did. */
const AGENT_ENTRIES: ReadonlySet<unknown> = new Set(["agent", "agent_message", "agent_end"]);

/** Entries that change nothing of what the model is sent. */
const UNSENT_ENTRIES: ReadonlySet<unknown> = new Set([
  ...AGENT_ENTRIES,
  "state",
  "call",
  "title",
  "system_prompt",
  "unmasked",
]);

/** Applies messages and entries one after the other as they were saved. */
class EntryReducer {
  #messages: Message[] = [];
  readonly #state = new Map<string, unknown>();
  readonly #cleaned = new Map<unknown, string>();
  #covered: (readonly Message[])[] = [];
  #rewound: (readonly Message[])[] = [];
  #branches: readonly Branch[] = [];
  readonly #calls = new Map<string, ShownCall>();
  readonly #turns: EndedTurn[] = [];
  #lastTurn: EndedTurn | undefined;
  #title: string | undefined;
  #prompt: SystemPrompt | undefined;
  /** Whether the session went on without masking. */
  #unmasked = false;
  /** The reply that is arriving. */
  #partialReply = "";

  /** Applies one record; false if it cannot be read. */
  apply(record: Record<string, unknown>): boolean {
    if (!UNSENT_ENTRIES.has(record.type)) this.#lastTurn = undefined;
    if (record.type === "message" && isMessage(record.message)) {
      this.#append(record.message);
    } else if (record.type === "draft" && typeof record.text === "string") {
      this.#partialReply = (record.first === true ? "" : this.#partialReply) + record.text;
    } else if (record.type === "state" && typeof record.key === "string") {
      this.#state.set(record.key, record.value);
    } else if (record.type === "cleanup" && isCleanup(record)) {
      for (const id of record.call_ids) this.#cleaned.set(id, record.content);
    } else if (record.type === "compaction" && isCompaction(record)) {
      this.#endPartialReply();
      const end = countWithResults(this.#messages, record.covers);
      this.#leaveRewound();
      this.#covered.push(this.#messages.slice(0, end));
      this.#messages = [record.message, ...withoutStatus(this.#messages.slice(end))];
    } else if (typeof record.id === "string" && AGENT_ENTRIES.has(record.type)) {
      // Entries about agents are for people; the conversation has the result.
    } else if (record.type === "compaction_undone") {
      const covered = this.#covered.pop();
      if (covered === undefined) return false;
      this.#leaveRewound();
      this.#messages = [...covered, ...this.#messages.slice(1)];
    } else if (record.type === "rewind" && typeof record.keeps === "number") {
      this.#endPartialReply();
      this.#rewound.push(this.#messages.splice(countWithResults(this.#messages, record.keeps)));
    } else if (record.type === "rewind_undone") {
      const dropped = this.#rewound.pop();
      if (dropped === undefined) return false;
      this.#messages.push(...dropped);
    } else if (record.type === "branch" && typeof record.place === "number") {
      return this.#switchBranch(record.place);
    } else if (record.type === "call" && isShownCall(record)) {
      this.#calls.set(record.call_id, record);
    } else if (record.type === "turn" && isEndedTurn(record)) {
      this.#turns.push(record);
      this.#lastTurn = record;
    } else if (record.type === "system_prompt" && isPrompt(record.parts)) {
      this.#prompt = record.parts;
    } else if (record.type === "reasoning_dropped" && typeof record.covers === "number") {
      const end = countWithResults(this.#messages, record.covers);
      const left = withoutReasoning(this.#messages.slice(0, end));
      this.#messages = [...left, ...this.#messages.slice(end)];
    } else if (record.type === "images_dropped" && typeof record.covers === "number") {
      const end = countWithResults(this.#messages, record.covers);
      const left = withoutImages(this.#messages.slice(0, end));
      this.#messages = [...left, ...this.#messages.slice(end)];
    } else if (record.type === "status_cleared") {
      this.#messages = withoutStatus(this.#messages);
    } else if (record.type === "unmasked") {
      this.#unmasked = true;
    } else if (record.type === "title" && typeof record.title === "string") {
      this.#title = record.title;
    } else {
      return false;
    }
    return true;
  }

  #append(message: Message): void {
    // A complete reply replaces its draft; anything else means that the reply never came.
    if (message.role !== "assistant") this.#endPartialReply();
    this.#leaveRewound();
    this.#messages.push(message);
    this.#partialReply = "";
  }

  #leaveRewound(): void {
    this.#branches = leaveRewound(this.#branches, this.#current);
    this.#rewound = [];
  }

  #switchBranch(place: number): boolean {
    this.#endPartialReply();
    const switched = switchBranch(this.#branches, { place, current: this.#current });
    if (switched === undefined) return false;
    this.#messages = [...switched.current.messages];
    this.#covered = [...switched.current.covered];
    this.#branches = switched.left;
    this.#rewound = [];
    return true;
  }

  get #current() {
    return { messages: this.#messages, covered: this.#covered, rewound: this.#rewound };
  }

  #endPartialReply(): void {
    if (this.#partialReply !== "") this.#messages.push(toInterruptedReply(this.#partialReply));
    this.#partialReply = "";
  }

  /** The session that the records make. */
  result(): Omit<StoredSession, "header" | "damaged" | "unterminated" | "masked"> & {
    readonly unmasked: boolean;
  } {
    this.#endPartialReply();
    const clean = (message: Message) => applyCleanup(message, this.#cleaned);
    return {
      prompt: this.#prompt,
      messages: this.#messages.map(clean),
      state: this.#state,
      covered: this.#covered.map((messages) => messages.map(clean)),
      rewound: this.#rewound.map((messages) => messages.map(clean)),
      branches: this.#branches.map(({ messages, covered }) => ({
        messages: messages.map(clean),
        covered: covered.map((part) => part.map(clean)),
      })),
      calls: this.#calls,
      turns: this.#turns,
      lastTurn: this.#lastTurn,
      title: this.#title,
      unmasked: this.#unmasked,
    };
  }
}

function isCompaction(
  record: Record<string, unknown>,
): record is { covers: number; message: UserMessage } {
  return typeof record.covers === "number" && isMessage(record.message) &&
    record.message.role === "user";
}

/** How many the first `count` messages are when the results of their calls are counted with them. */
function countWithResults(messages: readonly Message[], count: number): number {
  let left = count;
  const end = messages.findIndex(({ role }) => role !== "tool" && left-- === 0);
  return end < 0 ? messages.length : end;
}

/** The reply that was arriving when the process was killed. */
function toInterruptedReply(partialReply: string): Message {
  const content = `${partialReply}\n\n${INTERRUPTION_MARKER}`;
  return { role: "assistant", content, calls: [], interrupted: true };
}

function assertVersion(id: string, version: unknown): void {
  if (version === VERSION) return;
  throw new UsageError(
    `Cannot open session ${id}: its format is ${JSON.stringify(version)}, and this ally reads ` +
      `${VERSION}. Update ally, or begin a new session.`,
  );
}

function isCleanup(
  record: Record<string, unknown>,
): record is { call_ids: unknown[]; content: string } {
  return Array.isArray(record.call_ids) && typeof record.content === "string";
}

/** The message as it reads since its result was cleaned up, if it was. */
function applyCleanup(message: Message, cleaned: ReadonlyMap<unknown, string>): Message {
  const content = message.role === "tool" ? cleaned.get(message.call_id) : undefined;
  if (content === undefined || message.role !== "tool") return message;
  const { files: _overtaken, images: _unseen, skills: _gone, ...rest } = message;
  return { ...rest, content, cleaned: true };
}

function isShownCall(
  record: Record<string, unknown>,
): record is Record<string, unknown> & ShownCall {
  const { call_id: id, description, duration_ms: ms, preview, diffs = [] } = record;
  return typeof id === "string" && typeof description === "string" && typeof ms === "number" &&
    ["string", "undefined"].includes(typeof record.message) &&
    ["string", "undefined"].includes(typeof record.suggestion) &&
    ["number", "undefined"].includes(typeof record.change) &&
    Array.isArray(preview) && preview.every((line) => typeof line === "string") &&
    Array.isArray(diffs) &&
    diffs.every((one) =>
      isObject(one) && typeof one.path === "string" && typeof one.diff === "string"
    );
}

function isEndedTurn(
  record: Record<string, unknown>,
): record is Record<string, unknown> & EndedTurn {
  const { prompt, reason, requests, tool_calls: calls, duration_ms: ms, spent, end } = record;
  return typeof prompt === "string" && typeof reason === "string" && typeof end === "string" &&
    typeof requests === "number" && typeof calls === "number" && typeof ms === "number" &&
    ["number", "undefined"].includes(typeof record.messages) &&
    (record.context === undefined ||
      isObject(record.context) && typeof record.context.percent === "number") &&
    Array.isArray(spent) && spent.every(isSpent);
}

function isSpent(value: unknown): boolean {
  return isObject(value) && typeof value.agent === "string" &&
    typeof value.requests === "number" && typeof value.prompt_tokens === "number" &&
    typeof value.completion_tokens === "number";
}

function parseLine(line: string): Record<string, unknown> | undefined {
  const value = parseJson(line);
  return isObject(value) ? value : undefined;
}

function isMessage(value: unknown): value is Message {
  if (!isObject(value) || typeof value.content !== "string") return false;
  if (value.images !== undefined && !(Array.isArray(value.images) && value.images.every(isImage))) {
    return false;
  }
  switch (value.role) {
    case "user":
      return (value.change === undefined || typeof value.change === "number") &&
        (value.told === undefined || isPrompt(value.told)) &&
        (value.skills === undefined || areSkills(value.skills)) &&
        (value.typed === undefined || typeof value.typed === "string") &&
        (value.said === undefined ||
          (Array.isArray(value.said) && value.said.every((text) => typeof text === "string")));
    case "assistant":
      return Array.isArray(value.calls) && value.calls.every(isCall) &&
        (value.reasoning === undefined || isReasoning(value.reasoning));
    case "tool":
      return typeof value.call_id === "string" && typeof value.name === "string" &&
        (value.status === undefined || typeof value.status === "string") &&
        (value.skills === undefined || areSkills(value.skills)) &&
        (value.files === undefined ||
          (Array.isArray(value.files) && value.files.every(isFileMark)));
    default:
      return false;
  }
}

function areSkills(value: unknown): value is readonly LoadedSkill[] {
  return Array.isArray(value) &&
    value.every((one) =>
      isObject(one) && [one.name, one.hash, one.text].every((part) => typeof part === "string")
    );
}

function isPrompt(value: unknown): value is SystemPrompt {
  return Array.isArray(value) &&
    value.every((part) =>
      isObject(part) && typeof part.name === "string" && typeof part.text === "string"
    );
}

function isReasoning(value: unknown): boolean {
  if (!isObject(value) || typeof value.model !== "string" || !isObject(value.place)) return false;
  const { in: where, fields, text } = value.place;
  return where === "fields"
    ? isObject(fields)
    : (where === "text" || where === "part") && typeof text === "string";
}

function isImage(value: unknown): boolean {
  return isObject(value) && /^[0-9a-f]{64}$/.test(String(value.hash)) &&
    typeof value.name === "string" && /^image\/(png|jpeg|webp|gif)$/.test(String(value.mime)) &&
    [value.width, value.height, value.size].every((one) => typeof one === "number");
}

function isFileMark(value: unknown): boolean {
  return isObject(value) && typeof value.path === "string" && typeof value.how === "string";
}

function isCall(value: unknown): boolean {
  return isObject(value) && typeof value.id === "string" && typeof value.name === "string" &&
    typeof value.arguments === "string";
}
