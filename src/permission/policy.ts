/**
 * Decides what a call may do: its accesses against the ban list, flags, configuration, the rules that
 * "Always" made and the risk of what it does. Deny first; then what a rule allows; then the risk says
 * whether to ask.
 */
import type { PastQuestion } from "../core/decision.ts";
import type { PathFacts } from "../core/path_facts.ts";
import type {
  Access,
  Breadth,
  CommandPart,
  GrantOffer,
  GrantScope,
  Verdict,
} from "../core/permission.ts";
import type { GrantOffers, Rule } from "../core/rule.ts";
import type { AnalyzedPart, ScriptAnalysis, UnaskedMode } from "../shell/analyze.ts";
import { type AccessRisk, assessAccess, openAllowed } from "./assess.ts";
import { DEFAULT_BANNED, findBanned } from "./banned.ts";
import type { ConfinedScripts, JudgedScript } from "./confinement.ts";
import { ModeSwitch } from "./mode_switch.ts";
import { isOnlyWrite } from "./powers.ts";
import {
  banDecision,
  howToAllow,
  plainnessReason,
  PLAN_MODE_VERDICT,
  refuseApart,
  ruleReason,
  RULES_APART,
  storedRuleName,
  uncoveredReason,
  WRITE_PLAINLY,
} from "./messages.ts";
import { RuleBook } from "./rule_book.ts";
import {
  allowsAnyCommand,
  findPathDeny,
  followDenied,
  locateRules,
  matchAllow,
  matchDeny,
  mayApprove,
  pluginPart,
  remoteTool,
  type RuleMatch,
  type Rules,
  whyUncovered,
} from "./rules.ts";
import { getsNoPower, policiesOf, profileName, type SandboxProfileName } from "./sandbox_policy.ts";
import { mergeVerdicts, publicOffers } from "./verdicts.ts";

/** An access with what is decided about it. */
interface JudgedAccess {
  readonly access: Access;
  readonly verdict: Verdict;
  /** Of a command line. */
  readonly analysis: ScriptAnalysis | undefined;
  /** The rules of the book by which it is allowed. */
  readonly rules?: readonly Rule[] | undefined;
}

/** What decides about an access, beside what it is. */
type Decision =
  & Pick<Verdict, "decision">
  & Partial<Pick<Verdict, "why" | "rule" | "offers" | "banned" | "runs">>;

/** An access with what was found out about it. */
interface AssessedAccess extends AccessRisk {
  readonly access: Access;
  readonly sandboxed: boolean;
}

/** What decides about calls. */
interface PolicyOptions {
  /** The flags. */
  readonly rules: Rules;
  /** Rules of configuration files, beside the flags. */
  readonly configured?: readonly Rules[];
  /** What "Always" allowed. @default empty, and kept for the session only */
  readonly book?: RuleBook;
  /** The mode of the session. @default one of its own, which asks */
  readonly mode?: ModeSwitch;
  /** Without a person to ask, what would ask is denied. */
  readonly interactive: boolean;
  readonly pathFacts: PathFacts;
  /** Programs that never run. @default the list of `banned.ts` */
  readonly banned?: readonly string[] | undefined;
  /** Whether commands run in a sandbox that holds, asked when one is judged. @default they do not */
  readonly sandboxed?: () => boolean | Promise<boolean>;
  /** Whether no answer allows a path outside of the workspace: only a flag that names it does. @default false */
  readonly onlyInside?: boolean;
  /** What runs without a question in such a sandbox. @default "closed" */
  readonly unasked?: UnaskedMode;
}

/** One command as it is explained. */
export interface ExplainedCommand {
  readonly verdict: Verdict;
  readonly parts: readonly CommandPart[];
  /** What bash gets where nobody is asked; absent if the command cannot be written so. */
  readonly runs?: string;
  /** The profile in which it would run. */
  readonly sandbox: SandboxProfileName | "none";
}

/** What git keeps for itself, or a path in it. */
const IN_GIT = /[\\/]\.git(?:[\\/]|$)/i;

/** Judges calls, and keeps what the user always allows. */
export class Policy {
  readonly #book: RuleBook;
  readonly #interactive: boolean;
  readonly #banned: ReadonlySet<string>;
  readonly #pathFacts: PathFacts;
  readonly #sandboxed: () => boolean | Promise<boolean>;
  readonly #mode: ModeSwitch;
  /** What a judgement offered to grant for an access. */
  readonly #offered = new WeakMap<Access, GrantOffers>();
  /** The rules of the book that allowed an access. */
  readonly #used = new WeakMap<Access, readonly Rule[]>();
  readonly #options: PolicyOptions;
  /** What a command or an agent has approved beforehand. */
  #approved: Rules | undefined;

  constructor(options: PolicyOptions) {
    this.#book = options.book ?? new RuleBook({ pathFacts: options.pathFacts });
    this.#mode = options.mode ?? new ModeSwitch();
    this.#options = { ...options, book: this.#book, mode: this.#mode };
    this.#interactive = options.interactive;
    this.#pathFacts = options.pathFacts;
    this.#sandboxed = options.sandboxed ?? (() => false);
    this.#banned = new Set(options.banned ?? DEFAULT_BANNED);
  }

  /** In plan mode nothing but reading is allowed, whatever the rules say. */
  get isPlan(): boolean {
    return this.#mode.isPlan;
  }

  /** What was allowed for the turn ends with it. */
  endTurn(): void {
    this.#mode.endTurn();
  }

  /** Whether there is a person to ask. */
  get interactive(): boolean {
    return this.#interactive;
  }

  /** The verdict on all that a call wants to do; the strictest access decides. */
  async judge(accesses: readonly Access[]): Promise<Verdict> {
    if (this.isPlan && accesses.some(mayChange)) return PLAN_MODE_VERDICT;
    const sandboxed = accesses.some(({ kind }) => kind === "run") && await this.#sandboxed();
    const judged = await Promise.all(accesses.map((access) => this.#judgeOne(access, sandboxed)));
    const verdict = mergeVerdicts(judged.map((one) => one.verdict));
    const scripts = judged.flatMap(scriptOf);
    if (scripts.length === 0) return verdict;
    const how = { sandboxed, runs: verdict.runs };
    const { confinement, parts, apart } = await this.#confine(scripts, how);
    const shown = parts.filter(({ length }) => length > 1).flat();
    const judgedAll = refuseApart(
      { ...verdict, ...confinement, ...(shown.length > 0 && { parts: shown }) },
      apart,
    );
    if (!sandboxed || judgedAll.decision !== "ask") return judgedAll;
    const { askToRemove } = await import("./removed_repository.ts");
    return askToRemove(judgedAll, scripts, this.#pathFacts);
  }

  /** Looks at the files that commands execute; the result tells those that hold something else by then. */
  async watchFiles(accesses: readonly Access[]): Promise<() => readonly string[]> {
    const { watchDecidingFiles } = await import("./deciding_files.ts");
    return watchDecidingFiles(accesses, this.#pathFacts);
  }

  /** The verdict on one command with all that is known of it, for explaining. */
  async explain(access: Access): Promise<ExplainedCommand> {
    const sandboxed = await this.#sandboxed();
    const judged = await this.#judgeOne(access, sandboxed);
    const { verdict, analysis } = judged;
    const { confinement: { sandboxPolicy, parted }, parts: [parts = []], apart } = await this
      .#confine(scriptOf(judged), { sandboxed, runs: verdict.runs });
    const whole = sandboxPolicy ? [sandboxPolicy] : [];
    const policies = parted ? [...parted.values()].flatMap(policiesOf) : whole;
    const rendering = analysis?.rendering;
    return {
      verdict: refuseApart(verdict, apart),
      parts,
      ...(rendering && "text" in rendering && { runs: rendering.text }),
      sandbox: sandboxed ? profileName(policies) : "none",
    };
  }

  /**
   * Allows from now on what a judgement of these accesses offered to. Returns the problem if the rule could not
   * be stored for as long as the user wished.
   */
  async grant(
    accesses: readonly Access[],
    { scope, breadth }: { scope: GrantScope; breadth: Breadth },
  ): Promise<string | undefined> {
    let problem: string | undefined;
    for (const access of accesses) {
      const grant = this.#offered.get(access)?.[breadth];
      if (!grant || this.#mode.takeAnswer(grant, scope)) continue;
      if (scope !== "turn") problem = await this.#book.add(grant, scope) ?? problem;
    }
    return problem;
  }

  /** The offers of a judgement of these accesses, with what each would have covered of earlier questions. */
  async measure(
    offers: readonly GrantOffer[],
    { accesses, questions }: {
      accesses: readonly Access[];
      questions: readonly PastQuestion[];
    },
  ): Promise<readonly GrantOffer[]> {
    const { measureOffers } = await import("./coverage.ts");
    const sandboxed = await this.#sandboxed();
    return await measureOffers(offers, {
      grantsOf: ({ breadth }) =>
        accesses.flatMap((access) => this.#offered.get(access)?.[breadth] ?? []),
      questions,
      pathFacts: this.#pathFacts,
      assess: (access) => this.#assess(access, sandboxed),
    });
  }

  async #assess(access: Access, sandboxed: boolean): Promise<AccessRisk> {
    const options = { pathFacts: this.#pathFacts, sandboxed, unasked: this.#unasked() };
    return await assessAccess(access, options);
  }

  /**
   * The same policy with further rules, for what is sensitive: nothing extreme is approved beforehand. Their paths
   * may be relative to the working directory. The mode and what "Always" allows are shared.
   */
  withApproved(rules: Rules): Policy {
    const policy = new Policy(this.#options);
    policy.#approved = locateRules(rules, this.#pathFacts);
    return policy;
  }

  /** Approves the same for the turn that runs, in all policies that share the mode. */
  approveForTurn(rules: Rules): void {
    this.#mode.approveForTurn(locateRules(rules, this.#pathFacts));
  }

  /** The flags come first, then each configuration file. */
  get #rules(): readonly Rules[] {
    const { rules, configured = [] } = this.#options;
    return [rules, ...configured].map((one) => followDenied(one, this.#pathFacts));
  }

  #approvalsFor(assessed: AssessedAccess): readonly Rules[] {
    return [...this.#approved ? [this.#approved] : [], ...this.#mode.rulesOfTurn]
      .filter((rules) => mayApprove(rules, assessed));
  }

  /** Notes that these accesses, judged to be allowed, are made use of: the rules for it are dated. */
  async recordUse(accesses: readonly Access[]): Promise<void> {
    const rules = new Set(accesses.flatMap((access) => this.#used.get(access) ?? []));
    if (rules.size > 0) await this.#book.recordUse([...rules]);
  }

  async #judgeOne(access: Access, sandboxed: boolean): Promise<JudgedAccess> {
    const risk = await this.#assess(access, sandboxed);
    const assessed: AssessedAccess = { ...risk, access, sandboxed };
    const judged = await this.#judgeAssessed(assessed);
    if (!risk.withNetwork || !await this.#asksInVain(judged, sandboxed)) return judged;
    return await this.#judgeAssessed({ ...assessed, ...risk.withNetwork() });
  }

  /**
   * Whether a question is about commands of which one would fail for want of the network, because it shares its shell
   * with others: allowing it would only lead to the next question. Without logins most installs work.
   */
  async #asksInVain(judged: JudgedAccess, sandboxed: boolean): Promise<boolean> {
    if (judged.verdict.decision !== "ask" || !sandboxed) return false;
    const { confinement } = await this.#confine(scriptOf(judged), { sandboxed, runs: undefined });
    const { sandboxPolicy, parted } = confinement;
    const lacking = parted ? [] : sandboxPolicy?.withheld?.filter((need) => need !== "registries");
    return lacking?.length === 1 && lacking[0] === "network";
  }

  /** Without the book, what "Always" allowed does not count. */
  async #judgeAssessed(
    assessed: AssessedAccess,
    { book } = { book: true },
  ): Promise<JudgedAccess> {
    const decided = this.#findBan(assessed) ??
      this.#findDenyRule(assessed) ??
      this.#findDeniedPath(assessed) ??
      await this.#findDeniedGit(assessed) ??
      // No rule lets it out of the sandbox.
      (assessed.outerTree === undefined ? undefined : this.#decideUnruled(assessed)) ??
      allowKnownSafe(assessed) ??
      await this.#findAllowRule(assessed) ??
      this.#findOutside(assessed) ??
      this.#findApproval(assessed) ??
      this.#findMode(assessed) ??
      (book ? await this.#findGrant(assessed) : undefined) ??
      allowClosed(assessed) ??
      this.#decideUnruled(assessed);
    const decision = await this.#requireCanonical(decided, assessed);
    const { access, analysis, risk: known, why } = assessed;
    const confined = analysis && await this.#open(analysis, { decision, assessed, book });
    const isAllowed = decision.decision === "allow";
    const judged: JudgedAccess = {
      access,
      analysis: confined,
      ...(book && isAllowed && { rules: this.#used.get(access) }),
      verdict: { risk: isAllowed && confined ? confined.risk : known, why, ...decision },
    };
    if (judged.rules && await this.#mayOutrun(judged, assessed)) {
      this.#used.delete(access);
      const why = `${assessed.why}; ${RULES_APART}`;
      return await this.#judgeAssessed({ ...assessed, why }, { book: false });
    }
    return judged;
  }

  async #open(
    analysis: ScriptAnalysis,
    { assessed, decision, book }: { assessed: AssessedAccess; decision: Decision; book: boolean },
  ): Promise<ScriptAnalysis> {
    const { access } = assessed;
    const layers = [...this.#rules, ...this.#approvalsFor(assessed)];
    // What has no canonical text may be another command than the rule for it means.
    const isKnown = book && "text" in analysis.rendering;
    const granted = isKnown ? await this.#findGrantedParts(assessed, decision) : new Map();
    const used = this.#used.get(access);
    return openAllowed(analysis, { ...decision, access, layers, granted, used });
  }

  /** Closed parts of a command that "Always" allows: they get what it gave them. */
  async #findGrantedParts(
    { access, analysis, offersFor }: AssessedAccess,
    { decision }: Decision,
  ): Promise<ReadonlyMap<AnalyzedPart, readonly Rule[]>> {
    const granted = new Map<AnalyzedPart, readonly Rule[]>();
    const closed = analysis?.parts.filter(({ openRisk }) => openRisk !== undefined) ?? [];
    if (decision === "deny" || closed.length === 0 || !offersFor || await this.#book.isEmpty()) {
      return granted;
    }
    for (const part of closed) {
      const rules = await this.#book.findCovering(offersFor(part));
      if (rules) granted.set(part, rules);
    }
    const used = new Set([...this.#used.get(access) ?? [], ...[...granted.values()].flat()]);
    if (used.size > 0) this.#used.set(access, [...used]);
    return granted;
  }

  async #mayOutrun(judged: JudgedAccess, { sandboxed }: AssessedAccess): Promise<boolean> {
    const { mayOutrun } = await import("./confinement.ts");
    const how = { sandboxed, runs: undefined, rules: this.#rules, pathFacts: this.#pathFacts };
    const [script] = scriptOf(judged);
    return script !== undefined && await mayOutrun(script, how);
  }

  async #confine(
    scripts: readonly JudgedScript[],
    how: { sandboxed: boolean; runs: Verdict["runs"] },
  ): Promise<ConfinedScripts> {
    const { confine } = await import("./confinement.ts");
    return await confine(scripts, { ...how, rules: this.#rules, pathFacts: this.#pathFacts });
  }

  /** The history of a repository holds also what may not be read: no code may look for it unasked. */
  #unasked(): UnaskedMode {
    const hidesFiles = this.#rules.some(({ deny: { read } }) =>
      Array.isArray(read) && read.some((path) => this.#pathFacts.mayBeInHistory(path))
    );
    return hidesFiles ? "safe" : this.#options.unasked ?? "closed";
  }

  #findBan({ access, analysis }: AssessedAccess): Decision | undefined {
    const ban = analysis &&
      findBanned(access.target, { parts: analysis.parts, banned: this.#banned });
    return ban && banDecision(ban);
  }

  #findDenyRule({ access, analysis }: AssessedAccess): Decision | undefined {
    const deny = this.#firstMatch(matchDeny, access, analysis);
    return deny && { decision: "deny", ...ruleReason(deny.rule, "forbids") };
  }

  /**
   * The rule by which a command may not run that could read or change what is denied: the kind as a whole, a
   * path that it names, or any path where no sandbox keeps it off. Only then one whose programs the user named may run.
   */
  #findDeniedPath({ access, analysis, risk, sandboxed }: AssessedAccess): Decision | undefined {
    if (access.kind !== "run" || access.tool !== undefined) return undefined;
    const { target: command } = access;
    const how = { risk, sandboxed, parts: analysis?.parts ?? [], pathFacts: this.#pathFacts };
    const denied = findPathDeny(this.#rules, { command, ...how });
    if (denied === undefined) return undefined;
    const { isNamed, ...reason } = denied;
    const mayRun = (sandboxed || !isNamed) && this.#firstMatch(matchAllow, access, analysis)?.named;
    return mayRun ? undefined : { decision: "deny", ...reason };
  }

  /** Why a command of git may not run because of what is hidden: a repository holds it, or would lose it. */
  async #findDeniedGit(
    { access, analysis, sandboxed }: AssessedAccess,
  ): Promise<Decision | undefined> {
    if (analysis === undefined && !IN_GIT.test(access.target)) return undefined;
    const { matchDeniedGit } = await import("./denied_git.ts");
    const [how, pathFacts] = [{ access, parts: analysis?.parts, sandboxed }, this.#pathFacts];
    const denied = await matchDeniedGit(this.#rules, { ...how, pathFacts });
    return denied && { decision: "deny", ...denied };
  }

  /**
   * What is extreme is allowed only by `-A`, or for a path by naming it. What git keeps must be named: it decides
   * which programs git starts later, outside of every sandbox; ally's home, which decides what is asked; and secrets.
   */
  async #findAllowRule(assessed: AssessedAccess): Promise<Decision | undefined> {
    const { access, analysis } = assessed;
    if (!isOnlyWrite(access.powers)) return undefined;
    const allow = this.#firstMatch(matchAllow, access, analysis);
    const { isNamedBy } = assessed;
    const named = isNamedBy && await Promise.all((allow?.by ?? []).map(isNamedBy));
    if (!allow || named?.includes(true) === false) return undefined;
    const allowsExtreme = this.#rules.some(({ allowAll }) => allowAll) ||
      (allow.named && access.kind !== "run");
    // Where every command is allowed, the sandbox holds those of which nobody knows what they do.
    return assessed.risk !== "extreme" || allowsExtreme ? allowedBy(allow.rule) : undefined;
  }

  /** What lies outside, where nobody is to be asked about that. */
  #findOutside({ access, risk, why }: AssessedAccess): Decision | undefined {
    const { kind, inside } = access;
    if (!this.#options.onlyInside || inside || !(kind === "read" || kind === "write")) {
      return undefined;
    }
    return { decision: "deny", why: `${why}; ${howToAllow(access, { risk })}` };
  }

  /** What a command of the user's, an agent or a skill has approved beforehand. */
  #findApproval(assessed: AssessedAccess): Decision | undefined {
    const { access, analysis, risk } = assessed;
    for (const rules of isOnlyWrite(access.powers) ? this.#approvalsFor(assessed) : []) {
      const approved = matchAllow(rules, access, { parts: analysis?.parts });
      // A rule for all commands opens all of it.
      const opened = approved?.named ? risk : analysis?.openRisk ?? risk;
      if (approved && opened !== "extreme") return allowedBy(approved.rule);
    }
    return undefined;
  }

  /** What the mode of the session allows. */
  #findMode({ access, risk }: AssessedAccess): Decision | undefined {
    const allowance = this.#interactive ? this.#mode.findAllowance(access, risk) : undefined;
    return allowance === undefined ? undefined : allowedBy(allowance);
  }

  /** What "Always" allowed. */
  async #findGrant({ access, offers }: AssessedAccess): Promise<Decision | undefined> {
    if (!offers || await this.#book.isEmpty()) return undefined;
    const rules = await this.#book.findCovering(offers());
    if (!rules) return undefined;
    this.#used.set(access, rules);
    return allowedBy(rules.map(storedRuleName).join(", "));
  }

  /** What no rule decides is asked about, if there is somebody to ask. */
  #decideUnruled(assessed: AssessedAccess): Decision {
    const { access, analysis } = assessed;
    if (!this.#interactive) {
      const uncovered = this.#rules.map((rules) => whyUncovered(rules, analysis?.parts ?? []))
        .find((one) => one !== undefined);
      const why = uncovered ? uncoveredReason(uncovered) : assessed.why;
      const how = howToAllow(access, { ...assessed, rules: this.#rules });
      return { decision: "deny", why: `${why}; ${how}` };
    }
    const offers = assessed.offers?.() ?? {};
    this.#offered.set(access, offers);
    return { decision: "ask", offers: publicOffers(offers) };
  }

  /**
   * What runs unasked runs as its canonical text; what has none is asked about, but where all that stays in the sandbox is
   * allowed. Where every command is, nothing hangs on how one is understood but the keys, and what gets these runs so anyway.
   */
  async #requireCanonical(decided: Decision, assessed: AssessedAccess): Promise<Decision> {
    const { access, analysis, sandboxed } = assessed;
    if (decided.decision !== "allow" || !analysis || allowsAnyCommand(this.#rules)) return decided;
    const { rendering, argv } = analysis;
    if (argv) return { ...decided, runs: new Map([[access.target, argv]]) };
    if ("text" in rendering) {
      return { ...decided, runs: new Map([[access.target, rendering.text]]) };
    }
    // What is safe is among all that stays in the sandbox.
    const granted = decided.rule === undefined ? await this.#findGrant(assessed) : decided;
    const known = { rules: this.#rules, used: this.#used.get(access) };
    const mayLook = this.#unasked() === "closed";
    if (granted && sandboxed && mayLook && getsNoPower(analysis.parts, known)) return granted;
    const why = plainnessReason(rendering.problem);
    return this.#interactive
      ? { decision: "ask", why }
      : { decision: "deny", why: `${why}; ${WRITE_PLAINLY}` };
  }

  #firstMatch(
    match: typeof matchDeny,
    access: Access,
    analysis: ScriptAnalysis | undefined,
  ): RuleMatch | undefined {
    for (const rules of this.#rules) {
      const found = match(rules, access, { parts: analysis?.parts ?? pluginPart(access) });
      if (found) return found;
    }
    return undefined;
  }
}

function scriptOf({ access, analysis, rules }: JudgedAccess): JudgedScript[] {
  return analysis ? [{ text: access.target, analysis, rules }] : [];
}

/** What is known to change nothing runs closed, whatever a rule would give it. */
function allowKnownSafe({ risk, analysis }: AssessedAccess): Decision | undefined {
  return risk === "safe" && !analysis?.tentative ? { decision: "allow" } : undefined;
}

/** Of what else names no power, what no rule allows runs closed. */
function allowClosed({ risk }: AssessedAccess): Decision | undefined {
  return risk === "safe" ? { decision: "allow" } : undefined;
}

function allowedBy(rule: string): Decision {
  return { decision: "allow", ...ruleReason(rule, "allows") };
}

/** What plan mode refuses: what may change something. Nobody here knows what a server's tool does. */
function mayChange({ kind, target }: Access): boolean {
  return kind === "write" || kind === "run" || remoteTool(target) !== undefined;
}
