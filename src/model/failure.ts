/**
 * What can go wrong with a request, by what it means for the next step: whether a retry can help, and what the
 * user is told. No other file inspects a fetch error.
 */
import { BodyLimitError } from "../lib/bounded_body.ts";
import { causeMessages } from "../lib/text.ts";

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

/** TLS to a server without it, or the other way round. */
const OTHER_SCHEME = /InvalidContentType|invalid HTTP version parsed/i;

/** Whether an error message says that https was used for an http server, or the other way round. */
export function isWrongScheme(words: string): boolean {
  return OTHER_SCHEME.test(words);
}

/** How the runtime words failures that have no type of their own, most specific first. */
const SIGNS: readonly [RegExp, FailureKind][] = [
  [/connection refused|actively refused/i, "refused"],
  [/dns error|failed to lookup|name resolution/i, "unresolved"],
  [OTHER_SCHEME, "unreachable"],
  // Headers of more than some 400 kB.
  [/message head is too large/i, "foreign"],
  [/\(connect\)|invalid url|scheme .* not supported|ports? .* blocked|net access/i, "unreachable"],
  [/timed? ?out/i, "timeout"],
];

/** Sorts an error that `fetch` or a body stream threw. */
export function failureOf(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error;
  if (error instanceof BodyLimitError) {
    return new RequestFailure(error.limit === "size" ? "endless" : "timeout", error.message);
  }
  const messages = causeMessages(error);
  const all = messages.join("\n");
  const kind = SIGNS.find(([sign]) => sign.test(all))?.[1] ?? "lost";
  return new RequestFailure(kind, plainWords(messages.at(-1) ?? ""), { cause: error });
}

/** Without the runtime's preamble, which repeats the address and names its own layers. */
function plainWords(message: string): string {
  return message
    .replace(/^error sending request .*?\): (?=client error)/, "")
    .replace(/^client error \(\w+\): /, "");
}
