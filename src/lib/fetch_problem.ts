/**
 * What kept a request from being answered, by the words of the runtime, which has no types for it. Nobody else reads
 * those words.
 */
import { causeMessages } from "./text.ts";

/** Why there was no answer; "lost" is all that has no words of its own. */
export type FetchProblemKind =
  | "refused"
  | "unresolved"
  | "unreachable"
  | "foreign"
  | "timeout"
  | "lost";

/** What kept a request from being answered. */
interface FetchProblem {
  readonly kind: FetchProblemKind;
  /** The system's own words, without the runtime's. */
  readonly words: string;
}

/** TLS to a server without it, or the other way round. */
const OTHER_SCHEME = /InvalidContentType|invalid HTTP version parsed/i;

/** Whether the words say that https was used for an http server, or the other way round. */
export function isWrongScheme(words: string): boolean {
  return OTHER_SCHEME.test(words);
}

/** Whether the words say that the server's certificate is not trusted. */
export function isUntrusted(words: string): boolean {
  return /certificate/i.test(words);
}

/** How the runtime words what has no type of its own, most specific first. */
const SIGNS: readonly [RegExp, FetchProblemKind][] = [
  [/connection refused|actively refused/i, "refused"],
  [/dns error|failed to lookup|name resolution/i, "unresolved"],
  [OTHER_SCHEME, "unreachable"],
  // Headers of more than some 400 kB.
  [/message head is too large/i, "foreign"],
  [/\(connect\)|invalid url|scheme .* not supported|ports? .* blocked|net access/i, "unreachable"],
  [/timed? ?out/i, "timeout"],
];

/** Reads an error that `fetch` or a body's stream threw. */
export function readFetchError(error: unknown): FetchProblem {
  const messages = causeMessages(error);
  const all = messages.join("\n");
  const kind = SIGNS.find(([sign]) => sign.test(all))?.[1] ?? "lost";
  return { kind, words: plainWords(messages.at(-1) ?? "") };
}

/** Without the runtime's preamble, which repeats the address and names its own layers. */
function plainWords(message: string): string {
  return message
    .replace(/^error sending request .*?\): (?=client error)/, "")
    .replace(/^client error \(\w+\): /, "");
}
