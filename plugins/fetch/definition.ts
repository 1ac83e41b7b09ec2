/** What the model sees of `fetch`: pure data, all of the tool that start-up loads. */
import type { ToolDefinition } from "../../src/api.ts";

/** Definition of `fetch`. */
export const definition = {
  name: "fetch",
  description: "Read a web page as Markdown.",
  parameters: {
    type: "object",
    properties: {
      url: { type: "string", description: "http or https" },
      offset: { type: "integer", minimum: 0, description: "Characters to skip" },
    },
    required: ["url"],
    additionalProperties: false,
  },
  effects: ["net"],
  example: { url: "https://example.com/guide" },
} as const satisfies ToolDefinition;
