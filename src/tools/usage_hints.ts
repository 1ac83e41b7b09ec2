/**
 * Watches the calls of one turn for habits that cost more than they need, and advises the model: once for
 * each habit and turn, with the result that made it plain.
 */
import { isDeepStrictEqual } from "node:util";
import type { ToolDefinition, ToolResult } from "../core/tool.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import { valuesOfFormat } from "./arguments.ts";

/** A call that has ended. */
interface EndedCall {
  readonly definition: ToolDefinition;
  readonly input: JsonObject;
  readonly result: ToolResult;
}

/** A habit: what it is called, and the hint if the last call shows it. */
interface Habit {
  readonly kind: string;
  detect(last: EndedCall, turn: TurnSoFar): string | undefined;
}

interface TurnSoFar {
  readonly before: readonly EndedCall[];
  /** Names of the tools that may be recommended. */
  readonly tools: ReadonlySet<string>;
}

/** Calls of one file each after which reading them together is advised. */
const SINGLE_FILES = 3;
const MAX_FILES_NAMED = 5;

/** Watches one turn. */
export class UsageHints {
  readonly #tools: ReadonlySet<string>;
  readonly #calls: EndedCall[] = [];
  readonly #told = new Set<string>();

  /** `tools` are the names of the tools that may be recommended. */
  constructor(options: { tools: Iterable<string> }) {
    this.#tools = new Set(options.tools);
  }

  /** Notes a call; the hint if it shows a habit that was not spoken of in this turn. */
  hintFor(call: EndedCall): string | undefined {
    const turn = { before: this.#calls, tools: this.#tools };
    const found = HABITS.filter(({ kind }) => !this.#told.has(kind))
      .map(({ kind, detect }) => ({ kind, hint: detect(call, turn) }))
      .find(({ hint }) => hint !== undefined);
    this.#calls.push(call);
    if (found) this.#told.add(found.kind);
    return found?.hint;
  }
}

const HABITS: readonly Habit[] = [
  { kind: "same failure", detect: sameFailure },
  { kind: "repeated failed change", detect: repeatedFailedChange },
  { kind: "file by file", detect: fileByFile },
  { kind: "shell for a tool", detect: shellForTool },
];

/** The same call failed before, and nothing was changed since that could make it succeed. */
function sameFailure(last: EndedCall, { before }: TurnSoFar): string | undefined {
  if (!hasFailed(last)) return undefined;
  const at = before.findLastIndex((call) =>
    hasFailed(call) && call.definition === last.definition &&
    isDeepStrictEqual(call.input, last.input)
  );
  const known = at >= 0 && !before.slice(at + 1).some(hasChanged);
  return known
    ? "The same call failed before in this turn: change the arguments or take another way."
    : undefined;
}

/** Failed by itself: neither denied nor interrupted. */
function hasFailed({ result }: EndedCall): boolean {
  return !result.ok && result.error.kind !== "permission" && result.error.kind !== "interrupted";
}

function hasChanged({ definition: { effects }, result }: EndedCall): boolean {
  return result.ok && (effects.includes("write") || effects.includes("exec"));
}

/** A change of the same file failed twice. */
function repeatedFailedChange(
  last: EndedCall,
  { before, tools }: TurnSoFar,
): string | undefined {
  if (!isFailedChange(last) || !tools.has("read")) return undefined;
  const paths = pathsOf(last);
  const path = before.filter(isFailedChange).flatMap(pathsOf).find((one) => paths.includes(one));
  return path === undefined
    ? undefined
    : `Changes of ${path} failed repeatedly: read the place again, then copy the text from there.`;
}

function isFailedChange(call: EndedCall): boolean {
  return hasFailed(call) && call.definition.effects.includes("write");
}

/** A tool that takes many files was called for one after the other. */
function fileByFile(last: EndedCall, { before }: TurnSoFar): string | undefined {
  const list = listOfPaths(last.definition);
  if (list === undefined) return undefined;
  const files = [...before, last]
    .filter((call) => call.definition === last.definition && call.result.ok)
    .map(pathsOf)
    .filter((paths) => paths.length === 1)
    .flat();
  if (new Set(files).size < SINGLE_FILES) return undefined;
  const named = [...new Set(files)].slice(-MAX_FILES_NAMED).map((file) => JSON.stringify(file));
  return `${last.definition.name} takes several files in one call: ${list}=[${named.join(", ")}].`;
}

/** The parameter that takes a list of paths, if the tool has one. */
function listOfPaths(definition: ToolDefinition): string | undefined {
  const found = Object.entries(definition.parameters.properties).find(([, { type, items }]) =>
    type === "array" && isObject(items) && items.format === "path"
  );
  return found?.[0];
}

/** Programs that a tool does better, and why. */
const TOOL_FOR: readonly { command: RegExp; tool: string; why: string }[] = [
  { command: /^(cat|head|tail|less|more)\s+[^-]/, tool: "read", why: "with line numbers" },
  { command: /^(head|tail|sed)\s+-n?\s*['"]?\d/, tool: "read", why: "with offset and limit" },
  { command: /^(grep|egrep|rg)\s/, tool: "grep", why: "within limits, newest files first" },
  { command: /^ls(\s|$)/, tool: "ls", why: "with sizes, directories first" },
  { command: /^find\s(?!.*-(exec|ok|delete))/, tool: "glob", why: "ignoring what git ignores" },
  { command: /^sed\s+(-\w+\s+)*-i/, tool: "edit", why: "checked, shown and undoable" },
];

/** A plain command was run for which there is a tool; pipes and lists are the shell's own work. */
function shellForTool(
  { definition, input }: EndedCall,
  { tools }: TurnSoFar,
): string | undefined {
  const [command] = valuesOfFormat(definition, { format: "command", input });
  if (command === undefined || /[|;&<>`\n]|\$\(/.test(command)) return undefined;
  const better = TOOL_FOR.find((one) => tools.has(one.tool) && one.command.test(command.trim()));
  return better && `Use ${better.tool} instead of a shell command for this: ${better.why}.`;
}

function pathsOf({ definition, input }: EndedCall): string[] {
  return valuesOfFormat(definition, { format: "path", input });
}
