/**
 * Rules in plain words, for `ally permissions list` and `/permissions`: one entry for each rule in force,
 * whatever its source, with what it covers and whether it still holds.
 */
import { ABSENT } from "../core/path_facts.ts";
import type { AccessKind, Targets } from "../core/permission.ts";
import type { GrantedPart, Rule } from "../core/rule.ts";
import { formatLocalDay, quoteWord } from "../lib/text.ts";
import { nameIn } from "./grants.ts";
import { describeNeeds } from "./powers.ts";
import type { RuleBook } from "./rule_book.ts";
import { type Rules, type RuleSource, ruleText } from "./rules.ts";

/** One rule as it is listed. */
export interface ListedRule {
  /** Only what "Always" stored has one, and can be removed by it. */
  readonly id?: string;
  readonly source: RuleSource | "session" | "user";
  readonly effect: "allow" | "deny";
  readonly kind: AccessKind | "all";
  /** As it is written: `--allow-run=git`, `run=deno test`. */
  readonly rule: string;
  /** In plain words. */
  readonly covers: string;
  /** Absolute directory of a project's stored rule. */
  readonly project?: string;
  /** ISO 8601. */
  readonly made?: string;
  /** ISO 8601; absent if it was never used. */
  readonly used?: string;
  /** Why it no longer holds. */
  readonly void?: string;
}

/** Every rule in force, deny first; then flags, configuration, the session's, the project's, the user's. */
export async function listRules(
  sources: { rules: Rules; configured: readonly Rules[]; book: RuleBook },
): Promise<ListedRule[]> {
  const { rules, configured, book } = sources;
  const fixed = [rules, ...configured].flatMap(listConfigured);
  const stored = (await book.list()).map((rule) => listStored(rule, book.changedFiles(rule)));
  return [
    ...fixed.filter(({ effect }) => effect === "deny"),
    ...fixed.filter(({ effect }) => effect === "allow"),
    ...stored,
  ];
}

/** What is told of a rule below its name; where it holds is known unless it is elsewhere. */
export function detailLines(
  rule: ListedRule,
  { elsewhere = false }: { elsewhere?: boolean } = {},
): string[] {
  const { covers, project, made, used, void: changed } = rule;
  return [
    covers,
    ...(elsewhere && project !== undefined ? [`holds in ${project}`] : []),
    ...(made === undefined
      ? []
      : [`made ${localTime(made)}, ${used ? `last used ${localTime(used)}` : "never used"}`]),
    ...(changed === undefined ? [] : [`VOID: ${changed}`]),
  ];
}

/** "2026-11-22 09:30" where the person is. */
function localTime(iso: string): string {
  const date = new Date(iso);
  const pad = (number: number) => String(number).padStart(2, "0");
  return Number.isNaN(date.getTime())
    ? iso
    : `${formatLocalDay(date)} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** The rules of the flags or of one configuration file; deny first. */
function listConfigured(rules: Rules): ListedRule[] {
  const { source = "flag" } = rules;
  const listed = (["deny", "allow"] as const).flatMap((effect) =>
    Object.entries(rules[effect]).map(([name, targets]): ListedRule => {
      const kind = name as AccessKind;
      return {
        source,
        effect,
        kind,
        rule: ruleText(rules, { verb: effect, kind, targets }),
        covers: `${effect === "deny" ? "never " : ""}${
          describeCoverage(kind, { targets, effect })
        }`,
      };
    })
  );
  const all: ListedRule = {
    source,
    effect: "allow",
    kind: "all",
    rule: "--allow-all",
    covers: "everything inside the workspace, extremely sensitive commands too",
  };
  return rules.allowAll ? [...listed, all] : listed;
}

/** One rule that "Always" made; `changed` are the files (absolute) that make it void. */
export function listStored(rule: Rule, changed: readonly string[]): ListedRule {
  const { id, scope, kind, text, project, made, used } = rule;
  return {
    id,
    source: scope,
    effect: "allow",
    kind,
    rule: text,
    covers: describeGrant(rule),
    ...(project !== undefined && { project }),
    made,
    ...(used !== undefined && { used }),
    ...(changed.length > 0 && {
      void: `${namesOf(changed, rule)} changed since; the command asks again`,
    }),
  };
}

function describeGrant({ kind, breadth, target, parts = [] }: Rule): string {
  if (breadth === "kind") {
    return kind === "run"
      ? "every command that is not extremely sensitive and stays in the sandbox: it may change the workspace but not .git, and has no network and no keys"
      : "changes of files in the workspace, but not of protected places";
  }
  if (breadth === "repository") {
    const commands = parts.map(({ argv }) => argv.slice(1).join(" ")).join(", ");
    return `git's ${commands} with any arguments, in this directory, unless they discard history; void once git's configuration, a hook or a script that one runs changes`;
  }
  return kind === "run"
    ? parts.map(describePart).join("; and ")
    : `${TARGET_WORDS[kind]} ${target}, and nothing else`;
}

const TARGET_WORDS: Readonly<Record<Exclude<AccessKind, "run">, string>> = {
  read: "reading",
  write: "changing",
  net: "reaching",
  env: "the variable",
};

function describeCoverage(
  kind: AccessKind,
  { targets, effect }: { targets: Targets; effect: "allow" | "deny" },
): string {
  const deny = effect === "deny";
  if (targets === true) {
    return {
      read: deny ? "reading a file" : "reading inside the workspace",
      write: deny ? "changing a file" : "changing files of the workspace, protected places not",
      run: deny ? "running a command" : "commands that are not extremely sensitive",
      net: deny ? "using the network" : "the network, for any host",
      env: deny ? "environment variables" : "every environment variable",
    }[kind];
  }
  const names = targets.join(", ");
  switch (kind) {
    case "read":
    case "write":
      return `${TARGET_WORDS[kind]} ${names} and what is below`;
    case "run":
      return deny
        ? `a command in which ${names} occurs`
        : `plain commands that begin with ${names}, beside others that only read`;
    default:
      return `${TARGET_WORDS[kind]} ${names}`;
  }
}

function describePart(part: GrantedPart): string {
  const { argv, cwd, stdin, assignments, needs = [] } = part;
  return [
    part.anyArguments
      ? `\`${argv.map(quoteWord).join(" ")}\` with any arguments in ${cwd}`
      : `exactly \`${argv.map(quoteWord).join(" ")}\` in ${cwd}`,
    ...(needs.length > 0 ? [describeNeeds(needs)] : []),
    ...(assignments.length > 0 ? [`after ${assignments.join(", ")}`] : []),
    ...(stdin === undefined ? [] : [`with ${describeInput(stdin)}`]),
    ...describeFiles(part),
    ...(part.runsUnknown ? ["whatever becomes of other files that it may run"] : []),
  ].join(", ");
}

/** What must stay as it is, and what must not come. */
function describeFiles({ files, cwd }: GrantedPart): string[] {
  const names = (isAbsent: boolean) =>
    shortenNames(
      Object.entries(files).filter(([, hash]) => (hash === ABSENT) === isAbsent)
        .map(([path]) => nameIn(cwd, path)),
    );
  const [there, absent] = [names(false), names(true)];
  const stay = `${there.join(", ")} stay${there.length > 1 ? "" : "s"} as now`;
  // One ending of a name may be there.
  const others = absent.map((name) =>
    there.some((one) => name === one.replace(/\.[^./]+$/, ".*")) ? `other ${name}` : name
  );
  const come = `there is no ${others.join(", ").replace(/, ([^,]*)$/, " or $1")}`;
  if (there.length + absent.length === 0) return [];
  const both = [...(there.length > 0 ? [stay] : []), ...(absent.length > 0 ? [come] : [])];
  return [`as long as ${both.join(" and ")}`];
}

/** Endings of one name from which on they are no more told one by one. */
const MANY_ENDINGS = 4;

/** One name for a file that may have several endings: `eslint.config.*`. */
function shortenNames(names: readonly string[]): readonly string[] {
  const stemOf = (name: string) => /^(.*[^/])\.[^./]+$/.exec(name)?.[1];
  const endings = Map.groupBy(names, stemOf);
  const shortened = names.map((name) => {
    const stem = stemOf(name);
    const isOneOfMany = stem !== undefined && (endings.get(stem)?.length ?? 0) >= MANY_ENDINGS;
    return isOneOfMany ? `${stem}.*` : name.replace(/(\.config|rc)\.[cm]?[jt]s$/, "$1.*");
  });
  return [...new Set(shortened)];
}

function describeInput(stdin: string): string {
  if (stdin.startsWith("file:")) return `${stdin.slice("file:".length)} as its input`;
  return stdin === "pipe" ? "the output of another command as its input" : "one text as its input";
}

function namesOf(paths: readonly string[], { parts }: Rule): string {
  const cwd = parts?.[0]?.cwd ?? "/";
  return [...new Set(paths.map((path) => nameIn(cwd, path)))].join(", ");
}
