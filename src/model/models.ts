/**
 * Asks a server which models it has.
 */
import { readErrorText, readText } from "../lib/bounded_body.ts";
import { type Endpoint, requestHeaders, urlBelow } from "./endpoint.ts";
import { failureOf, RequestFailure } from "./failure.ts";
import { listOf, objectOf, textOf } from "./fields.ts";
import { parseAnswer } from "./get_json.ts";
import { LoadingWait } from "./retry.ts";

/** Milliseconds that a server may take to load its model. */
const LOADING_LIMIT_MS = 600_000;

/** A server that is asked for its models, and how long it may take. */
interface ListOptions extends Endpoint {
  /** Milliseconds. @default 5 seconds */
  readonly timeoutMs?: number | undefined;
  /** Waits while the server loads its model, and gets the milliseconds so far. @default it is not waited for */
  readonly onLoading?: ((ms: number) => void) | undefined;
}

/**
 * The names of a server's models, in its order.
 * @throws {EndpointError} it cannot be reached, or does not answer with a list: then its kind is "unlisted"
 */
export async function listModels(
  endpoint: ListOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<string[]> {
  const { timeoutMs = 5000, onLoading } = endpoint;
  const loading = new LoadingWait({ limitMs: LOADING_LIMIT_MS });
  for (;;) {
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      return await requestModels(endpoint, AbortSignal.any([signal, limit]));
    } catch (error) {
      signal.throwIfAborted();
      const failure = limit.aborted
        ? new RequestFailure("timeout", `no list of models within ${timeoutMs / 1000} seconds`)
        : failureOf(error);
      if (onLoading !== undefined && await loading.wait(failure, { signal, onLoading })) continue;
      const { explainFailure } = await import("./explain_failure.ts");
      throw explainFailure(failure, { endpoint });
    }
  }
}

async function requestModels(endpoint: Endpoint, signal: AbortSignal): Promise<string[]> {
  const response = await (endpoint.fetch ?? fetch)(urlBelow(endpoint.url, "/models"), {
    headers: requestHeaders(endpoint),
    signal,
    redirect: "manual",
  });
  if (!response.ok) {
    const { status, headers } = response;
    throw new RequestFailure("answered", await readErrorText(response), { status, headers });
  }
  const body = await readText(response);
  const answer = parseAnswer(body);
  if (answer === undefined) throw new RequestFailure("foreign", body);
  return listOf(answer["data"] ?? answer["models"])
    .map((entry) => textOf(objectOf(entry)?.["id"]) ?? textOf(objectOf(entry)?.["name"]))
    .filter((name) => name !== undefined);
}
