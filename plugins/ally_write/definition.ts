/** What the model sees of `ally_write`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `ally_write`. */
export const definition = {
  name: "ally_write",
  description: "Note in a section of ALLY.md. Replace with empty content removes it.",
  parameters: {
    type: "object",
    properties: {
      section: { type: "string", minLength: 1 },
      content: { type: "string" },
      mode: { type: "string", enum: ["append", "replace"] },
    },
    required: ["section", "content"],
    additionalProperties: false,
  },
  effects: ["write"],
  example: { section: "Testing", content: "- Run `deno task test` before a commit." },
} as const satisfies ToolDefinition;
