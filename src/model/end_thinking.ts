/**
 * Ends the thinking of a completion that is under way, where a server can: llama-server goes on with the answer in the
 * same reply.
 */
import { type Endpoint, urlBelow } from "./endpoint.ts";
import { getJson } from "./get_json.ts";

/** Milliseconds that the server may take to say whether it does. */
const TIMEOUT_MS = 5_000;

/** Asks the server to end the thinking of a completion by its id; whether it does. */
export async function endThinking(
  endpoint: Endpoint,
  { id, model, signal }: { id: string; model: string; signal: AbortSignal },
): Promise<boolean> {
  const answer = await getJson(endpoint, {
    url: urlBelow(endpoint.url, "/chat/completions/control"),
    body: { id, action: "reasoning_end", model },
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  return answer?.["success"] === true;
}
