/**
 * The tools of plugins as registry entries: named so that none hides another, and loaded only when first called.
 */
import type { ToolDefinition, ToolEntry } from "../core/tool.ts";
import { exampleOf } from "../lib/schema_example.ts";
import { cutSafely } from "../lib/excerpt.ts";
import type { GrantContext } from "./grants.ts";
import type { PluginHost } from "./host.ts";
import { normalizeName, type Plugin, type PluginTool } from "./plugin.ts";

/** Characters that model servers accept in a tool's name. */
const MAX_NAME = 64;

/** What the tools need once one of them is called. */
interface EntryOptions {
  /** Names of the other tools. */
  readonly taken: readonly string[];
  readonly context: GrantContext;
  /** Called once, when the first tool is loaded. */
  readonly host: () => Promise<PluginHost>;
}

/** The entries of all plugins' tools, and why others are left out. */
export function pluginEntries(
  plugins: readonly Plugin[],
  options: EntryOptions,
): { entries: ToolEntry[]; problems: string[] } {
  const all = plugins.flatMap((plugin) =>
    plugin.tools.map((tool) => ({ plugin, tool, key: normalizeName(tool.name) }))
  );
  const used = new Set(options.taken.map(normalizeName));
  const count = new Map<string, number>();
  for (const key of [...used, ...all.map((one) => one.key)]) {
    count.set(key, (count.get(key) ?? 0) + 1);
  }
  const entries: ToolEntry[] = [];
  const problems: string[] = [];
  for (const { plugin, tool, key } of all) {
    const free = count.get(key) === 1;
    const name = free ? tool.name : `${plugin.name}__${tool.name}`;
    const named = free ? key : normalizeName(name);
    const why = name.length > MAX_NAME
      ? `its name is longer than ${MAX_NAME} characters`
      : used.has(named)
      ? "there is another tool of that name"
      : undefined;
    if (why !== undefined) {
      problems.push(`The tool ${name} of the plugin ${plugin.name} is left out: ${why}`);
      continue;
    }
    used.add(named);
    entries.push(toEntry(tool, { plugin, name, options }));
  }
  return { entries, problems };
}

function toEntry(
  tool: PluginTool,
  { plugin, name, options }: { plugin: Plugin; name: string; options: EntryOptions },
): ToolEntry {
  const { description, parameters, effects, example } = tool;
  const definition: ToolDefinition = {
    name,
    description,
    parameters,
    effects,
    example: example ?? exampleOf(parameters),
    plugin: plugin.name,
  };
  return {
    definition,
    load: async () => {
      const [{ accessesOf }, host, check] = await Promise.all([
        import("./grants.ts"),
        options.host(),
        tool.patterns.length === 0 ? undefined : loadPatternCheck(tool),
      ]);
      const { context } = options;
      return {
        definition,
        ...(check && { check }),
        describe: (input: Readonly<Record<string, unknown>>) => describeInput(input),
        accesses: () => accessesOf(plugin, { tool, context }),
        run: (input: unknown, { signal, report }) =>
          host.call({ plugin, tool, input, signal, report }),
      };
    },
  };
}

async function loadPatternCheck({ patterns }: PluginTool) {
  const { createPatternCheck } = await import("./patterns.ts");
  return createPatternCheck(patterns);
}

function describeInput(input: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(input).map(([key, value]) =>
    `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`
  );
  return cutSafely(parts.join(", "), 160);
}
