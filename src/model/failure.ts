/**
 * What can go wrong with a request, sorted by what it means for the next step. The client decides by it
 * whether to try again, and `explain.ts` tells the user; nobody else looks at a fetch error.
 */
import { messageOf } from "../lib/text.ts";

export type FailureKind =
  /** The server answered with an error: a status, or an error object within a stream. */
  | "answered"
  /** Nothing listens there. */
  | "refused"
  /** The host's name leads nowhere. */
  | "unresolved"
  /** The connection broke, or the stream ended or fell silent before the reply was whole. */
  | "lost"
  /** No answer began within the time for a request. */
  | "timeout"
  /** More came than any reply is long. */
  | "endless"
  /** An answer, but none of a chat completion endpoint. */
  | "foreign"
  /** No connection for a reason that trying again does not mend. */
  | "unreachable";

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

/** TLS where none is spoken, or the other way round. */
const OTHER_SCHEME = /InvalidContentType|invalid HTTP version parsed/i;

/** Whether the runtime's words say that https was spoken to an http server, or http to an https server. */
export function isWrongScheme(words: string): boolean {
  return OTHER_SCHEME.test(words);
}

/** How the runtime words what it does not tell apart by type, from the most to the least specific. */
const SIGNS: readonly [RegExp, FailureKind][] = [
  [/connection refused|actively refused/i, "refused"],
  [/dns error|failed to lookup|name resolution/i, "unresolved"],
  [OTHER_SCHEME, "unreachable"],
  [/\(connect\)|invalid url|scheme .* not supported|ports? .* blocked|net access/i, "unreachable"],
  [/timed? ?out/i, "timeout"],
];

/** Sorts an error that `fetch` or a body stream threw. */
export function failureOf(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error;
  const messages = causesOf(error).map(messageOf);
  const all = messages.join("\n");
  const kind = SIGNS.find(([sign]) => sign.test(all))?.[1] ?? "lost";
  return new RequestFailure(kind, plainWords(messages.at(-1) ?? ""), { cause: error });
}

/** The error and its causes, outermost first. */
function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && causes.length < 8;) {
    causes.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}

/** Without the runtime's preamble, which repeats the address and names its own layers. */
function plainWords(message: string): string {
  return message
    .replace(/^error sending request .*?\): (?=client error)/, "")
    .replace(/^client error \(\w+\): /, "");
}
