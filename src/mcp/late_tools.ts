/**
 * Tools that come after a conversation has begun. The list of tools stands at the beginning of each request, so that a
 * longer one would have servers read everything again: a tool that is always in the list calls them instead.
 */
import { ToolError } from "../core/errors.ts";
import type { Tool, ToolDefinition, ToolEntry } from "../core/tool.ts";

const definition = {
  name: "mcp_call",
  description:
    "Call a tool of an MCP server that is not in this list: mcp_search or a note has told you of it.",
  parameters: {
    type: "object",
    properties: {
      name: { type: "string", description: "the tool's name" },
      arguments: { type: "object", description: "what that tool takes" },
    },
    required: ["name", "arguments"],
    additionalProperties: false,
  },
  effects: ["session"],
  example: { name: "tracker__search", arguments: { query: "crash" } },
  forwards: true,
} as const satisfies ToolDefinition;

/** The tool; calls of it become calls of the tool that they name, before anything else is done with them. */
export const FORWARDING_TOOL: ToolEntry = {
  definition,
  load: () =>
    Promise.resolve<Tool>({
      definition,
      describe: () => "",
      run: () => Promise.reject(new ToolError("This call names no tool.", { kind: "validation" })),
      preview: () => [],
    }),
};
