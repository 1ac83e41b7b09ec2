/**
 * The tools that ally serves to other agents, and what MCP says of each: its schema, and the annotations that follow
 * from its effects.
 */
import { UsageError } from "../../core/errors.ts";
import type { ToolDefinition } from "../../core/tool.ts";
import { didYouMean, findName, findNear } from "../../lib/names.ts";
import { createToolEncoder } from "../../model/wire.ts";
import type { Registry } from "../../tools/registry.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { ASK_ALLY, askAllyEntry } from "./ask_ally_tool.ts";
import { UNDO, undoEntry } from "./undo_tool.ts";

/** The tools of the model's that make sense without a conversation of ally's, and those for other agents alone. */
const NAMES: readonly string[] = [
  "read",
  "grep",
  "glob",
  "ls",
  "edit",
  "write",
  "bash",
  "lint",
  "format",
  UNDO.name,
  ASK_ALLY.name,
];

/** The tools to serve, as they were named. @throws {UsageError} there is none with one of the names */
export function chooseTools(names: readonly string[] = NAMES): ReadonlySet<string> {
  if (names.length === 0) throw new UsageError("--tools names no tool.");
  return new Set(names.map((name) => {
    const found = findName(name, NAMES);
    if (found !== undefined) return found;
    const near = didYouMean(findNear(name, NAMES));
    throw new UsageError(
      `There is no tool '${name}' to serve. ${near || `There are: ${NAMES.join(", ")}.`}`,
    );
  }));
}

/** What the tools of one call are made of. */
interface ServedParts {
  readonly chosen: ReadonlySet<string>;
  /** The model's tools. */
  readonly registry: Registry;
  readonly workspace: Workspace;
  /** Number of the newest change when the server began. */
  readonly since: number;
  /** Has a model ready. */
  readonly prepareModel: () => Promise<void>;
}

/** The chosen tools for a call with these arguments. */
export function openTools(
  input: unknown,
  { chosen, registry, prepareModel: prepare, ...parts }: ServedParts,
): Registry {
  const isChosen = ({ name }: ToolDefinition) => chosen.has(name);
  const tools = registry.select(isChosen);
  const own = [undoEntry(input, parts), askAllyEntry({ prepare })];
  const listed = own.filter(({ definition }) => isChosen(definition));
  tools.replace("serve", { listed, unlisted: [] });
  return tools;
}

/** A tool as MCP lists it. */
export function toMcpTool(definition: ToolDefinition) {
  const { name, description } = definition;
  const { parameters } = createToolEncoder()(definition).function;
  return {
    name,
    description,
    inputSchema: { ...parameters, type: "object" as const },
    annotations: annotationsOf(definition),
  };
}

/** What a client may tell its person of a tool; all that some call of it can do counts. */
function annotationsOf({ effects, parameters }: ToolDefinition) {
  const takesCommands = Object.values(parameters.properties)
    .some(({ format }) => format === "command");
  const delegates = effects.includes("delegate");
  const readOnlyHint = effects.every((effect) => effect === "read");
  return {
    readOnlyHint,
    ...!readOnlyHint && {
      destructiveHint: effects.includes("write") || takesCommands || delegates,
    },
    openWorldHint: takesCommands || delegates,
  };
}
