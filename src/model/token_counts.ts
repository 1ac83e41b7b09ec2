/**
 * Token counts from a chunk, wherever servers put them. Pure.
 */
import type { PromptProgress, Usage } from "../core/model.ts";
import { numberOf, objectOf } from "./fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Where servers say how many tokens of the prompt they had cached. */
const CACHED_TOKENS: readonly string[] = [
  // OpenAI, vLLM, SGLang, llama-server
  "usage.prompt_tokens_details.cached_tokens",
  "x_groq.usage.prompt_tokens_details.cached_tokens",
  "usage.prompt_cache_hit_tokens", // DeepSeek
  "usage.cache_read_input_tokens", // Anthropic
  "usage.cached_tokens", // Moonshot
  "timings.cache_n", // llama-server, which has not always said it in the usage
];

/** Token counts, at their usual place, at Groq's, or in Ollama's own words; undefined if there are none. */
export function usageOf(chunk: Fields | undefined): Usage | undefined {
  const usage = objectOf(chunk?.["usage"]) ?? objectOf(objectOf(chunk?.["x_groq"])?.["usage"]);
  const promptTokens = numberOf(usage?.["prompt_tokens"] ?? chunk?.["prompt_eval_count"]);
  const completionTokens = numberOf(usage?.["completion_tokens"] ?? chunk?.["eval_count"]);
  if (promptTokens === undefined && completionTokens === undefined) return undefined;
  const cachedTokens = countAt(chunk, CACHED_TOKENS);
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

/** How far llama-server is with reading the prompt, if a chunk says so. */
export function promptProgressOf(chunk: Fields | undefined): PromptProgress | undefined {
  const progress = objectOf(chunk?.["prompt_progress"]);
  const total = countOf(progress?.["total"]);
  if (total === undefined) return undefined;
  const cached = countOf(progress?.["cache"]) ?? 0;
  const read = Math.max(0, (countOf(progress?.["processed"]) ?? 0) - cached);
  return { total, cached, read, ms: countOf(progress?.["time_ms"]) ?? 0 };
}

/** The first place of these that holds a count. */
function countAt(chunk: Fields | undefined, places: readonly string[]): number | undefined {
  return countOf(
    ...places.map((place) =>
      place.split(".").reduce<unknown>((value, field) => objectOf(value)?.[field], chunk)
    ),
  );
}

function countOf(...places: readonly unknown[]): number | undefined {
  return places.map(numberOf).find((count) => count !== undefined && count >= 0);
}
