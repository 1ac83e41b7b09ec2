/**
 * An answer by a JSON Schema, as a server can be held to it: by its own grammar, or as the arguments of a tool that is
 * made for the answer.
 */
import type OpenAI from "openai";
import type { AnswerFormat, ModelRequest, Reply } from "../core/model.ts";
import type { Parameters, ToolDefinition } from "../core/tool.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import { parseJson } from "../lib/json_text.ts";
import type { Fallback } from "./dialects.ts";

const TOOL = "final_answer";
/** What is no object is given as this argument. */
const ANSWER = "answer";

/** By what of a request's body an answer is held to a schema. */
export type AnswerFields = Pick<
  OpenAI.ChatCompletionCreateParams,
  "response_format" | "tool_choice"
>;

/** The same request with the tool for its answer, where the server is not held to the schema by its grammar. */
export function withAnswerTool(request: ModelRequest, omit: ReadonlySet<Fallback>): ModelRequest {
  const { answer, tools } = request;
  if (answer === undefined || (answer.by === "grammar" && !omit.has("response_format"))) {
    return request;
  }
  return { ...request, answer: { ...answer, by: "tool" }, tools: [...tools, answerTool(answer)] };
}

function answerTool({ schema }: AnswerFormat): ToolDefinition {
  const wrapped = {
    type: "object",
    properties: { [ANSWER]: schema },
    required: [ANSWER],
    additionalProperties: false,
  };
  return {
    name: TOOL,
    description: "Give the final answer.",
    // A user's schema is sent as it is, whatever it says of further properties.
    parameters: (isObjectSchema(schema) ? schema : wrapped) as unknown as Parameters,
    effects: [],
    example: {},
  };
}

function isObjectSchema({ type }: JsonObject): boolean {
  return type === "object";
}

/** The fields for a request. */
export function answerFields(
  { answer, tools }: ModelRequest,
  omit: ReadonlySet<Fallback>,
): AnswerFields {
  if (answer === undefined) return {};
  const chooses = tools.length > 0 && !omit.has("tools") && !omit.has("tool_choice");
  if (answer.by === "tool") {
    return chooses ? { tool_choice: { type: "function", function: { name: TOOL } } } : {};
  }
  return {
    response_format: {
      type: "json_schema",
      json_schema: { name: "answer", strict: true, schema: { ...answer.schema } },
    },
    ...chooses && { tool_choice: "none" },
  };
}

/** The same reply with an answer that was given as a call as its text. */
export function readAnswer(reply: Reply, { answer }: ModelRequest): Reply {
  const call = answer?.by === "tool"
    ? reply.message.calls.find(({ name }) => name === TOOL)
    : undefined;
  if (answer === undefined || call === undefined) return reply;
  const given = parseJson(call.arguments);
  const isWrapped = !isObjectSchema(answer.schema) && isObject(given);
  const content = isWrapped ? JSON.stringify(given[ANSWER] ?? null) : call.arguments;
  const { written: _, ...message } = reply.message;
  return { ...reply, message: { ...message, content, calls: [] } };
}
