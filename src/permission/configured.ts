/**
 * The key `permissions` of a configuration file, in the grammar of the flags: read, checked and made
 * rules. A project's file can only forbid.
 */
import { isAbsolute, join } from "node:path";
import { ACCESS_KINDS, type AccessKind } from "../core/access.ts";
import { UsageError } from "../core/errors.ts";
import type { Targets } from "../core/permission.ts";
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
 * @throws {UsageError} the object does not follow the grammar
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
      allow: refused ? {} : makeAbsolute(allow, options),
      deny: makeAbsolute(deny, options),
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

function makeAbsolute(lists: Lists, { cwd, home }: ConfiguredOptions): Lists {
  const path = (name: string) =>
    name === "~" || name.startsWith("~/")
      ? join(home, name.slice(1))
      : isAbsolute(name)
      ? name
      : join(cwd, name);
  return Object.fromEntries(
    Object.entries(lists).map(([kind, targets]) => [
      kind,
      targets === true || (kind !== "read" && kind !== "write") ? targets : targets.map(path),
    ]),
  );
}
