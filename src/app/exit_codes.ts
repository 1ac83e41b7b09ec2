/**
 * Exit codes, as scripts may rely on them.
 */
import { AnswerSchemaError, EndpointError, UsageError } from "../core/errors.ts";
import type { TurnEndReason } from "../core/event.ts";

/** The exit codes of the command line. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  /** Of requests, or of what may be spent. */
  limit: 4,
  context: 5,
  schema: 6,
  endpoint: 75,
  interrupted: 130,
  /** The reader of standard output has left: 128 and the number of SIGPIPE. */
  brokenPipe: 141,
} as const;

/** The code for how a turn ended. */
export function exitCodeOf(outcome: { reason: TurnEndReason; cause?: unknown }): number {
  switch (outcome.reason) {
    case "done":
      return EXIT.done;
    case "denied":
      return EXIT.denied;
    case "turn_limit":
    case "budget":
      return EXIT.limit;
    case "context":
      return EXIT.context;
    case "interrupted":
      return EXIT.interrupted;
    case "error":
      return exitCodeOfError(outcome.cause);
  }
}

/** The code for an error that ended the program. */
export function exitCodeOfError(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof EndpointError) return EXIT.endpoint;
  if (error instanceof AnswerSchemaError) return EXIT.schema;
  return EXIT.failed;
}
