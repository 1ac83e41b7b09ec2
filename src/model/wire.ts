/**
 * Conversation and tools -> the body of a chat completion request. Pure.
 * `messages` comes last and nothing before it depends on the turn, so that each body is the beginning of
 * the next up to its closing quote and brackets: that is what servers' prompt caches live on.
 */
import type OpenAI from "openai";
import type { ServerFeatures } from "../core/endpoint.ts";
import type { ImagePart } from "../core/image.ts";
import {
  type AssistantMessage,
  imageNote,
  imagesOf,
  type Message,
  resultText,
  type ToolCall,
} from "../core/message.ts";
import type { EffortDialect, ModelRequest, SentPart } from "../core/model.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { mapStrings } from "../lib/json_strings.ts";
import { parseJson } from "../lib/json_text.ts";
import type { AnswerFields } from "./answer_format.ts";
import { effortFields, type Fallback } from "./dialects.ts";
import { objectOf } from "./fields.ts";
import { keepingArguments } from "./server_features.ts";
import { toolsAsText } from "./text_tools.ts";

/** Characters of a function's name that OpenAI takes. */
const MAX_NAME = 64;

type WireMessage = OpenAI.ChatCompletionMessageParam;
type WireTool = OpenAI.ChatCompletionFunctionTool;

/** Body of a chat completion request. */
export type WireBody = OpenAI.ChatCompletionCreateParams & ServerFields;

/** What only some servers know. */
interface ServerFields {
  id_slot?: number;
  n_predict?: number;
  return_progress?: boolean;
  reasoning_control?: boolean;
  chat_template_kwargs?: Readonly<Record<string, unknown>>;
  thinking?: unknown;
}

/** What a body depends on besides its request. */
interface BodyOptions {
  readonly tools: readonly WireTool[];
  /** The fallbacks for what the server has refused. */
  readonly omit: ReadonlySet<Fallback>;
  /** What the server has shown that it knows. @default nothing */
  readonly features?: ServerFeatures | undefined;
  /** How it is told how much to think. @default in OpenAI's field */
  readonly effortBy?: EffortDialect | undefined;
  /** By what an answer is held to a schema. @default none is */
  readonly answer?: AnswerFields | undefined;
  /** Whether its thinking may be ended while it thinks. @default false */
  readonly controlsThinking?: boolean;
  /** The data URLs of pictures, by their hashes. @default none is sent */
  readonly imageUrls?: ReadonlyMap<string, string> | undefined;
}

/**
 * Builds a request's body. Half a character, as a tool's result may hold one, becomes U+FFFD: many servers refuse all of
 * a body that has one.
 */
export function bodyOf(request: ModelRequest, options: BodyOptions): WireBody {
  const body = assembleBody(request, options);
  const { tools: _encoded, ...others } = body;
  return { ...body, ...mapStrings(others, (text) => text.toWellFormed()) };
}

function assembleBody(request: ModelRequest, options: BodyOptions): WireBody {
  const { omit, imageUrls } = options;
  const { model, temperature, parallel, warms } = request;
  const maxTokens = warms ? oneTokenAtMost(options) : request.maxTokens;
  const tools = omit.has("tools") ? [] : options.tools;
  const limit = omit.has("max_tokens") ? "max_completion_tokens" : "max_tokens";
  const stream = !omit.has("stream");
  return {
    model,
    stream,
    ...stream && !omit.has("usage") && { stream_options: { include_usage: true } },
    ...maxTokens !== undefined && { [limit]: maxTokens },
    ...temperature !== undefined && !omit.has("temperature") && { temperature },
    ...serverFields(request, options),
    ...tools.length > 0 && parallel && !omit.has("parallel") && { parallel_tool_calls: true },
    ...tools.length > 0 && { tools: [...tools] },
    ...options.answer,
    messages: toWireMessages(inAcceptedRoles(request, omit), { model, omit, imageUrls }),
  };
}

/** The limit of a request that is only to be read; llama-server has a field that asks for no token at all. */
function oneTokenAtMost(options: BodyOptions): number | undefined {
  return isLlamaServer(options) ? undefined : 1;
}

function isLlamaServer({ features, omit }: BodyOptions): boolean {
  return features?.kind === "llamacpp" && !omit.has("features");
}

/** The fields for a server that has shown that it knows them, and those that say how much to think. */
function serverFields(request: ModelRequest, options: BodyOptions): ServerFields {
  const { omit, features, effortBy } = options;
  const { slot, warms, effort } = request;
  const isKnown = isLlamaServer(options);
  const keeping = isKnown ? keepingArguments(features) : undefined;
  const { chat_template_kwargs: thinking, ...fields } = effort === undefined || omit.has("effort")
    ? {}
    : effortFields(effort, { by: effortBy, features, omit });
  const templateArguments = keeping || thinking ? { ...keeping, ...thinking } : undefined;
  return {
    ...isKnown && slot !== undefined && { id_slot: slot },
    ...isKnown && warms && { n_predict: 0 },
    ...isKnown && !warms && !omit.has("stream") && {
      return_progress: true,
      ...options.controlsThinking && { reasoning_control: true },
    },
    ...fields,
    ...templateArguments && { chat_template_kwargs: templateArguments },
  };
}

/** Fields before the messages that a server's template may show. */
const CACHED_FIELDS = [
  "model",
  "reasoning_effort",
  "thinking",
  "chat_template_kwargs",
  "tools",
] as const;

/** What a server reads of a body, in order: its cache holds as long as these parts stay the same. */
export function partsOf({ messages, ...body }: WireBody): SentPart[] {
  return [
    ...CACHED_FIELDS.map((where) => ({ where, value: body[where] })),
    ...messages.map((value, index) => ({
      where: `message ${index + 1} (${value.role})`,
      value,
    })),
  ];
}

/** The messages in the roles that the server takes. */
function inAcceptedRoles(
  { messages, tools }: ModelRequest,
  omit: ReadonlySet<Fallback>,
): readonly Message[] {
  const plain = omit.has("tools") ? toolsAsText(messages, tools) : messages;
  return omit.has("system")
    ? plain.map((message) =>
      message.role === "system" ? { role: "user", content: message.content } : message
    )
    : plain;
}

/** What messages are written with. */
interface WireOptions {
  readonly model?: string;
  readonly omit?: ReadonlySet<Fallback>;
  readonly imageUrls?: ReadonlyMap<string, string> | undefined;
}

/**
 * Messages as servers accept them: thinking goes back to the model that thought, where it stood; empty replies are
 * left out, and consecutive user messages become one, since many chat templates insist on alternation. Pictures that
 * calls came back with follow the results as words of the user: results hold text only.
 */
export function toWireMessages(
  messages: readonly Message[],
  { model = "", omit = new Set(), imageUrls }: WireOptions = {},
): WireMessage[] {
  const wire: WireMessage[] = [];
  /** Pictures of results that are not followed by anything else yet. */
  const ofResults: ImagePart[] = [];
  const isShown = ({ hash }: ImagePart) => !omit.has("images") && imageUrls?.has(hash) === true;
  const addUser = (text: string, images: readonly ImagePart[]) => {
    const notes = images.filter((one) => !isShown(one)).map((one) => imageNote(one, "not shown"));
    const content = toWireContent([text, ...notes].join("\n\n"), {
      urls: images.filter(isShown).flatMap(({ hash }) => imageUrls?.get(hash) ?? []),
    });
    const last = wire.at(-1);
    if (last?.role !== "user") wire.push({ role: "user", content });
    else wire[wire.length - 1] = { role: "user", content: joinContent(last.content, content) };
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === "user") {
      addUser(message.content, message.images ?? []);
    } else if (message.role === "tool") {
      wire.push({
        role: "tool",
        tool_call_id: toWireId(message.call_id, omit),
        content: resultText(message),
      });
      ofResults.push(...imagesOf(message));
      if (messages[index + 1]?.role === "tool" || ofResults.length === 0) continue;
      const names = ofResults.map(({ name }) => name).join(", ");
      addUser(`[Images of the results above: ${names}]`, ofResults.splice(0));
    } else if (message.role === "system") {
      wire.push({ role: message.role, content: message.content });
    } else if (message.content !== "" || message.calls.length > 0) {
      wire.push(toWireAssistant(message, { model, omit }));
    }
  }
  return wire;
}

type WireContent = OpenAI.ChatCompletionUserMessageParam["content"];

function toWireContent(text: string, { urls }: { urls: readonly string[] }): WireContent {
  if (urls.length === 0) return text;
  return [
    ...text === "" ? [] : [{ type: "text", text } as const],
    ...urls.map((url) => ({ type: "image_url", image_url: { url } }) as const),
  ];
}

/** One content of two, whose beginning is the first. */
function joinContent(first: WireContent, second: WireContent): WireContent {
  if (typeof first === "string" && typeof second === "string") return `${first}\n\n${second}`;
  const partsOf = (content: WireContent) =>
    typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  return [...partsOf(first), ...partsOf(second)];
}

function toWireAssistant(
  { content, calls, thinking = "", reasoning }: AssistantMessage,
  { model, omit }: { model: string; omit: ReadonlySet<Fallback> },
): WireMessage {
  const isWanted = reasoning?.model === model && !omit.has("reasoning");
  const place = isWanted ? reasoning.place : undefined;
  const sent = calls.map((call) => ({
    ...toWireCall(call, omit),
    ...call.extra && !omit.has("extra") && { extra_content: call.extra },
  }));
  return {
    role: "assistant",
    content: place?.in === "text" ? place.text + content : content,
    ...omit.has("reasoning_echo") && { reasoning_content: thinking },
    ...place?.in === "part" && { content: contentParts(place.text, content) },
    ...place?.in === "fields" && place.fields,
    ...sent.length > 0 && { tool_calls: sent },
  };
}

/** Content as the servers have it that send thinking as a part of it, which the library's types do not know. */
function contentParts(thinking: string, text: string): OpenAI.ChatCompletionContentPartText[] {
  const parts: unknown[] = [
    { type: "thinking", thinking: [{ type: "text", text: thinking }] },
    ...text === "" ? [] : [{ type: "text", text }],
  ];
  return parts as OpenAI.ChatCompletionContentPartText[];
}

function toWireCall(
  call: ToolCall,
  omit: ReadonlySet<Fallback>,
): OpenAI.ChatCompletionMessageFunctionToolCall {
  return {
    id: toWireId(call.id, omit),
    type: "function",
    function: { name: toWireName(call.name), arguments: toWireArguments(call) },
  };
}

/** An id as it is, or nine letters and digits made of it, always the same. */
function toWireId(id: string, omit: ReadonlySet<Fallback>): string {
  if (!omit.has("ids") || /^[A-Za-z0-9]{9}$/.test(id)) return id;
  // FNV-1a, 64 bits.
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(id)) {
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return hash.toString(36).padStart(9, "0").slice(-9);
}

/** A name that a model made up may contain characters that servers refuse. */
function toWireName(name: string): string {
  return name.replace(/[^\w.-]/g, "_").slice(0, MAX_NAME) || "unknown";
}

/** The bytes as the model wrote them, unless a server that parses its history would choke on them. */
function toWireArguments(call: ToolCall): string {
  const value = objectOf(parseJson(call.arguments));
  if (value === undefined) return JSON.stringify({ raw_args: call.arguments });
  const sound = mapStrings(value, (text) => text.toWellFormed());
  return sound === value ? call.arguments : JSON.stringify(sound);
}

/** Makes an encoder of tool definitions that works each definition out once. */
export function createToolEncoder(): (definition: ToolDefinition) => WireTool {
  const encoded = new WeakMap<ToolDefinition, WireTool>();
  return (definition) => {
    const known = encoded.get(definition);
    if (known) return known;
    const tool: WireTool = { type: "function", function: encodeFunction(definition) };
    encoded.set(definition, tool);
    return tool;
  };
}

/** What stands in the JSON of a definition that cannot be sent as it is: a mark, or half a character. */
const UNSENDABLE = /"format":"(?:path|command)"|\\ud[89a-f]/;

/** A definition without the marks that only the pipeline reads, and without half characters. */
function encodeFunction({ name, description, parameters }: ToolDefinition): WireTool["function"] {
  const definition = { name, description, parameters: { ...parameters } };
  if (!UNSENDABLE.test(JSON.stringify(definition))) return definition;
  const isMark = (key: string, value: unknown) =>
    key === "format" && (value === "path" || value === "command");
  const unmarked = JSON.parse(
    JSON.stringify(definition, (key, value) => isMark(key, value) ? undefined : value),
  );
  return mapStrings(unmarked, (text) => text.toWellFormed());
}
