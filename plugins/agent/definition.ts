/** What the model sees of `agent`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `agent`; the profiles there are stand behind its description. */
export const definition = {
  name: "agent",
  description:
    "Give tasks to sub-agents that work at once and report back. They know only the task.",
  parameters: {
    type: "object",
    properties: {
      agents: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          properties: {
            agent_name: { type: "string" },
            task_prompt: { type: "string" },
          },
          required: ["task_prompt"],
        },
      },
    },
    required: ["agents"],
    additionalProperties: false,
  },
  effects: ["delegate"],
  example: { agents: [{ agent_name: "general", task_prompt: "Find where sessions are saved." }] },
} as const satisfies ToolDefinition;
