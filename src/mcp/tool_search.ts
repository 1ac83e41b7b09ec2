/**
 * Tool definitions take up the context window: if those of all servers exceed their share, the model gets one tool that
 * searches them, and the tools found are listed from then on.
 */
import type { Tool, ToolDefinition, ToolEntry } from "../core/tool.ts";
import { plural } from "../lib/text.ts";
import { searchWords } from "../lib/word_search.ts";

/** Name of the tool that finds others. */
const SEARCH_TOOL = "mcp_search";
/** Tools that one search finds at most. */
const MAX_FOUND = 5;

/** The tools that a request lists, and those that are only found by name or by a search. */
interface ToolSelection {
  readonly listed: readonly ToolEntry[];
  readonly unlisted: readonly ToolEntry[];
}

/** Chooses which tools are listed, and remembers those that were found. */
export class ToolSearch {
  readonly #found = new Set<string>();

  /** `size` is the cost of definitions in tokens; `onFound` is called when more tools are to be listed. */
  selectTools(
    entries: readonly ToolEntry[],
    { budget, size, onFound }: {
      budget: number;
      size: (definitions: readonly ToolDefinition[]) => number;
      onFound: () => void;
    },
  ): ToolSelection {
    const definitions = entries.map(({ definition }) => definition);
    if (entries.length === 0 || size(definitions) <= budget) {
      return { listed: entries, unlisted: [] };
    }
    const isFound = ({ definition }: ToolEntry) => this.#found.has(definition.name);
    const search = createSearchTool(entries, (names) => {
      const before = this.#found.size;
      for (const name of names) this.#found.add(name);
      if (this.#found.size > before) onFound();
    });
    return {
      listed: [search, ...entries.filter(isFound)],
      unlisted: entries.filter((entry) => !isFound(entry)),
    };
  }
}

function createSearchTool(
  entries: readonly ToolEntry[],
  onFound: (names: readonly string[]) => void,
): ToolEntry {
  const servers = [...new Set(entries.map(({ definition }) => definition.remote?.server ?? ""))];
  const definition = {
    name: SEARCH_TOOL,
    description: `Find tools of MCP servers (${servers.join(", ")}; ${
      plural(entries.length, "tool")
    }) by words of what they do. Those found can be called from your next reply on.`,
    parameters: {
      type: "object",
      properties: { query: { type: "string", description: "a few words, or a tool's name" } },
      required: ["query"],
      additionalProperties: false,
    },
    effects: ["session"],
    example: { query: "create issue" },
  } as const satisfies ToolDefinition;
  const tool: Tool<{ query: string }, { found: string[] }> = {
    definition,
    describe: ({ query }) => query,
    run({ query }) {
      const found = findTools(query, entries.map((entry) => entry.definition));
      onFound(found.map(({ name }) => name));
      const tools = found.map(({ name, description, parameters }) => ({
        name,
        description,
        parameters,
      }));
      const text = found.length === 0
        ? "No tool was found. Try other words."
        : `These can be called now, with mcp_call where your list does not have them:\n${
          tools.map((one) => JSON.stringify(one)).join("\n")
        }`;
      return Promise.resolve({ ok: true, data: { found: tools.map(({ name }) => name) }, text });
    },
    preview: ({ found }) => [found.join(", ") || "nothing found"],
  };
  return { definition, load: () => Promise.resolve(tool) };
}

/** The tools that match the words best. */
export function findTools(
  query: string,
  definitions: readonly ToolDefinition[],
): readonly ToolDefinition[] {
  const things = definitions.map((definition) => ({
    name: definition.name,
    text: textOf(definition),
    definition,
  }));
  return searchWords(query, things).slice(0, MAX_FOUND).map(({ definition }) => definition);
}

function textOf({ description, parameters }: ToolDefinition): string {
  return `${description} ${Object.keys(parameters.properties).join(" ")}`;
}
