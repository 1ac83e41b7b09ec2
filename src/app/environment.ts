/**
 * The environment of a run, and what of it children get to see.
 */
import { SETTING_TABLE } from "../store/settings_table.ts";

export interface Environment {
  get(name: string): string | undefined;
  toObject(): Record<string, string>;
}

/** What ally and its children need most: asked for by name where not all may be read. */
export const NEEDED_NAMES: readonly string[] = [
  "PATH",
  "HOME",
  "USERPROFILE",
  "ALLY_HOME",
  "OPENAI_API_KEY",
  ...[...SETTING_TABLE.values()].flatMap(({ variable }) => variable ?? []),
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TERM",
  "COLORTERM",
  "NO_COLOR",
  "TMPDIR",
  "USER",
];

/** Names that a child gets to see under `--deny-env`: without them hardly a program works. */
const MINIMAL_NAMES: readonly string[] = [
  "PATH",
  "HOME",
  "USERPROFILE",
  "SYSTEMROOT",
  "LANG",
  "LC_ALL",
  "TERM",
  "TMPDIR",
  "USER",
];

/** An environment of these values, with a PATH in any case. */
export function createEnvironment(given: Readonly<Record<string, string>>): Environment {
  const values = new Map(Object.entries({ ...given, ...completePath(given.PATH ?? given.Path) }));
  return { get: (name) => values.get(name), toObject: () => Object.fromEntries(values) };
}

/** What is left of it for the children when the kind is denied. */
export function pickMinimalEnvironment(
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => MINIMAL_NAMES.includes(name)));
}

/** The environment of a run that keeps its files in a home of its own, and that no setting of ally changes. */
export function createIsolatedEnvironment(env: Environment, home: string): Environment {
  const hidden = /^(OPENAI_|ALLY_)/;
  return {
    get: (name) => name === "ALLY_HOME" ? home : hidden.test(name) ? undefined : env.get(name),
    toObject: () => env.toObject(),
  };
}

/** Where programs are if nobody says, as for shells; Deno's own shims alone do not count. */
function completePath(given = ""): { PATH?: string } {
  if (Deno.build.os === "windows") return {};
  const said = given.split(":").filter((directory) => directory !== "");
  if (said.some((directory) => !directory.endsWith("/node_compat_bin"))) return {};
  return { PATH: [...said, "/usr/local/bin", "/usr/bin", "/bin"].join(":") };
}
