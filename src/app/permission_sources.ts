/**
 * Everything that allows or denies in one run, gathered from flags, configuration and stored rules. Runs and
 * the subcommand `permissions` gather it here, so that what is explained is what decides.
 */
import type { PathFacts } from "../core/path_facts.ts";
import type { Targets } from "../core/permission.ts";
import { readConfiguredRules } from "../permission/configured.ts";
import { contains } from "../lib/contains.ts";
import type { SecretPlace } from "../core/secret_places.ts";
import { realPathOrSame } from "../lib/fs.ts";
import { RuleBook } from "../permission/rule_book.ts";
import type { Rules } from "../permission/rules.ts";
import { targetsDeniedByName } from "../permission/sandbox_policy.ts";
import { findSecretFiles } from "../sandbox/secret_files.ts";
import type { IsHidden } from "../store/project_file.ts";
import { PermissionStore } from "../store/permissions.ts";
import { createPathFacts } from "../workspace/path_facts.ts";
import type { Roots } from "../workspace/paths.ts";

/** What decides, before anything is judged. */
export interface PermissionSources {
  /** The flags. */
  readonly rules: Rules;
  /** Rules of configuration files. */
  readonly configured: readonly Rules[];
  readonly pathFacts: PathFacts;
  readonly book: RuleBook;
  /** The file of stored rules; absent where nothing is stored. */
  readonly store?: PermissionStore;
  /** What was left out of the configuration, and why, and what flags deny that is not there. */
  readonly warnings: readonly string[];
}

/** The key `permissions` of one configuration file. */
interface ConfiguredPermissions {
  readonly source: "config" | "project";
  /** Path of the file. */
  readonly path: string;
  /** As it was read; undefined if the file has no such key. */
  readonly value: unknown;
}

/** Where permissions come from. */
interface GatherOptions {
  readonly rules: Rules;
  /** The user's configuration, then that of a trusted project. */
  readonly files: readonly ConfiguredPermissions[];
  /** Absolute and canonical; the working directory is the project. */
  readonly cwd: string;
  /** Where the workspace is; looked at again for each judgement. */
  readonly roots: Roots;
  /** Path of the file of stored rules; absent where nothing is stored. */
  readonly storedPath: string | undefined;
  /** The user's home, or "". */
  readonly home: string;
  /** ally's own files. */
  readonly allyHome: string;
  /** Folders of skills, canonical. @default none */
  readonly skills?: readonly string[];
  /** The environment of commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Where variables say that secret places are. */
  readonly named: readonly SecretPlace[];
  /** Whether a text holds what must not be stored. @default nothing does */
  readonly isSecret?: (text: string) => boolean;
  readonly onProblem: (message: string) => void;
}

/** @throws {UsageError} the configuration's `permissions` do not follow the grammar */
export function gatherPermissions(options: GatherOptions): PermissionSources {
  const { cwd, home, skills, env, named, files, storedPath, onProblem } = options;
  const allyHome = realPathOrSame(options.allyHome);
  const pathFacts = createPathFacts({
    roots: options.roots,
    home,
    allyHome,
    ...skills && { skills },
    env,
    named,
  });
  const configured = files.filter(({ value }) => value !== undefined)
    .map(({ source, path, value }) =>
      readConfiguredRules(value, { source, file: shortenPath(path, home), cwd, home })
    );
  const store = storedPath === undefined
    ? undefined
    : new PermissionStore({ path: storedPath, project: cwd, onProblem });
  const rules = canonicalizeRules(options.rules, pathFacts);
  return {
    rules,
    configured: configured.map(({ rules }) => canonicalizeRules(rules, pathFacts)),
    pathFacts,
    book: new RuleBook({ pathFacts, store, isSecret: options.isSecret }),
    ...(store && { store }),
    warnings: [
      ...configured.flatMap(({ warnings }) => warnings),
      ...describeAbsent(rules, pathFacts),
    ],
  };
}

/** What flags deny and is not there, which may be a slip. A configuration is for many places: there it is none. */
function describeAbsent({ deny }: Rules, { exists }: PathFacts): string[] {
  const absent = (["read", "write"] as const).flatMap((kind) => {
    const targets = deny[kind];
    const paths = Array.isArray(targets) ? targets.filter((path) => !exists(path)) : [];
    return paths.length === 0 ? [] : [`--deny-${kind}=${paths.join(",")}`];
  });
  return absent.length === 0 ? [] : [
    `${absent.join(" ")}: nothing is there yet. It stays denied if it comes to be; if it should ` +
    "be there, look for a slip in its name.",
  ];
}

/** What a project's own files may not lead to: what the user's rules keep from being read, and secrets. */
export function findHidden(
  { rules, permissions, cwd, ...places }:
    & Pick<GatherOptions, "rules" | "cwd" | "home" | "allyHome" | "named">
    & {
      /** The key `permissions` of the user's configuration. */
      readonly permissions: unknown;
    },
): IsHidden {
  const homes = { ...places, allyHome: realPathOrSame(places.allyHome), roots: () => [cwd] };
  const read = () => {
    const how = { source: "config", file: "config.json", cwd, home: homes.home } as const;
    const configured = permissions === undefined
      ? []
      : [readConfiguredRules(permissions, how).rules];
    return targetsDeniedByName("read", [rules, ...configured]).map(realPathOrSame);
  };
  let denied: readonly string[] | undefined;
  return (real, { isLinked }) =>
    (denied ??= read()).some((path) => contains(path, real)) ||
    isLinked && findSecretFiles(homes).some(({ path }) => contains(path, real));
}

/** A path below the user's home with `~`. */
function shortenPath(path: string, home: string): string {
  return home !== "" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** Paths in rules are compared with canonical ones, so they are made canonical too. */
function canonicalizeRules(rules: Rules, pathFacts: PathFacts): Rules {
  const resolved = (targets: Targets | undefined): Targets | undefined =>
    targets === undefined || targets === true
      ? targets
      : targets.map((path) => pathFacts.locate(path).absolute);
  const each = (lists: Rules["allow"]): Rules["allow"] => {
    const read = resolved(lists.read);
    const write = resolved(lists.write);
    return { ...lists, ...(read && { read }), ...(write && { write }) };
  };
  return { ...rules, allow: each(rules.allow), deny: each(rules.deny) };
}

/** The rule that allows reading the outputs that ally saves for the model; lists of rules leave it out. */
export function createReadRule(directory: string): Rules {
  return { source: "ally", allow: { read: [directory] }, deny: {}, allowAll: false };
}
