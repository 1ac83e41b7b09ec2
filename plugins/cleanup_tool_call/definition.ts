/** What the model sees of `cleanup_tool_call`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `cleanup_tool_call`. */
export const definition = {
  name: "cleanup_tool_call",
  description: "Free the space of earlier tool results that are of no use.",
  parameters: {
    type: "object",
    properties: {
      tool_call_ids: { type: "array", items: { type: "string" } },
      summary: { type: "string" },
      reason: { type: "string" },
    },
    required: ["tool_call_ids"],
    additionalProperties: false,
  },
  effects: ["session"],
  example: {
    tool_call_ids: ["call_1"],
    summary: "No test mentions the parser.",
    reason: "no matches",
  },
} as const satisfies ToolDefinition;
