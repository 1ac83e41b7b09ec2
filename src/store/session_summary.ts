/**
 * The line of a session in a list: found without parsing all messages, so that large sessions cost little.
 */
import type { Message, UserMessage } from "../core/message.ts";
import { parseJson } from "../lib/json_text.ts";
import { isObject } from "../lib/schema.ts";
import { cutEnd, messageOf } from "../lib/text.ts";
import { forEachLine } from "./session_lines.ts";
import { SessionReader } from "./session_reader.ts";

/** Characters of a title. */
const TITLE_LENGTH = 60;
/** Lines at the beginning of a file in which the user's first words are looked for. */
const TITLE_WITHIN = 200;

const MESSAGE = '{"type":"message"';
const TITLE = '{"type":"title"';

/** A session in a list. */
export interface SessionSummary {
  readonly id: string;
  /** The name it was given, else the user's first words, else why there are none. */
  readonly title: string;
  /** Directory in which it was begun; "" if its file does not say. */
  readonly cwd: string;
  /** ISO 8601; "" if its file does not say. */
  readonly created: string;
  /** ISO 8601: when it was written to last. */
  readonly used: string;
  /** Messages that were saved, results of tools included. */
  readonly messages: number;
  /** Bytes. */
  readonly size: number;
}

/** Sums up a session's file. Never throws. */
export async function summarizeSession(id: string, path: string): Promise<SessionSummary> {
  const stats = await Deno.stat(path).catch(() => undefined);
  const { size = 0 } = stats ?? {};
  const used = stats?.mtime?.toISOString() ?? "";
  try {
    const reader = new SessionReader(id);
    let seen = 0;
    let count = 0;
    let named: string | undefined;
    const ends = await forEachLine(path, (line) => {
      if (seen++ < TITLE_WITHIN) reader.readLine(line);
      if (line.startsWith(MESSAGE)) count++;
      else if (line.startsWith(TITLE)) named = line;
    });
    const { header, covered, messages } = reader.result(ends);
    return {
      id,
      title: titleOf(parseTitle(named), covered[0] ?? messages),
      cwd: header.cwd,
      created: header.created,
      used,
      messages: count,
      size,
    };
  } catch (error) {
    return { id, title: `(${messageOf(error)})`, cwd: "", created: "", used, messages: 0, size };
  }
}

/** The name a session was given, else the user's first words, or what was piped in where there are none. */
export function titleOf(given: string | undefined, messages: readonly Message[]): string {
  const first = messages.find((message): message is UserMessage =>
    message.role === "user" && !message.told
  );
  return toTitle(given ?? (first?.typed || first?.content || ""));
}

/** A text as a title: one line, not too long. */
export function toTitle(text: string): string {
  return cutEnd(text.replace(/\s+/g, " ").trim(), TITLE_LENGTH);
}

/** The name in the last line that gives one. */
function parseTitle(line: string | undefined): string | undefined {
  const record = line === undefined ? undefined : parseJson(line);
  return isObject(record) && typeof record.title === "string" ? record.title : undefined;
}
