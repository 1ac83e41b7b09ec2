/**
 * Rules that answers of "Always" made, in `~/.ally/permissions.json`: read anew when the file changes,
 * replaced atomically under a lock, so that any number of ally processes may add and remove at once. A file
 * that cannot be read counts as empty, which is stricter, and is never written over.
 */
import { ACCESS_KINDS } from "../core/access.ts";
import { BREADTHS } from "../core/permission.ts";
import type { Grant, GrantedPart, Rule, RuleStore } from "../core/rule.ts";
import { reasonOf } from "../lib/fs.ts";
import { messageOf } from "../lib/text.ts";
import { JsonFile } from "./json_file.ts";

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
          kind: { enum: ACCESS_KINDS },
          breadth: { enum: BREADTHS },
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
                anyArguments: { const: true },
                needs: TEXTS,
                readsOutside: { const: true },
                stdin: { type: "string" },
                cwd: { type: "string" },
                assignments: TEXTS,
                files: { type: "object", additionalProperties: { type: "string" } },
                runsUnknown: { const: true },
                unconfined: { const: true },
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
  readonly #file: JsonFile<Content>;
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
    this.#file = new JsonFile({
      path: options.path,
      schema: SCHEMA,
      empty: EMPTY,
      ifRemoved: "each rule must be allowed anew",
    });
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
      return (await this.#file.read()).rules;
    } catch (error) {
      this.#onProblem(`${messageOf(error)} Until then no stored rule holds.`);
      return [];
    }
  }

  async add(grant: Grant, scope: "project" | "user"): Promise<Rule> {
    const made = new Date().toISOString();
    let rule: Rule | undefined;
    await this.#file.change(({ next, rules }) => {
      const project = scope === "project" ? { project: this.#project } : {};
      const added: Rule = { id: String(next), scope, ...project, ...grant, made };
      rule = added;
      const others = rules.filter((one) => !isReplaced(one, added));
      return { version: VERSION, next: next + 1, rules: [...others, added] };
    });
    if (!rule) throw new Error(`Cannot add the rule ${grant.text}: nothing was written`);
    return rule;
  }

  async recordUse(ids: readonly string[]): Promise<void> {
    const used = `${new Date().toISOString().slice(0, 16)}Z`;
    const isNew = (rule: Rule) => ids.includes(rule.id) && rule.used !== used;
    if (!(await this.all()).some(isNew)) return;
    try {
      await this.#file.change((content) => ({
        ...content,
        rules: content.rules.map((rule) => isNew(rule) ? { ...rule, used } : rule),
      }));
    } catch {
      // The date only informs people: the command runs without it.
    }
  }

  async remove(ids: readonly string[]): Promise<readonly Rule[]> {
    let removed: readonly Rule[] = [];
    await this.#file.change((content) => {
      removed = content.rules.filter(({ id }) => ids.includes(id));
      return { ...content, rules: content.rules.filter(({ id }) => !ids.includes(id)) };
    });
    return removed;
  }
}

/** Whether an older rule says the same as a new one, or did before files of its command changed. */
function isReplaced(old: Rule, added: Rule): boolean {
  return old.scope === added.scope && old.project === added.project &&
    ruleIdentity(old) === ruleIdentity(added);
}

function ruleIdentity({ kind, breadth = "exact", target, parts }: Rule): string {
  const commands = parts?.map((part: GrantedPart) => {
    const { does, argv, anyArguments, stdin, cwd, assignments } = part;
    return [does, argv, anyArguments ?? false, stdin ?? null, cwd, assignments];
  });
  return JSON.stringify([kind, breadth, target ?? null, commands ?? null]);
}

/** Changes when the file does: a replaced file is another inode. */
function fileVersion(path: string): string {
  try {
    const { ino, size, mtime } = Deno.statSync(path);
    return [ino, size, mtime?.getTime()].join(" ");
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "" : reasonOf(error);
  }
}
