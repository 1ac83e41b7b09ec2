/**
 * The tools of a session: their definitions at once, each tool itself when it is first called.
 */
import { distance } from "fastest-levenshtein";
import { ToolError } from "../core/errors.ts";
import type { Tool, ToolDefinition, ToolEntry } from "../core/tool.ts";
import { findName } from "../lib/names.ts";

/** Whether some call of a tool changes nothing outside the session; one that writes and reads can do either. */
function canOnlyRead({ effects }: ToolDefinition): boolean {
  return !effects.includes("exec") && !effects.includes("remote") &&
    (!effects.includes("write") || effects.includes("read"));
}

/** Holds the tools by name, in the order in which the model sees them. */
export class Registry {
  readonly #entries: ReadonlyMap<string, ToolEntry>;
  readonly #loaded = new Map<string, Promise<Tool>>();
  /** Whether the model sees only the tools that can be used to look. The others are still known by name. */
  readingOnly = false;

  constructor(entries: readonly ToolEntry[]) {
    this.#entries = new Map(entries.map((entry) => [entry.definition.name, entry]));
  }

  get definitions(): readonly ToolDefinition[] {
    const all = [...this.#entries.values()].map((entry) => entry.definition);
    return this.readingOnly ? all.filter(canOnlyRead) : all;
  }

  /**
   * The definition of a tool by its name, or by the same name spelt otherwise (`Read`, `line-edit`).
   * @throws {ToolError} validation: no such tool, with the nearest names
   */
  find(name: string): ToolDefinition {
    const names = [...this.#entries.keys()];
    const entry = this.#entries.get(findName(name, names) ?? name);
    if (entry) return entry.definition;
    const near = names.filter((known) => distance(known, name.toLowerCase()) <= 2);
    throw new ToolError(`There is no tool named '${name}'`, {
      kind: "validation",
      suggestion: near.length > 0
        ? `Did you mean ${near.join(" or ")}?`
        : `Available tools: ${names.join(", ")}`,
    });
  }

  /** Loads a tool on its first call and keeps it. */
  load(definition: ToolDefinition): Promise<Tool> {
    const entry = this.#entries.get(definition.name);
    if (!entry) throw new Error(`Cannot load tool: '${definition.name}' is not registered`);
    const known = this.#loaded.get(definition.name);
    if (known) return known;
    const loading = entry.load();
    this.#loaded.set(definition.name, loading);
    // A failed import is tried again at the next call.
    loading.catch(() => this.#loaded.delete(definition.name));
    return loading;
  }
}
