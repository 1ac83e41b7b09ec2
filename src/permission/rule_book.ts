/**
 * The rules that answers of "Always" made: those of this session, kept here, and those on disk, behind a
 * port. Finds the rules that together allow a command or a path.
 */
import type { PathFacts } from "../core/path_facts.ts";
import type { RuleScope } from "../core/permission.ts";
import type { Grant, GrantedPart, GrantOffers, Rule, RuleStore } from "../core/rule.ts";
import { messageOf } from "../lib/text.ts";
import { changedFiles, coversPart, givesNeeds, partKey } from "./grants.ts";

const SCOPE_ORDER: Readonly<Record<RuleScope, number>> = { session: 0, project: 1, user: 2 };

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

  /** Whether it holds no rule at all. */
  async isEmpty(): Promise<boolean> {
    return (await this.list()).length === 0;
  }

  /** The rules that together allow what these offers were made for; undefined if a part of it is not allowed. */
  async findCovering(
    { exact, kind, beyond }: GrantOffers,
  ): Promise<readonly Rule[] | undefined> {
    const rules = await this.list();
    const whole = kind && rules.find((one) => one.breadth === "kind" && one.kind === kind.kind);
    if (whole) return [whole];
    const used = exact && this.#findFor(exact, rules);
    if (used || !beyond) return used;
    const held = rules.find((one) => one.breadth === "kind" && one.kind === beyond.kind);
    const others = held && this.#findFor(beyond, rules);
    return others && [held, ...others];
  }

  /** The rules that together allow a grant by its parts; undefined if one of these is not allowed. */
  #findFor(grant: Grant, rules: readonly Rule[]): readonly Rule[] | undefined {
    if (rules.length === 0) return undefined;
    const tests = this.#testsOf(grant);
    const joint = tests.length > 0 &&
      rules.find((one) => tests.every((covers) => covers(one)) && this.isValid(one));
    if (joint) return [joint];
    const used = new Set<Rule>();
    for (const covers of tests) {
      const rule = rules.find((one) => covers(one) && this.isValid(one));
      if (rule === undefined) return undefined;
      used.add(rule);
    }
    return used.size === 0 ? undefined : [...used];
  }

  /** For each thing that a grant allows, whether a rule allows it. */
  #testsOf({ kind, target, parts = [] }: Grant): ((rule: Rule) => boolean)[] {
    if (kind !== "run") {
      const key = targetKey(kind, target);
      return key === undefined ? [] : [(rule) => this.#keysOf(rule).has(key)];
    }
    return parts.map((part) => {
      const key = partKey(part);
      return (rule) => {
        const exact = this.#keysOf(rule).has(key);
        return (rule.parts ?? []).some((one) =>
          exact && partKey(one) === key ? givesNeeds(one, part) : coversPart(one, part)
        );
      };
    });
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
  async add(grant: Grant, scope: RuleScope): Promise<string | undefined> {
    const offers = grant.breadth === "kind" ? { kind: grant } : { exact: grant };
    const known = await this.findCovering(offers);
    // Rules for its parts are not one for all of it.
    if (known?.length === 1 && SCOPE_ORDER[known[0]!.scope] >= SCOPE_ORDER[scope]) return undefined;
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

/** Of parts that allow any arguments there is no key: what they allow has many. */
function keysOf({ kind, target, parts = [] }: Grant): string[] {
  if (kind === "run") return parts.filter(isExact).map(partKey);
  const key = targetKey(kind, target);
  return key === undefined ? [] : [key];
}

function isExact({ anyArguments }: GrantedPart): boolean {
  return anyArguments !== true;
}

function targetKey(kind: Grant["kind"], target: string | undefined): string | undefined {
  return target === undefined ? undefined : JSON.stringify([kind, target]);
}
