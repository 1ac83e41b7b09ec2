/**
 * Asks a server which models it has.
 */
import { readErrorText, readText } from "../lib/bounded_body.ts";
import { type Endpoint, requestHeaders, urlBelow } from "./endpoint.ts";
import { failureOf, RequestFailure } from "./failure.ts";
import { listOf, objectOf, textOf } from "./fields.ts";
import { parseAnswer } from "./get_json.ts";

/**
 * The names of a server's models, in its order; waits at most 5 seconds.
 * @throws {EndpointError} it cannot be reached, or does not answer with a list: then its kind is "unlisted"
 */
export async function listModels(
  endpoint: Endpoint & { readonly timeoutMs?: number | undefined },
  signal: AbortSignal = new AbortController().signal,
): Promise<string[]> {
  const { timeoutMs = 5000 } = endpoint;
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    return await requestModels(endpoint, AbortSignal.any([signal, limit]));
  } catch (error) {
    signal.throwIfAborted();
    const failure = limit.aborted
      ? new RequestFailure("timeout", `no list of models within ${timeoutMs / 1000} seconds`)
      : failureOf(error);
    const { explainFailure } = await import("./explain_failure.ts");
    throw explainFailure(failure, { endpoint });
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
