/**
 * The port through which a conversation outlives the process: one explicit call after every message.
 */
import type { Message } from "./message.ts";

export interface Journal {
  /** Resolves when the message is safe from a crash of the process. Failures are reported, not thrown. */
  append(message: Message): Promise<void>;
}
