/**
 * Rules that answers of "Always" made, in `~/.ally/permissions.json`: read anew when the file changes,
 * replaced atomically under a lock, so that any number of ally processes may add and remove at once. A file
 * that cannot be read counts as empty, which is stricter, and is never written over.
 */
import { UsageError } from "../core/errors.ts";
import type { Grant, GrantedPart, Rule, RuleStore } from "../core/rule.ts";
import { updateLocked } from "../lib/locked_file.ts";
import { isObject, violations } from "../lib/schema.ts";
import { messageOf } from "../lib/text.ts";
import { locateJsonError } from "./config.ts";

const VERSION = 1;

const TEXTS = { type: "array", items: { type: "string" } } as const;

const SCHEMA = {
  type: "object",
  required: ["version", "next", "rules"],
  properties: {
    version: { const: VERSION },
    next: { type: "integer", minimum: 1 },
    rules: {
      type: "array",
      items: {
        type: "object",
        required: ["id", "scope", "kind", "text", "made"],
        properties: {
          id: { type: "string", pattern: "^[0-9]+$" },
          scope: { enum: ["project", "user"] },
          project: { type: "string" },
          kind: { enum: ["read", "write", "run", "net", "env"] },
          text: { type: "string" },
          target: { type: "string" },
          made: { type: "string" },
          used: { type: "string" },
          parts: {
            type: "array",
            items: {
              type: "object",
              required: ["does", "argv", "cwd", "assignments", "files"],
              properties: {
                does: { enum: ["run", "redirect"] },
                argv: TEXTS,
                stdin: { type: "string" },
                cwd: { type: "string" },
                assignments: TEXTS,
                files: { type: "object", additionalProperties: { type: "string" } },
              },
            },
          },
        },
      },
    },
  },
} as const;

interface Content {
  readonly version: typeof VERSION;
  /** The id that the next rule gets: no id is given twice. */
  readonly next: number;
  readonly rules: readonly Rule[];
}

const EMPTY: Content = { version: VERSION, next: 1, rules: [] };

/** The file of stored rules, as seen from one project. */
export class PermissionStore implements RuleStore {
  readonly #path: string;
  readonly #project: string;
  readonly #onProblem: (message: string) => void;
  #loadedVersion: string | undefined;
  #rules: Promise<readonly Rule[]> = Promise.resolve([]);

  /** `project` is an absolute, canonical directory; `onProblem` is told once what makes the file unusable. */
  constructor(options: {
    path: string;
    project: string;
    onProblem: (message: string) => void;
  }) {
    this.#path = options.path;
    this.#project = options.project;
    this.#onProblem = options.onProblem;
  }

  async list(): Promise<readonly Rule[]> {
    const rules = await this.all();
    return rules.filter((rule) => rule.scope === "user" || rule.project === this.#project);
  }

  /** The rules of all projects. */
  all(): Promise<readonly Rule[]> {
    const state = fileVersion(this.#path);
    if (state !== this.#loadedVersion) {
      this.#loadedVersion = state;
      this.#rules = this.#readOrNone();
    }
    return this.#rules;
  }

  async #readOrNone(): Promise<readonly Rule[]> {
    try {
      return (await readRules(this.#path)).rules;
    } catch (error) {
      this.#onProblem(`${messageOf(error)} Until then no stored rule holds.`);
      return [];
    }
  }

  async add(grant: Grant, scope: "project" | "user"): Promise<Rule> {
    const made = now();
    let rule: Rule | undefined;
    await this.#change(({ next, rules }) => {
      const project = scope === "project" ? { project: this.#project } : {};
      const added: Rule = { id: String(next), scope, ...project, ...grant, made };
      rule = added;
      const kept = rules.filter((one) => !isReplaced(one, added));
      return { version: VERSION, next: next + 1, rules: [...kept, added] };
    });
    if (!rule) throw new Error(`Cannot add the rule ${grant.text}: nothing was written`);
    return rule;
  }

  async recordUse(ids: readonly string[]): Promise<void> {
    const used = `${now().slice(0, 16)}Z`;
    const isNew = (rule: Rule) => ids.includes(rule.id) && rule.used !== used;
    if (!(await this.all()).some(isNew)) return;
    try {
      await this.#change((content) => ({
        ...content,
        rules: content.rules.map((rule) => isNew(rule) ? { ...rule, used } : rule),
      }));
    } catch {
      // The date is for people; what it dates goes on.
    }
  }

  async remove(ids: readonly string[]): Promise<readonly Rule[]> {
    let removed: readonly Rule[] = [];
    await this.#change((content) => {
      removed = content.rules.filter(({ id }) => ids.includes(id));
      return { ...content, rules: content.rules.filter(({ id }) => !ids.includes(id)) };
    });
    return removed;
  }

  /** Reads, changes and replaces the file while no other process does. */
  async #change(change: (content: Content) => Content): Promise<void> {
    await updateLocked(
      this.#path,
      async (path) => `${JSON.stringify(change(await readRules(path)), null, 2)}\n`,
    );
  }
}

/** Whether an older rule says the same as a new one, or did before files of its command changed. */
function isReplaced(old: Rule, added: Rule): boolean {
  return old.scope === added.scope && old.project === added.project &&
    ruleIdentity(old) === ruleIdentity(added);
}

function ruleIdentity({ kind, target, parts }: Rule): string {
  const commands = parts?.map((
    { does, argv, stdin, cwd, assignments }: GrantedPart,
  ) => [does, argv, stdin ?? null, cwd, assignments]);
  return JSON.stringify([kind, target ?? null, commands ?? null]);
}

/** Reads the file; a missing one is empty. @throws {UsageError} what is wrong with it, where, and what to do */
async function readRules(path: string): Promise<Content> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return EMPTY;
    throw new UsageError(`Cannot read ${path}: ${messageOf(error)}.`, { cause: error });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `Cannot use ${path}: ${await locateJsonError(
        text,
      )} it is not valid JSON. Correct it, or remove it.`,
      { cause: error },
    );
  }
  const [wrong] = violations(SCHEMA, value);
  if (wrong || !isObject(value)) {
    const where = wrong && wrong.path !== "" ? `'${wrong.path}' is wrong. ` : "";
    throw new UsageError(
      `Cannot use ${path}: ${where}${wrong?.message ?? ""} Correct it, or remove it.`,
    );
  }
  return value as unknown as Content;
}

/** Changes when the file does: a replaced file is another inode. */
function fileVersion(path: string): string {
  try {
    const { ino, size, mtime } = Deno.statSync(path);
    return [ino, size, mtime?.getTime()].join(" ");
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "" : messageOf(error);
  }
}

function now(): string {
  return new Date().toISOString();
}
