/**
 * Ties what a tool does to what the model knows of it.
 */
import type { Tool, ToolData, ToolDefinition, ToolInput } from "../core/tool.ts";

/**
 * Makes a tool of its definition and functions. `I` is `Input<typeof definition>`, for a definition that is written
 * `as const satisfies ToolDefinition`.
 */
export function defineTool<I extends ToolInput, D extends ToolData>(
  definition: ToolDefinition,
  functions: Omit<Tool<I, D>, "definition">,
): Tool<I, D> {
  return { definition, ...functions };
}
