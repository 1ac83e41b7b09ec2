/**
 * What can go wrong with a request, by what it means for the next step: whether a retry can help, and what the
 * user is told; and how a replayed run differs from its recording, which passes through the client as an error.
 */
import { BodyLimitError } from "../lib/bounded_body.ts";
import { readFetchError } from "../lib/fetch_problem.ts";

/** The kinds of failure. */
type FailureKind =
  /** The server answered with an error: a status, or an error object within a stream. */
  | "answered"
  /** Nothing listens there. */
  | "refused"
  /** The host's name cannot be resolved. */
  | "unresolved"
  /** The connection broke, or the stream ended or fell silent before the reply was complete. */
  | "lost"
  /** No answer began within the time for a request. */
  | "timeout"
  /** More arrived than any reply can be. */
  | "endless"
  /** The answer is not that of a chat completion endpoint. */
  | "foreign"
  /** No connection, for a reason that a retry does not fix. */
  | "unreachable"
  /** It was not sent: the key, or a header of the endpoint's, is none that a request can carry. */
  | "unsendable";

/** A failed attempt; its message is the server's or the system's own words. */
export class RequestFailure extends Error {
  override name = "RequestFailure";
  readonly kind: FailureKind;
  readonly status: number | undefined;
  readonly headers: Headers | undefined;

  constructor(
    kind: FailureKind,
    words: string,
    options: {
      status?: number | undefined;
      headers?: Headers | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(words, { cause: options.cause });
    this.kind = kind;
    this.status = options.status;
    this.headers = options.headers;
  }
}

/** Sorts an error that `fetch` or a body stream threw. */
export function failureOf(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error;
  if (error instanceof BodyLimitError) {
    return new RequestFailure(error.limit === "size" ? "endless" : "timeout", error.message);
  }
  const { kind, words } = readFetchError(error);
  return new RequestFailure(kind, words, { cause: error });
}

/** One part of a request that differs from the recording. */
export interface DifferentPart {
  /** "message 3 (result of bash)", "the definition of grep", "temperature". */
  readonly where: string;
  /** The words around the first difference; null if that part is missing. */
  readonly recorded: string | null;
  readonly now: string | null;
  /** The whole texts. */
  readonly texts: { readonly recorded: string; readonly now: string };
}

/** The first request that differs from the recording. */
export interface Difference {
  /** Of the prompts, 1-based; 0 before the first. */
  readonly turn: number;
  /** Of the requests to the model, 1-based. */
  readonly request: number;
  /** Line of the recording; absent if it has no such request. */
  readonly line?: number;
  readonly what: string;
  readonly parts: readonly DifferentPart[];
}

/** A run differs from its recording; the message shows where. */
export class RecordingMismatch extends Error {
  override name = "RecordingMismatch";
  readonly difference: Difference;

  constructor(message: string, difference: Difference) {
    super(message);
    this.difference = difference;
  }
}
