/** What the model sees of `bash`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `bash`. */
export const definition = {
  name: "bash",
  description: "Run a bash command. It has no stdin, and its background processes end with it.",
  parameters: {
    type: "object",
    properties: {
      command: { type: "string", format: "command", minLength: 1 },
      description: { type: "string", description: "What it does, in 5-10 words" },
      timeout: { type: "number", exclusiveMinimum: 0, maximum: 600, description: "Seconds" },
      working_dir: { type: "string", format: "path" },
    },
    required: ["command"],
    additionalProperties: false,
  },
  effects: ["exec"],
  example: { command: "deno test", description: "Run the tests" },
} as const satisfies ToolDefinition;
