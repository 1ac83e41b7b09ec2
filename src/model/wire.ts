/**
 * Conversation and tools -> the body of a chat completion request. Pure; called for every request.
 * `messages` comes last and nothing before it depends on the turn, so that each body is the beginning of
 * the next up to its closing quote and brackets: that is what servers' prompt caches live on.
 */
import type OpenAI from "openai";
import type { AssistantMessage, Message, ToolCall } from "../core/message.ts";
import type { ModelRequest } from "../core/model.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { objectOf, parseJson } from "./fields.ts";

type WireMessage = OpenAI.ChatCompletionMessageParam;
type WireTool = OpenAI.ChatCompletionFunctionTool;

/** Body of a streamed chat completion request. */
export type WireBody = OpenAI.ChatCompletionCreateParamsStreaming;

/** Builds a request's body. `streamUsage` asks for token counts, which a few servers refuse. */
export function bodyOf(
  request: ModelRequest,
  options: { tools: readonly WireTool[]; streamUsage: boolean },
): WireBody {
  return {
    model: request.model,
    stream: true,
    ...options.streamUsage && { stream_options: { include_usage: true } },
    ...request.maxTokens !== undefined && { max_tokens: request.maxTokens },
    ...request.temperature !== undefined && { temperature: request.temperature },
    ...options.tools.length > 0 && { tools: [...options.tools] },
    messages: wireMessages(request.messages),
  };
}

/**
 * Messages as servers take them: thinking stays here, empty replies are left out, and neighbouring user
 * messages become one, since many chat templates insist on alternation.
 */
export function wireMessages(messages: readonly Message[]): WireMessage[] {
  const wire: WireMessage[] = [];
  for (const message of messages) {
    const last = wire.at(-1);
    if (message.role === "user" && last?.role === "user") {
      wire[wire.length - 1] = { role: "user", content: `${last.content}\n\n${message.content}` };
    } else if (message.role !== "assistant") {
      wire.push(
        message.role === "tool"
          ? { role: "tool", tool_call_id: message.call_id, content: message.content }
          : { role: message.role, content: message.content },
      );
    } else if (message.content !== "" || message.calls.length > 0) {
      wire.push(wireAssistant(message));
    }
  }
  return wire;
}

function wireAssistant({ content, calls }: AssistantMessage): WireMessage {
  return { role: "assistant", content, ...calls.length > 0 && { tool_calls: calls.map(wireCall) } };
}

function wireCall(call: ToolCall): OpenAI.ChatCompletionMessageFunctionToolCall {
  const { id, name } = call;
  return { id, type: "function", function: { name, arguments: wireArguments(call) } };
}

/** The bytes as the model wrote them, unless a server that parses its history would choke on them. */
function wireArguments(call: ToolCall): string {
  const isObject = objectOf(parseJson(call.arguments)) !== undefined;
  return isObject ? call.arguments : JSON.stringify({ raw_args: call.arguments });
}

/** Makes an encoder of tool definitions that works each definition out once. */
export function toolEncoder(): (definition: ToolDefinition) => WireTool {
  const encoded = new WeakMap<ToolDefinition, WireTool>();
  return (definition) => {
    const known = encoded.get(definition);
    if (known) return known;
    const { name, description, parameters } = definition;
    const tool: WireTool = {
      type: "function",
      function: { name, description, parameters: withoutMarks(parameters) },
    };
    encoded.set(definition, tool);
    return tool;
  };
}

/** A copy of a schema without the marks that only the pipeline reads. */
function withoutMarks(schema: unknown): Record<string, unknown> {
  const isMark = (key: string, value: unknown) =>
    key === "format" && (value === "path" || value === "command");
  return JSON.parse(
    JSON.stringify(schema, (key, value) => isMark(key, value) ? undefined : value),
  );
}
