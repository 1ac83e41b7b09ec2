/** What the model sees of `grep`; the tool itself is loaded on its first call. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `grep`. */
export const definition = {
  name: "grep",
  description: "Search, or replace, in files by regex, newest first.",
  parameters: {
    type: "object",
    properties: {
      pattern: { type: "string", minLength: 1 },
      path: { type: "string", format: "path" },
      include: { type: "string", description: "*.{ts,tsx}" },
      exclude: { type: "string" },
      file_types: { type: "string", description: ".py,.js" },
      case_sensitive: { type: "boolean" },
      whole_words: { type: "boolean" },
      literal_text: { type: "boolean" },
      max_depth: { type: "integer", minimum: -1 },
      context: { type: "integer", minimum: 0, maximum: 20 },
      max_results: { type: "integer", minimum: 1, maximum: 1000 },
      replace: { type: "string", description: "$1, ${name}: groups" },
      preview_replace: { type: "boolean" },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  effects: ["read", "write"],
  example: { pattern: "class \\w+Test", include: "*.ts" },
} as const satisfies ToolDefinition;
