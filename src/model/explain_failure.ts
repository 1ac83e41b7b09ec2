/**
 * A failed request -> what the user reads: which endpoint, what it said in its own words, and the remedy.
 * Server text is cut and stripped of what controls a terminal, and secrets never appear.
 */
import { EndpointError, type PartialReply } from "../core/errors.ts";
import { isUntrusted, isWrongScheme } from "../lib/fetch_problem.ts";
import { isHtml } from "../lib/html_page.ts";
import { stripControls } from "../lib/text.ts";
import { displayUrl, type Endpoint } from "./endpoint.ts";
import type { RequestFailure } from "./failure.ts";
import { isOverflow } from "./overflow.ts";
import { isOverloaded } from "./retry.ts";
import { serverWords } from "./server_words.ts";

const CERTIFICATE = "If it is signed by an authority of your own, name that: DENO_CERT=FILE or " +
  "NODE_EXTRA_CA_CERTS=FILE, or DENO_TLS_CA_STORE=system for those of the machine.";
const SEE_LOG = "See the server's log; a smaller model or context may help.";
/** Statuses of an unknown path or method. */
const NO_SUCH_PATH: ReadonlySet<number | undefined> = new Set([404, 405, 501]);
const MAX_MODELS = 8;

/** What is known of a request that failed. */
interface FailureContext {
  readonly endpoint: Endpoint;
  /** The model asked for; absent when only models were listed. */
  readonly model?: string | undefined;
  /** Models that the server has, if it named them. */
  readonly models?: readonly string[] | undefined;
  /** How many attempts were made. @default 1 */
  readonly attempts?: number | undefined;
  /** What had been shown of the reply. */
  readonly partial?: PartialReply | undefined;
}

/** The error for the user, with status and cause. */
export function explainFailure(failure: RequestFailure, context: FailureContext): EndpointError {
  const { endpoint, attempts = 1 } = context;
  const tried = attempts > 1 ? ` (${attempts} attempts)` : "";
  const what = `${displayUrl(endpoint.url)} ${describeProblem(failure, endpoint)}${tried}.`;
  const advice = adviceFor(failure, context);
  return new EndpointError(advice ? `${what} ${advice}` : what, {
    kind: kindOf(failure, context),
    status: failure.status,
    partial: context.partial,
    cause: failure.cause,
  });
}

function kindOf(failure: RequestFailure, context: FailureContext): EndpointError["kind"] {
  if (isTooLong(failure)) return "context";
  if (isUnlisted(failure, context)) return "unlisted";
  return isOverloaded(failure) ? "overloaded" : "other";
}

/** Why a request is sent again, for the person who waits. */
export function describeRetry(failure: RequestFailure, endpoint: Endpoint): string {
  if (failure.kind === "refused") return "the connection was refused";
  const because = reasonOf(failure, endpoint);
  if (failure.kind === "lost") {
    return `${
      isUnreadable(failure) ? "the reply could not be read" : "the connection was lost"
    }${because}`;
  }
  return failure.status === undefined
    ? `the server reported an error${because}`
    : `the server answered ${failure.status}${because}`;
}

/** Whether what arrived was no reply, rather than that nothing more did. */
function isUnreadable({ cause }: RequestFailure): boolean {
  return cause instanceof SyntaxError;
}

/** The words of the server or the system, after a colon. */
function reasonOf({ message }: RequestFailure, { apiKey = "", headers = {} }: Endpoint): string {
  const words = serverWords(message, [apiKey, ...Object.values(headers)]);
  return words ? `: ${words}` : "";
}

function describeProblem(failure: RequestFailure, endpoint: Endpoint): string {
  const because = reasonOf(failure, endpoint);
  switch (failure.kind) {
    case "answered":
      return failure.status === undefined
        ? `ended its reply with an error${because}`
        : `answered ${failure.status}${because}`;
    case "foreign":
      return `did not answer like a chat completion endpoint${because}`;
    case "refused":
      return "refused the connection";
    case "unresolved":
      return `cannot be found${because}`;
    case "endless":
      return `did not end its reply${because}`;
    case "lost":
      return `broke off its reply${because}`;
    case "timeout":
      return `did not answer in time${because}`;
    case "unreachable":
      return `cannot be reached${because}`;
    case "unsendable":
      return `was not asked${because}`;
  }
}

function adviceFor(failure: RequestFailure, context: FailureContext): string {
  switch (failure.kind) {
    case "answered":
      return isHtml(failure.message) && (failure.status ?? 0) < 500
        ? adviceForBaseUrl(context)
        : adviceForAnswer(failure, context);
    case "foreign":
      return adviceForBaseUrl(context);
    case "refused":
      return "Is the server running? Start it (Ollama: `ollama serve`), name another with --endpoint URL, or let `ally init` find one.";
    case "unresolved":
    case "unreachable":
      if (isUntrusted(failure.message)) return CERTIFICATE;
      if (isWrongScheme(failure.message)) return adviceForScheme(context);
      return "Check the address: --endpoint URL or OPENAI_BASE_URL.";
    case "endless":
      if (context.model === undefined) return adviceForBaseUrl(context);
      return "Say it in other words, set --max-tokens, or use another model.";
    case "timeout":
      if (context.model === undefined) {
        return "It may still be starting: try again, or name a model with --model NAME.";
      }
      return SEE_LOG;
    case "lost":
      return SEE_LOG;
    case "unsendable":
      return failure.message.startsWith("its key")
        ? `Copy the key to ${keyHintOf(context)} again, without quotes and line ends.`
        : "Correct it in config.json, at the endpoint's headers.";
  }
}

function adviceForAnswer(failure: RequestFailure, context: FailureContext): string {
  const { status, message } = failure;
  if (status === 401 || status === 403) {
    const keyHint = keyHintOf(context);
    if (context.endpoint.apiKey) return `Check ${keyHint}: the server does not accept that key.`;
    return keyHint.includes("/")
      ? `Write a key of this server into ${keyHint} (chmod 600).`
      : `Set ${keyHint} to a key of this server.`;
  }
  if (status === 404 || isUnlisted(failure, context)) return adviceForNotFound(context);
  const location = failure.headers?.get("location");
  if (status !== undefined && status >= 300 && status < 400 && location) {
    if (!/^https?:$/.test(URL.parse(location, context.endpoint.url)?.protocol ?? "")) {
      return "It leads on to no address of the web. Check the address of the server, or see its log.";
    }
    return `It leads on to ${baseOf(location, context)}, where your key and words were not sent: ` +
      "if that is right, name it with --endpoint URL.";
  }
  if (isTooLong(failure)) {
    return "The conversation does not fit the model's context: begin a new session (/clear at the prompt), or set " +
      "with --context-size N how much fits.";
  }
  if (message.includes("insufficient_quota")) {
    return "The account behind the key has no credit left.";
  }
  if (status === 429) return "Too many requests: wait a while, or use another model.";
  if (status !== undefined && status >= 500) return "Try again later, or see the server's log.";
  return "";
}

/** Where the key is configured. */
function keyHintOf({ endpoint: { keyHint = "OPENAI_API_KEY" } }: FailureContext): string {
  return keyHint;
}

function adviceForScheme({ endpoint }: FailureContext): string {
  const [is, other] = /^https:/i.test(endpoint.url) ? ["https", "http"] : ["http", "https"];
  return `The server does not speak ${is}: try ${other}://.`;
}

/** The base URL to which a redirect would lead. */
function baseOf(location: string, { endpoint }: FailureContext): string {
  const url = URL.parse(location, endpoint.url)?.href ?? location;
  return displayUrl(url).replace(/\/(models|chat\/completions)$/, "");
}

/** Whether only the list of models failed: some chat servers have none, or are slow to make it. */
function isUnlisted({ kind, status }: RequestFailure, { model }: FailureContext): boolean {
  if (model !== undefined) return false;
  return kind === "foreign" || kind === "timeout" || kind === "endless" ||
    (kind === "answered" && NO_SUCH_PATH.has(status));
}

function isTooLong({ kind, message }: RequestFailure): boolean {
  return kind === "answered" && isOverflow(message);
}

function adviceForNotFound({ endpoint, model, models }: FailureContext): string {
  if (models === undefined || models.length === 0) return adviceForBaseUrl({ endpoint, model });
  const shown = models.slice(0, MAX_MODELS).map((name) => stripControls(name)).join(", ");
  const more = models.length > MAX_MODELS ? ", ..." : "";
  return `Is the model's name right (${model})? The server has: ${shown}${more}. Choose with --model, or /model in a session.`;
}

function adviceForBaseUrl({ endpoint, model }: FailureContext): string {
  const url = displayUrl(endpoint.url);
  if (!/\/v\d+$/.test(url)) {
    return `The base URL of an OpenAI-compatible API mostly ends in /v1: try --endpoint ${url}/v1.`;
  }
  return model === undefined
    ? "If this is the base URL of an OpenAI-compatible API, it does not list its models: name one with --model NAME."
    : "Is this the base URL of an OpenAI-compatible API, and the model's name right?";
}
