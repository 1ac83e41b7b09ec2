/**
 * The rules that answers of "Always" made: those of this session, kept here, and those on disk, behind a
 * port. Finds the rules that together allow a command or a path.
 */
import type { PathFacts } from "../core/path_facts.ts";
import type { GrantScope } from "../core/permission.ts";
import type { Grant, Rule, RuleStore } from "../core/rule.ts";
import { messageOf } from "../lib/text.ts";
import { changedFiles, partKey } from "./grants.ts";

const SCOPE_ORDER: Readonly<Record<GrantScope, number>> = { session: 0, project: 1, user: 2 };

/** All rules in force for one run. */
export class RuleBook {
  readonly #pathFacts: PathFacts;
  readonly #store: RuleStore | undefined;
  readonly #isSecret: (text: string) => boolean;
  #session: Rule[] = [];
  #sessionCount = 0;
  /** Keys of a rule's parts, or its target. */
  readonly #keys = new WeakMap<Rule, ReadonlySet<string>>();

  /** Without a store rules last as long as the session, and so does every rule that holds a secret. */
  constructor(options: {
    pathFacts: PathFacts;
    store?: RuleStore | undefined;
    isSecret?: ((text: string) => boolean) | undefined;
  }) {
    this.#pathFacts = options.pathFacts;
    this.#store = options.store;
    this.#isSecret = options.isSecret ?? (() => false);
  }

  /** Every rule, void ones too: the session's, then the project's, then the user's. */
  async list(): Promise<readonly Rule[]> {
    const stored = await this.#store?.list() ?? [];
    return [
      ...this.#session,
      ...stored.filter((rule) => rule.scope === "project"),
      ...stored.filter((rule) => rule.scope === "user"),
    ];
  }

  /** The rules that together allow all of a grant; undefined if a part of it is not allowed. */
  async findCovering(grant: Grant): Promise<readonly Rule[] | undefined> {
    const rules = await this.list();
    if (rules.length === 0) return undefined;
    const used = new Set<Rule>();
    for (const key of keysOf(grant)) {
      const rule = rules.find((one) => this.#keysOf(one).has(key) && this.isValid(one));
      if (rule === undefined) return undefined;
      used.add(rule);
    }
    return used.size === 0 ? undefined : [...used];
  }

  /** Whether the files that a rule was made for are unchanged. */
  isValid(rule: Rule): boolean {
    return changedFiles(rule, this.#pathFacts).length === 0;
  }

  /** Files (absolute) whose change made a rule void. */
  changedFiles(rule: Rule): readonly string[] {
    return changedFiles(rule, this.#pathFacts);
  }

  /**
   * Keeps a grant. If it cannot be stored it holds for the session, and what people should know is returned.
   */
  async add(grant: Grant, scope: GrantScope): Promise<string | undefined> {
    const known = await this.findCovering(grant);
    if (known?.every((rule) => SCOPE_ORDER[rule.scope] >= SCOPE_ORDER[scope])) return undefined;
    if (scope === "session" || !this.#store) {
      this.#addToSession(grant);
      return undefined;
    }
    if (this.#isSecret(JSON.stringify(grant))) {
      this.#addToSession(grant);
      return "The rule holds a secret, which is not stored: it holds for this session only.";
    }
    try {
      await this.#store.add(grant, scope);
      return undefined;
    } catch (error) {
      this.#addToSession(grant);
      return `The rule ${grant.text} holds for this session only: ${messageOf(error)}`;
    }
  }

  /** Dates rules that have just allowed something. */
  async recordUse(rules: readonly Rule[]): Promise<void> {
    const now = new Date().toISOString();
    const ids = new Set(rules.map(({ id }) => id));
    this.#session = this.#session.map((rule) => ids.has(rule.id) ? { ...rule, used: now } : rule);
    const stored = rules.filter(({ scope }) => scope !== "session").map(({ id }) => id);
    if (stored.length > 0) await this.#store?.recordUse(stored);
  }

  /** Removes the rules with these ids and returns them. @throws {Error} they cannot be removed on disk */
  async remove(ids: readonly string[]): Promise<readonly Rule[]> {
    const own = this.#session.filter(({ id }) => ids.includes(id));
    const stored = ids.filter((id) => !own.some((rule) => rule.id === id));
    const removed = stored.length > 0 ? await this.#store?.remove(stored) ?? [] : [];
    this.#session = this.#session.filter((rule) => !own.includes(rule));
    return [...own, ...removed];
  }

  #addToSession(grant: Grant): void {
    const made = new Date().toISOString();
    this.#session.push({ ...grant, id: `s${++this.#sessionCount}`, scope: "session", made });
  }

  #keysOf(rule: Rule): ReadonlySet<string> {
    const known = this.#keys.get(rule);
    if (known) return known;
    const keys = new Set(keysOf(rule));
    this.#keys.set(rule, keys);
    return keys;
  }
}

function keysOf({ kind, target, parts }: Grant): string[] {
  if (kind === "run") return (parts ?? []).map(partKey);
  return target === undefined ? [] : [JSON.stringify([kind, target])];
}
