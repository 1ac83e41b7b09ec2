/**
 * The tools of a caller as ally's registry takes them. They run in the caller's process, so what they say they do, and
 * do not name, is asked about under the name of the tool.
 */
import type { Access } from "../../core/access.ts";
import { UsageError } from "../../core/errors.ts";
import type {
  Effect,
  Parameters,
  Tool,
  ToolDefinition,
  ToolEntry,
  ToolInput,
  ToolResult,
} from "../../core/tool.ts";
import { isObject, type JsonObject } from "../../lib/schema.ts";
import { requireValid, valuesOfFormat } from "../../tools/arguments.ts";
import { boundPatterns } from "./bounded_patterns.ts";

/** What model servers accept as a name. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Makes entries of tools. @throws {UsageError} a name or a pattern cannot be used */
export async function toEntries(tools: readonly Tool[]): Promise<ToolEntry[]> {
  const names = new Set<string>();
  for (const { definition: { name } } of tools) {
    if (!NAME.test(name)) {
      throw new UsageError(
        `Cannot use a tool named '${name}': a name has letters, digits, _ and -, 64 at most.`,
      );
    }
    if (names.has(name)) throw new UsageError(`Cannot use two tools named '${name}'.`);
    names.add(name);
  }
  return await Promise.all(tools.map(async (tool) => {
    const own: Tool = {
      ...tool,
      ...await boundTool(tool),
      accesses: (input) => accessesOf(tool, input),
      run: async (input, context) => requireResult(await tool.run(input, context)),
    };
    return { definition: own.definition, load: () => Promise.resolve(own) };
  }));
}

/** A tool's definition without patterns, which its check matches in linear time. @throws {UsageError} */
async function boundTool(tool: Tool): Promise<Pick<Tool, "definition" | "check">> {
  const { definition } = tool;
  const bounded = await boundPatterns(
    definition.parameters as unknown as JsonObject,
    `The schema of the tool ${definition.name}`,
  );
  if (bounded === undefined) return { definition };
  const parameters = bounded.withoutPatterns as unknown as Parameters;
  return {
    definition: { ...definition, parameters },
    check(input) {
      const schema = bounded.schemaFor(input) as unknown as Parameters;
      requireValid({ ...definition, parameters: schema } satisfies ToolDefinition, input);
      tool.check?.(input);
    },
  };
}

/** @throws {Error} it is no result, or none that can be sent and saved: the model is told so */
function requireResult(given: unknown): ToolResult {
  if (!isObject(given)) throw new Error("it gave no result");
  const { ok, data, error, text } = given;
  const isResult = ok === true ? isObject(data) : ok === false && isObject(error);
  if (!isResult || (text !== undefined && typeof text !== "string")) {
    throw new Error("its result is neither {ok: true, data} nor {ok: false, error}");
  }
  JSON.stringify(given);
  return given as unknown as ToolResult;
}

/** What a call does. Where it has an effect and names nothing for it, it asks as a program of the tool's name. */
function accessesOf(tool: Tool, input: ToolInput): readonly Access[] {
  const { definition, definition: { name } } = tool;
  const named = tool.accesses?.(input) ?? [];
  const names = (kind: Access["kind"]) => named.some((access) => access.kind === kind);
  const has = (format: "path" | "command") =>
    valuesOfFormat(definition, { format, input }).length > 0;
  const isNamed: Readonly<Partial<Record<Effect, boolean>>> = {
    exec: names("run") || has("command") || tool.commands !== undefined,
    write: names("write") || has("path") || tool.plan !== undefined,
    net: names("net"),
    remote: names("net"),
  };
  const effects = tool.effectsOf?.(input) ?? definition.effects;
  const itself: Access = { kind: "run", target: name, tool: name };
  return effects.some((effect) => isNamed[effect] === false) ? [...named, itself] : named;
}
