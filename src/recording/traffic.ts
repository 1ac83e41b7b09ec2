/**
 * A recording of the traffic with a model server: its lines, and reading them back with errors that name the
 * line. `record.ts` writes them, `replay.ts` serves them. A recording that was cut off is good up to the cut.
 */
import { UsageError } from "../core/errors.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import { messageOf } from "../lib/text.ts";

/** What the first line says of the run; no credentials, no secrets. */
export interface RecordingHeader {
  readonly type: "header";
  readonly format: typeof FORMAT;
  readonly version: number;
  /** Version of ally. */
  readonly ally: string;
  /** ISO 8601. */
  readonly time: string;
  readonly platform: string;
  /** By name, absolute: "cwd", "home", ... Elsewhere the same names may stand for other directories. */
  readonly directories: Readonly<Record<string, string>>;
  /** The server's address without credentials. */
  readonly endpoint: string;
  readonly model: string;
  /** What a replay needs to know of the run. */
  readonly run: JsonObject;
}

/** A request as a recording keeps it. */
interface RequestLine {
  readonly type: "request";
  readonly id: number;
  /** Milliseconds since the recording began. */
  readonly at_ms: number;
  readonly method: string;
  /** Base URL without credentials, if it is not the one that the run began with. */
  readonly endpoint?: string;
  /** Below the endpoint's base URL, such as "/chat/completions". */
  readonly path: string;
  /** The whole body, or all of it but the messages that the body of `follows` holds too. */
  readonly body?: JsonObject;
  readonly follows?: number;
}

/** A piece of an answer, and when it came: milliseconds after the request. */
export type TimedChunk = readonly [ms: number, text: string];

/** The beginning of a response as a recording keeps it. */
export interface ResponseLine {
  readonly type: "response";
  readonly id: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly chunks: readonly TimedChunk[];
  /** "cancelled" if ally stopped reading, "lost" if the connection broke. */
  readonly end: "done" | "cancelled" | "lost";
  /** Messages of the error and its causes, if it was lost. */
  readonly errors?: readonly string[];
}

/** What else a recording says of a run: the user's words and decisions, the files and messages it began with. */
export type RunLine = { readonly type: (typeof RUN_LINE_TYPES)[number] } & JsonObject;

const RUN_LINE_TYPES = [
  "prompt",
  "steer",
  "answer",
  "choice",
  "interrupt",
  "model",
  "start",
  "files",
] as const;

/** One line of a recording. */
export type RecordingLine =
  | RecordingHeader
  | RequestLine
  | ResponseLine
  | RunLine
  | { readonly type: "end" };

/** One request with what became of it. */
export interface Exchange {
  /** Number of the request's line in the file, 1-based. */
  readonly line: number;
  readonly method: string;
  /** As in its line. */
  readonly endpoint: string | undefined;
  readonly path: string;
  /** The whole body; empty for a GET. */
  readonly body: JsonObject;
  /** Absent if the recording was cut off before. */
  readonly response: ResponseLine | undefined;
  /** How many prompts came before it. */
  readonly turn: number;
}

/** A recording as read. */
export interface Recording {
  /** The file as the user named it. */
  readonly name: string;
  readonly header: RecordingHeader;
  readonly runLines: readonly RunLine[];
  readonly exchanges: readonly Exchange[];
  /** Whether the recorded run came to its end. */
  readonly isComplete: boolean;
}

/** Path of the requests that a conversation makes, below the endpoint. */
export const CHAT = "/chat/completions";
/** What the first line of a recording calls itself. */
export const FORMAT = "ally-record";
/** The version of the format of recordings. */
export const VERSION = 1;
const RUN_LINES: ReadonlySet<unknown> = new Set(RUN_LINE_TYPES);

/** Reads a recording. @throws {UsageError} it is none, or a line of it cannot be understood */
export function parseRecording(text: string, name: string): Recording {
  return new RecordingReader(name).read(text);
}

class RecordingReader {
  readonly #name: string;
  readonly #runLines: RunLine[] = [];
  readonly #exchanges = new Map<number, Exchange>();
  #turn = 0;
  #isComplete = false;

  constructor(name: string) {
    this.#name = name;
  }

  read(text: string): Recording {
    const lines = text.split("\n");
    // Without its line end the last line was being written when the run was cut off.
    const torn = lines.pop() ?? "";
    const isWhole = torn !== "" && isJson(torn);
    if (isWhole) lines.push(torn);
    const header = this.#header(lines[0] ?? torn);
    for (const [index, line] of lines.entries()) {
      if (index > 0 && line.trim() !== "") this.#take(this.#parse(line, index + 1), index + 1);
    }
    return {
      name: this.#name,
      header,
      runLines: this.#runLines,
      exchanges: [...this.#exchanges.values()],
      isComplete: this.#isComplete,
    };
  }

  #header(line: string): RecordingHeader {
    if (line.trim() === "") throw this.#problem("it is empty");
    const first = isJson(line) ? JSON.parse(line) : undefined;
    if (!isObject(first) || first.format !== FORMAT) {
      throw this.#problem("line 1 is not the header of a recording. Make one with --record FILE");
    }
    if (first.version !== VERSION) {
      throw this.#problem(
        `it has version ${first.version} of the format, and this ally reads ${VERSION}. Record it anew, or use the ally that made it`,
      );
    }
    for (const key of ["time", "platform", "endpoint", "model"]) {
      if (typeof first[key] !== "string") throw this.#problem(`line 1 has no "${key}"`);
    }
    for (const key of ["run", "directories"]) {
      if (!isObject(first[key])) throw this.#problem(`line 1 has no "${key}"`);
    }
    if (!Object.values(first.directories as JsonObject).every((path) => typeof path === "string")) {
      throw this.#problem('line 1 has "directories" that are no names');
    }
    return first as unknown as RecordingHeader;
  }

  #parse(line: string, number: number): JsonObject {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      throw this.#problem(`line ${number} is not JSON: ${messageOf(error)}`);
    }
    if (isObject(value)) return value;
    throw this.#problem(`line ${number} is not an object`);
  }

  #take(line: JsonObject, number: number): void {
    if (line.type === "request") return this.#request(line as unknown as RequestLine, number);
    if (line.type === "response") return this.#response(line as unknown as ResponseLine, number);
    if (line.type === "end") this.#isComplete = true;
    else if (RUN_LINES.has(line.type)) {
      if (line.type === "prompt") this.#turn++;
      this.#runLines.push(line as RunLine);
    } else throw this.#problem(`line ${number} has the unknown type ${JSON.stringify(line.type)}`);
  }

  #request(line: RequestLine, number: number): void {
    const { id, method, endpoint, path, body = {}, follows } = line;
    if (!Number.isInteger(id) || typeof method !== "string" || typeof path !== "string") {
      throw this.#problem(`line ${number} is no whole request`);
    }
    const before = follows === undefined ? undefined : this.#exchanges.get(follows);
    if (follows !== undefined && before === undefined) {
      throw this.#problem(`line ${number} follows request ${follows}, which is not there`);
    }
    const whole = before ? withEarlierMessages(before.body, body) : body;
    const exchange = { line: number, method, endpoint, path, body: whole, turn: this.#turn };
    this.#exchanges.set(id, { ...exchange, response: undefined });
  }

  #response(line: ResponseLine, number: number): void {
    const exchange = this.#exchanges.get(line.id);
    const isWhole = Array.isArray(line.chunks) && line.chunks.every(isTimedChunk) &&
      (line.status !== undefined || line.end === "lost");
    if (exchange === undefined || !isWhole) {
      throw this.#problem(
        exchange === undefined
          ? `line ${number} answers request ${line.id}, which is not there`
          : `line ${number} is no whole response`,
      );
    }
    this.#exchanges.set(line.id, { ...exchange, response: line });
  }

  #problem(what: string): UsageError {
    return new UsageError(`Cannot replay ${this.#name}: ${what}.`);
  }
}

function isTimedChunk(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === "number" && typeof value[1] === "string";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A body that goes on where an earlier one ended. */
function withEarlierMessages(before: JsonObject, rest: JsonObject): JsonObject {
  return { ...before, messages: [...messagesOf(before), ...messagesOf(rest)] };
}

/** The messages of a body, or none. */
export function messagesOf({ messages }: JsonObject): readonly unknown[] {
  return Array.isArray(messages) ? messages : [];
}
