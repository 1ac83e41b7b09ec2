/** What the model sees of `todo_clear`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `todo_clear`. */
export const definition = {
  name: "todo_clear",
  description: "Empty the todo list.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  effects: ["session"],
  example: {},
} as const satisfies ToolDefinition;
