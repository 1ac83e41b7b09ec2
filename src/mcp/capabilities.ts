/**
 * The tools and prompts of a server, read field by field from what it sent, with limits on their size and number,
 * and the pin of a tool: the hash of what was approved.
 */
import { isObject } from "../lib/schema.ts";
import { hashShortText } from "../lib/text_hash.ts";

/** Tools of one server beyond which the rest is left out. */
export const MAX_TOOLS = 500;
/** Characters of one tool's definition beyond which it is left out. */
const MAX_CHARACTERS = 65_536;

/** A tool as its server describes it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The server's own hints: they can only make ally stricter. */
  readonly readOnly: boolean;
  readonly destructive: boolean;
  /** It can only run as a task, which is polled until it is done. */
  readonly asTask: boolean;
}

/** A prompt as its server describes it. */
export interface McpPrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
}

/** A tool from what a server sent; undefined if it cannot be used. */
export function parseTool(value: unknown): McpTool | undefined {
  if (!isObject(value) || typeof value.name !== "string" || value.name === "") return undefined;
  const { inputSchema = { type: "object" }, annotations, execution } = value;
  if (!isObject(inputSchema)) return undefined;
  if (JSON.stringify(value).length > MAX_CHARACTERS) return undefined;
  const hints = isObject(annotations) ? annotations : {};
  return {
    name: value.name,
    description: typeof value.description === "string" ? value.description : "",
    inputSchema,
    readOnly: hints.readOnlyHint === true,
    destructive: hints.destructiveHint === true,
    asTask: isObject(execution) && execution.taskSupport === "required",
  };
}

/** A prompt from what a server sent; undefined if it cannot be used. */
export function parsePrompt(value: unknown): McpPrompt | undefined {
  if (!isObject(value) || typeof value.name !== "string" || value.name === "") return undefined;
  const given = Array.isArray(value.arguments) ? value.arguments : [];
  return {
    name: value.name,
    description: typeof value.description === "string" ? value.description : "",
    arguments: given.flatMap((one) =>
      isObject(one) && typeof one.name === "string"
        ? [{ name: one.name, required: one.required === true }]
        : []
    ),
  };
}

/** The first item of each name, at most `MAX_TOOLS`, and the names that come again. */
export function firstOfEachName<T extends { readonly name: string }>(
  items: readonly T[],
): { readonly first: readonly T[]; readonly repeated: readonly string[] } {
  const byName = new Map<string, T>();
  const repeated = new Set<string>();
  for (const item of items) {
    if (byName.has(item.name)) repeated.add(item.name);
    else byName.set(item.name, item);
  }
  return { first: [...byName.values()].slice(0, MAX_TOOLS), repeated: [...repeated] };
}

/** The hash of a server's configuration and of the tool's whole definition. */
export function pinOf(entry: string, tool: McpTool): string {
  return hashShortText(JSON.stringify([entry, ...definitionOf(tool)])).slice(0, 16);
}

/** Whether two tools have just the same definition. */
export function isSameTool(a: McpTool, b: McpTool): boolean {
  return JSON.stringify(definitionOf(a)) === JSON.stringify(definitionOf(b));
}

/** All that is approved of a tool. */
function definitionOf({ name, description, inputSchema, readOnly, destructive }: McpTool) {
  return [name, description, inputSchema, readOnly, destructive] as const;
}
