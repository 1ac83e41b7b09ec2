/**
 * How servers differ in what they take, as data. What they refuse of a request: the words by which each refusal is
 * known, and the fallback that answers it; the request is repeated with the fallback, which is remembered for the
 * model. And how each is told how much its model is to think.
 */
import type { ServerFeatures } from "../core/endpoint.ts";
import { imagesOf } from "../core/message.ts";
import { type Effort, type EffortDialect, EFFORTS, type ModelRequest } from "../core/model.ts";
import type { RequestFailure } from "./failure.ts";
import { isOverflow } from "./overflow.ts";

/** A part of a request that can be left out or said in another way. */
export type Fallback =
  /** No token counts are asked for. */
  | "usage"
  /** Tools are described in the system prompt, and called in the text of the reply. */
  | "tools"
  /** The system prompt opens the first message of the user. */
  | "system"
  /** The limit of tokens is called `max_completion_tokens`. */
  | "max_tokens"
  | "temperature"
  /** Thinking is sent back with the reply it led to: some servers insist on it. */
  | "reasoning_echo"
  /** Thinking is not sent back. */
  | "reasoning"
  /** Extra fields that came with a call are not sent back. */
  | "extra"
  /** Call ids are rewritten to a form that every server accepts: nine letters and digits. */
  | "ids"
  /** It is not said how much the model is to think. */
  | "effort"
  /** The least thinking is called "low". */
  | "minimal_effort"
  /** Fields that only some servers know are left out. */
  | "features"
  /** Several calls in one reply are not asked for. */
  | "parallel"
  /** An answer by a schema is given as the call of a tool. */
  | "response_format"
  /** It is not said which tool is to be called. */
  | "tool_choice"
  /** Words stand in the place of pictures. */
  | "images"
  /** The answer comes whole. */
  | "stream";

/** The fallback that a stored name means, if any; files of ally 0.1 call `reasoning_echo` "unthought". */
export function parseFallback(name: string): Fallback | undefined {
  const wanted = name === "unthought" ? "reasoning_echo" : name;
  return REFUSALS.find(({ fallback }) => fallback === wanted)?.fallback;
}

interface Refusal {
  readonly fallback: Fallback;
  readonly words: readonly RegExp[];
  /** What the user is told; absent if it makes no difference to them. */
  readonly notice?: string;
}

const REFUSALS: readonly Refusal[] = [
  {
    fallback: "images",
    words: [
      // llama-server, Ollama, LM Studio, OpenRouter; OpenAI; DeepSeek and other parsers; vLLM; Groq
      /(image|vision|multi-?modal)[ _-]?(input|url|content|part)?s?\b.{0,40}(not |n't )(supported|enabled|available|allowed|accepted)/is,
      /(not|n't) (support|accept|have|allow).{0,30}\b(image|vision|multi-?modal)/is,
      /support image input|image_url is only supported|missing data required for image input/i,
      /(unknown variant|unsupported|invalid|unexpected)[^.]{0,60}\bimage_url\b/is,
      /not a multi-?modal model|at most 0 image/i,
      /content.{0,20}must be a string/is,
    ],
    notice: "takes no images; words stand in their place",
  },
  {
    fallback: "response_format",
    words: [/response_format|json_schema|guided_json|structured[ _-]?output|grammar/i],
  },
  { fallback: "tool_choice", words: [/tool[ _-]?choice/i] },
  { fallback: "usage", words: [/stream_options|include_usage/i] },
  {
    fallback: "minimal_effort",
    words: [
      /(unsupported|invalid|not (a )?(supported|valid|one of)|must be|should be|unknown).{0,120}\bminimal\b/is,
      /\bminimal\b.{0,80}(unsupported|invalid|not (supported|valid|allowed)|must be|unknown)/is,
      /reasoning[ _]effort.{0,60}must be (one of )?[^.]{0,60}\blow\b/is,
    ],
    notice: "does not know the effort minimal; low is sent instead",
  },
  {
    fallback: "effort",
    words: [
      /reasoning[._ ]effort|enable_thinking|chat_template_kwargs|thinking_budget|budget_tokens/i,
      /\bthinking(\.type)?['"`]?\b.{0,60}(not (supported|allowed|permitted)|unsupported|unknown|unrecognized|extra)/is,
      /(unsupported|unknown|unrecognized|extra|unexpected)[^.]{0,40}\bthinking\b/is,
      /(not|n't) support.{0,20}(thinking|reasoning)\b/is,
    ],
    notice: "cannot be told how much to think; requests do not say it",
  },
  {
    fallback: "features",
    words: [/chat_template_kwargs|id_slot|return_progress|reasoning_control/i],
  },
  {
    fallback: "reasoning",
    words: [
      /\b(reasoning(_content|_details|_text)?|thinking)\b.{0,80}(extra inputs|not (permitted|allowed|supported|expected)|un(supported|known|recognized|expected))/is,
      /(un(supported|known|recognized|expected)|extra|additional).{0,60}\b(reasoning(_content|_details|_text)?|thinking)\b/is,
      /invalid.{0,20}signature.{0,40}thinking/is,
    ],
  },
  {
    fallback: "reasoning_echo",
    words: [
      /(missing|must|required|pass)[^.]{0,60}reasoning_content/is,
      /reasoning_content[^.]{0,60}(missing|must|required|passed back)/is,
    ],
  },
  {
    fallback: "ids",
    words: [
      // Mistral; Anthropic; OpenAI
      /tool.?call.?id.{0,120}(length of 9|must be)/is,
      /tool_(use|call|result)[^ ]{0,30}id.{0,80}(match pattern|string_pattern|too long|max(imum)? length)/is,
      /tool_calls\[\d+\]\.id.{0,80}(too long|pattern|invalid)/is,
    ],
  },
  { fallback: "extra", words: [/extra_content/i] },
  { fallback: "parallel", words: [/parallel_tool_calls/i] },
  {
    fallback: "max_tokens",
    words: [/max_tokens.{0,80}not supported/is, /use '?max_completion_tokens/i],
  },
  {
    fallback: "temperature",
    words: [
      /temperature.{0,60}(not support|unsupported|deprecated|only the default|not allowed)/is,
      /(not support|unsupported|unknown)[^.]{0,30}temperature/is,
    ],
    notice: "does not accept a temperature; requests omit it",
  },
  {
    fallback: "system",
    words: [
      /system (role|message|prompt|instruction)s?.{0,20}not (supported|allowed|enabled)/is,
      /(not support|unsupported)[^.]{0,40}['"]system\b/is,
      /role.{0,10}system.{0,30}not support/is,
      /developer instruction is not enabled/i,
    ],
    notice: "does not accept a system prompt; it is sent with the first message",
  },
  {
    fallback: "tools",
    words: [
      /(not|n't) support.{0,30}(tools?\b|tool[ _-]?(use|call|choice)|function[ _-]?call)/is,
      /(tools?|tool[ _-]?(use|calling|calls?|choice)|function[ _-]?call(ing|s)?)\b.{0,3} (is |are )?not (supported|available|enabled)/is,
      /no endpoints found that support tool use/i,
      /(requires|without|set) --?(enable-auto-tool-choice|tool-call-parser|jinja)/i,
      /(unknown|unrecognized|unsupported|extra|unexpected)[^.]{0,40}\btools?\b/is,
      // Templates that know two roles; as text, calls and results fit them.
      /roles must alternate/i,
      /(unsupported|unknown|invalid|unexpected)[^.]{0,30}role[^.]{0,10}\btool\b/is,
    ],
    notice: "does not accept tools; they are described in the prompt and called in the text",
  },
  {
    fallback: "stream",
    words: [
      /stream(ing)?\b.{0,30}(not supported|unsupported|not support)/is,
      /(not support|unsupported)[^.]{0,30}\bstream(ing)?\b/is,
    ],
    notice: "does not stream; the answer comes in one piece",
  },
];

/** Whether a request contains what a fallback would change. */
function isAffected(request: ModelRequest, fallback: Fallback): boolean {
  switch (fallback) {
    case "tools":
      return request.tools.length > 0 || request.messages.some(({ role }) => role === "tool");
    case "system":
      return request.messages.some(({ role }) => role === "system");
    case "max_tokens":
      return request.maxTokens !== undefined;
    case "reasoning":
      return request.messages.some((message) =>
        message.role === "assistant" && message.reasoning?.model === request.model
      );
    case "reasoning_echo":
      return request.messages.some(({ role }) => role === "assistant");
    case "ids":
      return request.messages.some(({ role }) => role === "tool");
    case "extra":
      return request.messages.some((message) =>
        message.role === "assistant" && message.calls.some(({ extra }) => extra !== undefined)
      );
    case "parallel":
      return request.parallel === true;
    case "response_format":
      return request.answer?.by === "grammar";
    case "tool_choice":
      return request.answer !== undefined;
    case "images":
      return request.messages.some((message) => imagesOf(message).length > 0);
    case "temperature":
      return request.temperature !== undefined;
    case "effort":
      return request.effort !== undefined;
    case "minimal_effort":
      return request.effort === "minimal";
    case "usage":
    case "features":
    case "stream":
      return true;
  }
}

/** The refusal that a failed request met, unless its fallback is active already. */
export function findRefusal(
  failure: RequestFailure,
  { request, active }: { request: ModelRequest; active: ReadonlySet<Fallback> },
): Refusal | undefined {
  const { kind, status, message } = failure;
  if (kind !== "answered" || status === 401 || status === 403 || status === 429) return undefined;
  if (isOverflow(message)) return undefined;
  return REFUSALS.find(({ fallback, words }) =>
    !active.has(fallback) && isAffected(request, fallback) && words.some((one) => one.test(message))
  );
}

const LEVELS = ["none", ...EFFORTS] as const;

/** What a body is given. */
interface EffortFields {
  readonly reasoning_effort?: string;
  readonly chat_template_kwargs?: Readonly<Record<string, boolean>>;
  readonly thinking?: { readonly type: "enabled" | "disabled"; readonly budget_tokens?: number };
  readonly thinking_budget_tokens?: number;
}

const effort = (reasoning_effort: string): EffortFields => ({ reasoning_effort });
/** Each template reads one of these, if any. */
const template = (on: boolean): EffortFields => ({
  chat_template_kwargs: { enable_thinking: on, thinking: on },
});
const llamacpp = (on: boolean, thinking_budget_tokens?: number): EffortFields => ({
  chat_template_kwargs: { enable_thinking: on },
  ...thinking_budget_tokens !== undefined && { thinking_budget_tokens },
});
const thinking = (budget_tokens: number): EffortFields => ({
  thinking: { type: "enabled", budget_tokens },
});
const OFF: EffortFields = { thinking: { type: "disabled" } };
const ON: EffortFields = { thinking: { type: "enabled" } };

/** What each kind of server is sent for an effort, in the order of `LEVELS`. */
const EFFORT_FIELDS: Readonly<Record<EffortDialect, readonly EffortFields[]>> = {
  // OpenAI, OpenRouter, Gemini, Groq, xAI, LM Studio
  reasoning_effort: LEVELS.map(effort),
  // Ollama
  reasoning_effort_or_none: ["none", "none", "low", "medium", "high"].map(effort),
  // Mistral
  high_or_none: ["none", "none", "none", "high", "high"].map(effort),
  // vLLM, SGLang
  template: [
    template(false),
    template(false),
    { ...template(true), ...effort("low") },
    { ...template(true), ...effort("medium") },
    { ...template(true), ...effort("high") },
  ],
  // Anthropic
  thinking_budget: [OFF, OFF, thinking(2_048), thinking(8_192), thinking(24_576)],
  // Z.ai, Moonshot, DeepSeek
  thinking_switch: [OFF, OFF, ON, ON, ON],
  // llama-server, which ends thinking at a budget whatever the template
  llamacpp: [
    llamacpp(false, 0),
    llamacpp(false, 0),
    llamacpp(true, 1_024),
    llamacpp(true, 4_096),
    llamacpp(true),
  ],
};

/** Services whose dialect is known. */
const DIALECTS_BY_HOST: readonly (readonly [RegExp, EffortDialect])[] = [
  [/(^|\.)(openai\.com|openrouter\.ai|groq\.com|x\.ai|googleapis\.com)$/, "reasoning_effort"],
  [/(^|\.)anthropic\.com$/, "thinking_budget"],
  [/(^|\.)(z\.ai|bigmodel\.cn|moonshot\.(ai|cn)|deepseek\.com)$/, "thinking_switch"],
  [/(^|\.)mistral\.ai$/, "high_or_none"],
];

/** Server programs whose dialect is known. */
const DIALECTS_BY_KIND: Readonly<Record<ServerFeatures["kind"], EffortDialect>> = {
  llamacpp: "llamacpp",
  ollama: "reasoning_effort_or_none",
  lmstudio: "reasoning_effort",
  vllm: "template",
};

/** The dialect that a server has shown, or that its address tells; undefined if neither does. */
export function effortDialectOf(
  url: string,
  features: ServerFeatures | undefined,
): EffortDialect | undefined {
  if (features !== undefined) return DIALECTS_BY_KIND[features.kind];
  const host = URL.parse(url)?.hostname ?? "";
  return DIALECTS_BY_HOST.find(([pattern]) => pattern.test(host))?.[1];
}

/** The fields that tell a server an effort; without a known dialect OpenAI's. */
export function effortFields(
  wanted: Effort | "none",
  { by = "reasoning_effort", features, omit }: {
    by?: EffortDialect | undefined;
    features?: ServerFeatures | undefined;
    omit: ReadonlySet<Fallback>;
  },
): EffortFields {
  const level = wanted === "minimal" && omit.has("minimal_effort") ? "low" : wanted;
  const index = LEVELS.indexOf(level);
  const { template_arguments: names = [], template_caps: caps = [] } = features ?? {};
  const readsEffort = caps.includes("supports_reasoning_effort") ||
    names.includes("reasoning_effort");
  const dialect = by === "llamacpp" && readsEffort ? "reasoning_effort" : by;
  const { chat_template_kwargs, ...fields } = EFFORT_FIELDS[dialect][index] ?? {};
  const isRead = by !== "llamacpp" || names.includes("enable_thinking");
  return { ...fields, ...chat_template_kwargs && isRead && { chat_template_kwargs } };
}
