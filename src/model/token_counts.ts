/**
 * Token counts from a chunk, wherever servers put them. Pure.
 */
import type { Usage } from "../core/model.ts";
import { numberOf, objectOf } from "./fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Token counts, at their usual place, at Groq's, or in Ollama's own words; undefined if there are none. */
export function usageOf(chunk: Fields | undefined): Usage | undefined {
  const usage = objectOf(chunk?.["usage"]) ?? objectOf(objectOf(chunk?.["x_groq"])?.["usage"]);
  const promptTokens = numberOf(usage?.["prompt_tokens"] ?? chunk?.["prompt_eval_count"]);
  const completionTokens = numberOf(usage?.["completion_tokens"] ?? chunk?.["eval_count"]);
  if (promptTokens === undefined && completionTokens === undefined) return undefined;
  const cachedTokens = cachedIn(usage);
  const reasoningTokens = countOf(
    objectOf(usage?.["completion_tokens_details"])?.["reasoning_tokens"],
    usage?.["reasoning_tokens"],
  );
  return {
    promptTokens: promptTokens ?? 0,
    completionTokens: completionTokens ?? 0,
    ...cachedTokens !== undefined && { cachedTokens },
    ...reasoningTokens !== undefined && { reasoningTokens },
  };
}

/** OpenAI's place, DeepSeek's, Anthropic's, Moonshot's. */
function cachedIn(usage: Fields | undefined): number | undefined {
  return countOf(
    objectOf(usage?.["prompt_tokens_details"])?.["cached_tokens"],
    usage?.["prompt_cache_hit_tokens"],
    usage?.["cache_read_input_tokens"],
    usage?.["cached_tokens"],
  );
}

function countOf(...places: readonly unknown[]): number | undefined {
  return places.map(numberOf).find((count) => count !== undefined && count >= 0);
}
