/**
 * The first line of a session's file: who it is, where and when it began, and the format of the lines below.
 */
import { randomHex } from "../lib/text_hash.ts";

/** The format that is written, and the only one that is read. */
export const VERSION = 1;

/** The first line of a session's file. */
export interface SessionHeader {
  readonly id: string;
  readonly cwd: string;
  /** ISO 8601. */
  readonly created: string;
  /** Version of the rules by which secrets were masked from its first message on; absent if they were not. */
  readonly masked?: string;
  /** Id of the session of which it began as a copy. */
  readonly forkedFrom?: string;
}

/** The header of a session that begins now; its id begins with the time. */
export function newHeader(facts: Omit<SessionHeader, "id" | "created">): SessionHeader {
  const created = new Date().toISOString();
  const id = `${created.slice(0, 19).replace(/[-:]/g, "")}-${randomHex(3)}`;
  return { id, created, ...facts };
}

/** The line, without its end. */
export function headerLine(header: SessionHeader): string {
  return JSON.stringify({ type: "session", version: VERSION, ...header });
}
