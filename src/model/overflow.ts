/**
 * How servers say that a conversation does not fit the model's context window.
 */

/** One wording a server or family of servers; the tests hold a real message for each. */
const WORDINGS: readonly RegExp[] = [
  // OpenAI, Azure, Groq, Together, DeepSeek, OpenRouter
  /context_length_exceeded/i,
  /(exceeds?|exceeded) (the |max )?context (window|size|length)/i,
  /input tokens exceed the configured limit/i,
  /maximum context (length|window)/i,
  /reduce the length of (the )?(messages|prompt|input)/i,
  // vLLM
  /longer than the maximum model length/i,
  /max_model_len/i,
  /maximum (input|sequence) length/i,
  // llama.cpp
  /exceed_context_size_error|exceeds? the available context size/i,
  /context (window|size|length) (has been )?exceed(s|ed)/i,
  // Ollama
  /input length exceeds (the )?(maximum )?context length|exceeds (the )?maximum context/i,
  // LM Studio
  /trying to keep the first \d+ tokens when context the overflows|context length of only \d+ tokens/i,
  /context (window )?(overflow|length (was )?reached)|greater than the context length/i,
  // Anthropic and those who speak like it
  /(prompt|input) (is )?too long|exceed context limit|input length and `?max_tokens`? exceed/i,
  // Mistral
  /too large for model with \d+ maximum context|prompt contains \d+ tokens.*limit/i,
  // TGI
  /`?inputs`? (tokens )?(\+ `?max_new_tokens`? )?must (be|have) (<=|less than)/i,
  // SGLang, TensorRT-LLM, Gemini, Cohere, xAI, KoboldCpp, LiteLLM
  /is longer than the model'?s context length|exceeds the model'?s (maximum )?context/i,
  /prompt length \(\d+\) exceeds/i,
  /input token count \(?\d*\)? ?exceeds the maximum/i,
  /too many tokens|token limit exceeded|model_max_prompt_tokens_exceeded/i,
  /maximum prompt length is \d+/i,
  // Moonshot, Z.ai, Alibaba, Cerebras, Copilot, TensorRT-LLM
  /exceeded model token limit|prompt exceeds max length|range of input length should be/i,
  /current length is \d+ while limit is \d+|prompt token count of \d+ exceeds the limit/i,
  /input length \d+ exceeds maximum allowed token/i,
  /ContextWindowExceededError|string_above_max_length/,
];

/** Whether a server's error message says that the request is too long for the model. */
export function isOverflow(words: string): boolean {
  // A limit on tokens per minute is not a limit on the conversation.
  if (/tokens per (min|minute|day)|\bTPM\b|rate.?limit/i.test(words)) return false;
  // The id of a call can be too long as well.
  if (/tool_calls\[\d+\]\.id|tool_call_id/i.test(words)) return false;
  return WORDINGS.some((wording) => wording.test(words));
}
