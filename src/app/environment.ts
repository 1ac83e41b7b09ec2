/**
 * The environment of a run, and the part of it that child processes get.
 */
import { SETTING_TABLE } from "../store/settings_table.ts";

/** Environment variables, as far as they may be read. */
export interface Environment {
  /** The value of a variable, if it is set. */
  get(name: string): string | undefined;
  /** All variables. */
  toObject(): Record<string, string>;
}

/** Variables that ally and its children need most; read one by one where Deno does not allow all. */
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

/** Variables that a child still gets under `--deny-env`: few programs work without them. */
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

/** Makes an environment of these values; without a PATH it gets the one that shells assume. */
export function createEnvironment(given: Readonly<Record<string, string>>): Environment {
  const values = new Map(Object.entries({ ...given, ...completePath(given.PATH ?? given.Path) }));
  return { get: (name) => values.get(name), toObject: () => Object.fromEntries(values) };
}

/** The part that children get when the kind is denied. */
export function pickMinimalEnvironment(
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => MINIMAL_NAMES.includes(name)));
}

/** The environment of a run with its own home, without any variable that sets up ally. */
export function createIsolatedEnvironment(env: Environment, home: string): Environment {
  const hidden = /^(OPENAI_|ALLY_)/;
  return {
    get: (name) => name === "ALLY_HOME" ? home : hidden.test(name) ? undefined : env.get(name),
    toObject: () => env.toObject(),
  };
}

/** The system's directories where PATH names none; a directory of Deno's own shims does not count. */
function completePath(given = ""): { PATH?: string } {
  if (Deno.build.os === "windows") return {};
  const directories = given.split(":").filter((directory) => directory !== "");
  if (directories.some((directory) => !directory.endsWith("/node_compat_bin"))) return {};
  return { PATH: [...directories, "/usr/local/bin", "/usr/bin", "/bin"].join(":") };
}
