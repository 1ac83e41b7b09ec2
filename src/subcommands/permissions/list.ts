/**
 * `ally permissions list` and `remove`: the rules in force in this directory, in words and as JSON, and the
 * end of those that "Always" stored.
 */
import type { PermissionSources } from "../../app/permission_sources.ts";
import { describeSandbox } from "../../app/sandbox.ts";
import { UsageError } from "../../core/errors.ts";
import type { SandboxStatus } from "../../core/sandbox.ts";
import { jsonLine, plural } from "../../lib/text.ts";
import { DEFAULT_BANNED } from "../../permission/banned.ts";
import { detailLines, type ListedRule, listRules, listStored } from "../../permission/describe.ts";
import type { AllyPaths } from "../../store/paths.ts";
import type { Config } from "../../store/settings_table.ts";
import { escapeControls } from "../../ui/safe_text.ts";

/** What is listed, and how. */
interface ListOptions {
  readonly sources: PermissionSources;
  readonly paths: AllyPaths | undefined;
  readonly config: Config;
  readonly sandbox: SandboxStatus;
  /** The stored rules of all projects too. */
  readonly all: boolean;
  readonly json: boolean;
}

/** The list as text for people or as one JSON object. */
export async function listPermissions(options: ListOptions): Promise<string> {
  const { sources, paths, config, sandbox, all, json } = options;
  const rules = await listRules(sources);
  const elsewhere = await listRulesElsewhere(sources);
  const banned = config.banned_commands ?? DEFAULT_BANNED;
  const listed = all ? [...rules, ...elsewhere] : rules;
  if (json) {
    const log = paths?.decisions ?? null;
    const { cwd } = sources.pathFacts;
    return jsonLine({ cwd, rules: listed, banned, sandbox, decision_log: log });
  }
  return [
    `Rules in force in ${escapeControls(sources.pathFacts.cwd)}. Deny wins over allow.`,
    "",
    ...(listed.length > 0 ? listed.flatMap((rule) => formatRule(rule, elsewhere)) : [NO_RULES]),
    ...(!all && elsewhere.length > 0
      ? ["", `${plural(elsewhere.length, "rule")} of other projects: --all shows them.`]
      : []),
    "",
    bannedLine(banned),
    `Commands: ${describeSandbox(sandbox)}`,
    ...(paths ? [`Log of decisions: ${paths.decisions}`] : []),
  ].join("\n");
}

const NO_RULES = "  None: what can change nothing runs unasked, all else asks.";

/** The end of stored rules. @throws {UsageError} there is no such rule, or the file cannot be changed */
export async function removePermissions(id: string, { store }: PermissionSources): Promise<string> {
  const stored = await store?.all() ?? [];
  const wanted = id === "all" ? stored : stored.filter((rule) => rule.id === id);
  if (wanted.length === 0) {
    // A file that cannot be read looks empty; to change it says what is wrong with it.
    await store?.remove([]);
    if (id === "all") return "There are no stored rules.";
    throw new UsageError(
      `There is no stored rule '${id}'. ally permissions list --all shows those there are; ` +
        "flags and configuration are changed where they stand.",
    );
  }
  const removed = await store?.remove(wanted.map((rule) => rule.id)) ?? [];
  return removed.map((rule) =>
    `Removed ${escapeControls(rule.text)} (${rule.scope === "user" ? "everywhere" : rule.project}).`
  ).join("\n");
}

async function listRulesElsewhere({ store, book }: PermissionSources): Promise<ListedRule[]> {
  const here = new Set((await book.list()).map(({ id }) => id));
  const others = (await store?.all() ?? []).filter(({ id }) => !here.has(id));
  return others.map((rule) => listStored(rule, book.changedFiles(rule)));
}

function formatRule(rule: ListedRule, others: readonly ListedRule[]): string[] {
  const { id = "", source, rule: text } = rule;
  return [
    `${id.padStart(3)}  ${source.padEnd(7)}  ${escapeControls(text)}`,
    ...detailLines(rule, { elsewhere: others.includes(rule) }).map((line) =>
      `${" ".repeat(14)}${escapeControls(line)}`
    ),
  ];
}

function bannedLine(banned: readonly string[]): string {
  const some = banned.length === 0 ? "" : `, such as ${banned.slice(0, 3).join(", ")}`;
  const count = plural(banned.length, "program");
  return `Never run: ${count}${escapeControls(some)} ("banned_commands" in ~/.ally/config.json).`;
}
