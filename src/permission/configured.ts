/**
 * The key `permissions` of a configuration file, in the grammar of the flags: read, checked and made
 * rules. A project's file can only forbid. The paths of flags are resolved as those of files are.
 */
import { dirname, join, relative, resolve } from "node:path";
import { ACCESS_KINDS, type AccessKind } from "../core/access.ts";
import { UsageError } from "../core/errors.ts";
import type { Targets } from "../core/permission.ts";
import { exists } from "../lib/fs.ts";
import { isObject, violations } from "../lib/schema.ts";
import type { Rules } from "./rules.ts";

const LISTS = {
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(ACCESS_KINDS.map((kind) => [kind, {
    anyOf: [
      { const: true },
      // The network is named by hosts: an address would never match one.
      {
        type: "array",
        items: { type: "string", minLength: 1, ...kind === "net" && { pattern: "^(?!.*://)" } },
      },
    ],
  }])),
} as const;

const EXAMPLE = '{"allow": {"run": ["git status"], "write": true}, "deny": {"net": true}}';

/** Where the object stands and what its paths are relative to. */
interface ConfiguredOptions {
  readonly source: "config" | "project";
  /** The file as people know it, such as `~/.ally/config.json`. */
  readonly file: string;
  /** Absolute; relative paths begin here. */
  readonly cwd: string;
  /** Absolute, for paths that begin with `~/`; "" if it is not known. */
  readonly home: string;
}

/**
 * Rules of a `permissions` object; paths are absolute, not yet canonical. What a project's file allows is
 * left out with a warning.
 * @throws {UsageError} the object does not follow the grammar, or names paths that mean nothing
 */
export function readConfiguredRules(
  value: unknown,
  options: ConfiguredOptions,
): { rules: Rules; warnings: readonly string[] } {
  const { source, file } = options;
  const { allow = {}, deny = {} } = readRuleLists(value, `Cannot use ${file}`);
  const refused = source === "project" && Object.keys(allow).length > 0;
  return {
    rules: {
      allow: refused ? {} : makeAbsolute(allow, { ...options, verb: "allow" }),
      deny: makeAbsolute(deny, { ...options, verb: "deny" }),
      allowAll: false,
      source,
      file,
    },
    warnings: refused
      ? [
        `${file}: 'permissions.allow' is ignored: a project may only forbid. ` +
        "Put it into your own ~/.ally/config.json, or answer Always when asked.",
      ]
      : [],
  };
}

type Lists = Partial<Record<AccessKind, Targets>>;

/** The lists of a `permissions` object. @throws {UsageError} with `failure`: it does not follow the grammar */
export function readRuleLists(value: unknown, failure: string): { allow?: Lists; deny?: Lists } {
  const refuse = (what: string): never => {
    throw new UsageError(
      `${failure}: ${what}. It must be like ${EXAMPLE}, with the kinds ${
        ACCESS_KINDS.join(", ")
      } and true or a list of names for each.`,
    );
  };
  if (!isObject(value)) return refuse("'permissions' is not an object");
  for (const [verb, lists] of Object.entries(value)) {
    if (verb !== "allow" && verb !== "deny") {
      refuse(`'permissions.${verb}' is neither allow nor deny`);
    }
    if (!isObject(lists)) return refuse(`'permissions.${verb}' is not an object`);
    for (const [kind, targets] of Object.entries(lists)) {
      if (violations(LISTS, { [kind]: targets }).length > 0) {
        refuse(`'permissions.${verb}.${kind}' is ${JSON.stringify(targets)}`);
      }
    }
  }
  return value;
}

function makeAbsolute(
  lists: Lists,
  { verb, file, ...from }: ConfiguredOptions & { readonly verb: "allow" | "deny" },
): Lists {
  return Object.fromEntries(
    Object.entries(lists).map(([kind, targets]) => {
      const list = `${file}: 'permissions.${verb}.${kind}'`;
      return [
        kind,
        targets === true || (kind !== "read" && kind !== "write")
          ? targets
          : resolvePathTargets(targets, { ...from, list }),
      ];
    }),
  );
}

/** Where names begin, and what names them. */
interface PathTargetOptions {
  /** Absolute; relative paths begin here. */
  readonly cwd: string;
  /** Absolute, for `~` and `~/`; "" if it is not known. */
  readonly home: string;
  /** The list as people know it, such as `--deny-read`. */
  readonly list: string;
}

/**
 * The absolute paths that names of a list mean.
 * @throws {UsageError} one holds what is not expanded here, and nothing is called so
 */
export function resolvePathTargets(
  names: readonly string[],
  { cwd, home, list }: PathTargetOptions,
): string[] {
  return names.map((name) => {
    const isHome = name === "~" || name.startsWith("~/");
    const path = resolve(cwd, isHome ? join(home, name.slice(1)) : name);
    const problem = isHome && home === ""
      ? "no home directory is known, as HOME is not set. Write the whole path."
      : findProblem(name, missingPart(path, cwd));
    if (problem !== undefined) {
      throw new UsageError(`${list} cannot name ${JSON.stringify(name)}: ${problem}`);
    }
    return path;
  });
}

/** Why nothing will be at a path of which this part is not there. */
function findProblem(name: string, missing: string): string | undefined {
  if (/[*?[\]{}$]/.test(missing)) {
    return "nothing is called so, and neither patterns nor variables are expanded in it. " +
      "Name files and directories: a directory covers all below it.";
  }
  if (/^~/.test(name) && /^~/.test(missing)) {
    return "nothing is called so, and only ~ and ~/ stand for a home. Write the whole path.";
  }
  // One letter is a drive.
  const scheme = /^[a-z][a-z\d+.-]+:/i;
  return scheme.test(name) && scheme.test(missing)
    ? "nothing is called so, and an address is no path. Write the path of the file or directory."
    : undefined;
}

/** What of a path is not there, from the first missing part on; "" if all of it is. The working directory counts as there. */
function missingPart(path: string, cwd: string): string {
  let there = path;
  while (there !== cwd && !exists(there) && dirname(there) !== there) there = dirname(there);
  return relative(there, path);
}
