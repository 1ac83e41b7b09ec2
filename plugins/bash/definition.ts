/** What the model sees of `bash`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `bash`. */
export const definition = {
  name: "bash",
  description:
    "Run a bash command, without stdin; or look at or end a background task. Give one of command, bash_output, bash_kill.",
  parameters: {
    type: "object",
    properties: {
      command: { type: "string", format: "command" },
      description: { type: "string", description: "What it does, in 5-10 words" },
      timeout: { type: "number", minimum: 0, maximum: 600, description: "Seconds" },
      working_dir: { type: "string", format: "path" },
      run_in_background: { type: "boolean", description: "Servers: go on as a task" },
      bash_output: {
        type: "string",
        description: "Task id: new output; timeout waits for its end",
      },
      bash_kill: { type: "string", description: "Task id" },
    },
    additionalProperties: false,
  },
  effects: ["exec"],
  example: { command: "deno test", description: "Run the tests" },
} as const satisfies ToolDefinition;
