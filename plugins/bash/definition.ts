/** What the model sees of `bash`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `bash`. */
export const definition = {
  name: "bash",
  description:
    "Run a bash command (no stdin), or look at or end a background task: one of command, bash_output, bash_kill.",
  parameters: {
    type: "object",
    properties: {
      command: { type: "string", format: "command" },
      description: { type: "string", description: "5-10 words" },
      timeout: { type: "number", maximum: 600, description: "Seconds" },
      working_dir: { type: "string", format: "path" },
      run_in_background: { type: "boolean", description: "For servers" },
      bash_output: { type: "string", description: "Task id; timeout waits for its end" },
      bash_kill: { type: "string" },
    },
    additionalProperties: false,
  },
  effects: ["exec"],
  example: { command: "deno test", description: "Run the tests" },
} as const satisfies ToolDefinition;
