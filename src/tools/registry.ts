/**
 * The tools of a session: their definitions at once, each tool itself when it is first called.
 */
import { ToolError } from "../core/errors.ts";
import type { Effect, Tool, ToolDefinition, ToolEntry } from "../core/tool.ts";
import { didYouMean, findName, findNear } from "../lib/names.ts";

/** Whether some call of a tool changes nothing outside the session; one that writes and reads can do either. */
function canOnlyRead({ effects, remote }: ToolDefinition): boolean {
  return remote === undefined && !effects.includes("exec") && !effects.includes("remote") &&
    (!effects.includes("write") || effects.includes("read"));
}

/** Whether two lists tell a model the same: most definitions are the very same, and the rest is compared by its text. */
function isSameList(one: readonly ToolDefinition[], other: readonly ToolDefinition[]): boolean {
  return one.length === other.length &&
    one.every((definition, index) =>
      definition === other[index] || JSON.stringify(definition) === JSON.stringify(other[index])
    );
}

/** Holds the tools by name, in the order in which the model sees them. */
export class Registry {
  #entries: ReadonlyMap<string, ToolEntry>;
  /** Tools that are called by name, but not shown: what can be found is not told in every request. */
  #unlisted: ReadonlySet<string> = new Set();
  /** By where they come from: the names of tools that may change. */
  readonly #namesBySource = new Map<string, ReadonlySet<string>>();
  readonly #loaded = new Map<string, Promise<Tool>>();
  /** Whether the model sees only the tools that can be used to look. The others are still known by name. */
  readOnly = false;
  /** What the model sees as long as its conversation goes on, where it can call other tools all the same. */
  #fixed: readonly ToolDefinition[] | undefined;
  /** Names of tools that came since, and of which the model was told. */
  readonly #told = new Set<string>();
  /** Is told when the model will see other tools than before. */
  onChange: (() => void) | undefined;

  constructor(entries: readonly ToolEntry[]) {
    this.#entries = new Map(entries.map((entry) => [entry.definition.name, entry]));
  }

  get definitions(): readonly ToolDefinition[] {
    const listed = this.#fixed ?? this.#listed;
    return this.readOnly ? listed.filter(canOnlyRead) : listed;
  }

  get #listed(): readonly ToolDefinition[] {
    return this.all.filter(({ name }) => !this.#unlisted.has(name));
  }

  /** Whether the list that the model sees stays as it is. */
  get isFixed(): boolean {
    return this.#fixed !== undefined;
  }

  /**
   * Leaves the list that the model sees as it is, so that what servers have read of it holds; where a tool can call
   * those that come later.
   */
  fix(): void {
    if (this.#listed.some(({ forwards }) => forwards)) this.#fixed ??= this.#listed;
  }

  /** Shows the model all tools there are: another conversation begins. */
  unfix(): void {
    this.#fixed = undefined;
    this.#told.clear();
  }

  /** Fixes the list anew where it was fixed, once servers read everything again anyway; whether it is another one. */
  refix(): boolean {
    const before = this.#fixed;
    if (before === undefined) return false;
    this.unfix();
    this.fix();
    return !isSameList(before, this.#fixed ?? []);
  }

  /** The tools that came since the list was fixed and that the model has not been told of; now it is. */
  takeLate(): readonly ToolDefinition[] {
    if (this.#fixed === undefined || this.readOnly) return [];
    const fixed = new Set(this.#fixed.map(({ name }) => name));
    const late = this.#listed.filter(({ name }) => !fixed.has(name) && !this.#told.has(name));
    for (const { name } of late) this.#told.add(name);
    return late;
  }

  /** All definitions, those too that the model does not see. */
  get all(): readonly ToolDefinition[] {
    return [...this.#entries.values()].map((entry) => entry.definition);
  }

  /** The tools that pass a test, as a registry of their own; what is loaded is loaded for both. */
  select(isSelected: (definition: ToolDefinition) => boolean): Registry {
    const entries = this.all.filter(isSelected)
      .map((definition) => ({ definition, load: () => this.load(definition) }));
    const selected = new Registry(entries);
    selected.#unlisted = this.#unlisted;
    selected.readOnly = this.readOnly;
    return selected;
  }

  /** Gives the tools with an effect another definition, before the first request shows them. */
  redefine(effect: Effect, change: (definition: ToolDefinition) => ToolDefinition): void {
    const changed = [...this.#entries].map(([name, { definition, load }]) => {
      const next = definition.effects.includes(effect) ? change(definition) : definition;
      return [name, { definition: next, load }] as const;
    });
    this.#entries = new Map(changed);
  }

  /** The names of all tools but those of a source. */
  namesExcept(source: string): readonly string[] {
    const own = this.#namesBySource.get(source);
    return [...this.#entries.keys()].filter((name) => !own?.has(name));
  }

  /**
   * Replaces the tools of a source, after all others; a name that another source has is left out. Returns whether
   * the model will see other tools than before.
   */
  replace(
    source: string,
    { listed, unlisted }: { listed: readonly ToolEntry[]; unlisted: readonly ToolEntry[] },
  ): boolean {
    const before = this.definitions;
    const earlier = this.#namesBySource.get(source) ?? new Set();
    const others = [...this.#entries].filter(([name]) => !earlier.has(name));
    const names = new Set(others.map(([name]) => name));
    const isFree = ({ definition }: ToolEntry) => !names.has(definition.name);
    const free = [...listed, ...unlisted].filter(isFree);
    for (const name of earlier) this.#loaded.delete(name);
    this.#namesBySource.set(source, new Set(free.map(({ definition }) => definition.name)));
    this.#entries = new Map([
      ...others,
      ...free.map((entry): [string, ToolEntry] => [entry.definition.name, entry]),
    ]);
    this.#unlisted = new Set(unlisted.filter(isFree).map(({ definition }) => definition.name));
    const isChanged = !isSameList(before, this.definitions);
    if (isChanged) this.onChange?.();
    return isChanged;
  }

  /**
   * The definition of a tool by its name, or by the same name spelt otherwise (`Read`, `line-edit`).
   * @throws {ToolError} validation: no such tool, with the nearest names
   */
  find(name: string): ToolDefinition {
    const names = [...this.#entries.keys()];
    const entry = this.#entries.get(findName(name, names) ?? name);
    if (entry) return entry.definition;
    throw new ToolError(`There is no tool named '${name}'`, {
      kind: "validation",
      suggestion: didYouMean(findNear(name, names)) ||
        `Available tools: ${names.filter((one) => !this.#unlisted.has(one)).join(", ")}`,
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
