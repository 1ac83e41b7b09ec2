/**
 * The environment in which commands run: what of ally's own they see, and whether bash is there to run them.
 */
import { findOwnProgram, SYSTEM_PATH } from "../lib/find_program.ts";
import { findSecretVariables } from "../secrets/find.ts";

/** ally's own settings: hidden from children unless a rule shows them. */
const OWN_VARIABLES = /^(?:OPENAI|ALLY)_/i;

/** What leads to the network, which the sandbox hides without it; nothing gets there by another way. */
const PROXY = /(?:^|_)proxy$/i;

/** Never passed to children, because they change how bash reads a text. */
const READ_BY_BASH = /^BASH_FUNC_|^(?:BASH_ENV|ENV|BASHOPTS|SHELLOPTS|PS4|CDPATH|GLOBIGNORE)$/i;

/** Settings of git that variables give, each by its name and its value, with their number. */
const GIT_SETTINGS = /^GIT_CONFIG_(?:COUNT|(?:KEY|VALUE)_\d+)$/;
/** Those that may hold a secret: a header, or an address with a login. */
const SECRET_SETTING = /extraheader|cookie|token|passw|helper|proxy|^url\.|\.(?:push)?url$/i;

/** Keeps programs from paging, colouring, prompting and buffering their output. */
const NON_INTERACTIVE = {
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  NO_COLOR: "1",
  PYTHONUNBUFFERED: "1",
};

/** Whether a rule shows or hides a variable; undefined if no rule names it. */
type VariableRule = (name: string) => boolean | undefined;

/** The environment of a child that nobody sees. */
export function childEnvironment(
  env: Readonly<Record<string, string>>,
  variableRule?: VariableRule,
): Record<string, string> {
  return { ...foregroundEnvironment(env, variableRule), ...NON_INTERACTIVE };
}

/** The environment of a child that has the terminal. */
export function foregroundEnvironment(
  env: Readonly<Record<string, string>>,
  variableRule: VariableRule = () => undefined,
): Record<string, string> {
  const secret = findSecretVariables(env);
  const isHidden = (name: string) =>
    secret.has(name) && !PROXY.test(name) || OWN_VARIABLES.test(name);
  const isShown = (name: string) => variableRule(name) ?? !isHidden(name);
  const allowed = Object.entries(env)
    .filter(([name]) => !READ_BY_BASH.test(name) && !GIT_SETTINGS.test(name) && isShown(name))
    .map(([name, value]) => [name, name === "PATH" ? keepAbsoluteDirectories(value) : value]);
  const isSettingShown = (variable: string, key: string) =>
    variableRule(variable) ?? !(SECRET_SETTING.test(key) || secret.has(variable));
  return { ...Object.fromEntries(allowed), ...gitSettings(env, isSettingShown) };
}

/** The settings of git among the variables: numbered anew, as one that is missing would end every git. */
function gitSettings(
  env: Readonly<Record<string, string>>,
  isShown: (variable: string, key: string) => boolean,
): Record<string, string> {
  const count = Number(/^\d{1,4}$/.exec(env.GIT_CONFIG_COUNT ?? "")?.[0] ?? 0);
  const shown = Array.from({ length: count }, (_, at) => at).flatMap((at) => {
    const [key, variable] = [env[`GIT_CONFIG_KEY_${at}`], `GIT_CONFIG_VALUE_${at}`];
    const value = env[variable];
    if (key === undefined || value === undefined) return [];
    return isShown(variable, key) ? [{ key, value }] : [];
  });
  if (shown.length === 0) return {};
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(shown.length)],
    ...shown.flatMap(({ key, value }, at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ]);
}

/** What a program of the system gets that was judged by its arguments: nothing that tells it to do more. */
export function plainEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => /^(LANG|LC_\w+|TERM|TZ)$/.test(name));
  return { ...Object.fromEntries(kept), PATH: SYSTEM_PATH, NO_COLOR: "1" };
}

/** Relative directories of PATH would name other programs in each directory. */
function keepAbsoluteDirectories(path: string): string {
  if (Deno.build.os === "windows") return path;
  return path.split(":").filter((directory) => directory.startsWith("/")).join(":") || SYSTEM_PATH;
}

/** Directories in which programs are looked for, as `PATH` has them. */
export function searchPath(env: Readonly<Record<string, string>>): string {
  return env.PATH ?? env.Path ?? SYSTEM_PATH;
}

/** The bash that runs commands, never one of the workspace; the system's where Deno may not look. */
export function findBash(
  env: Readonly<Record<string, string>>,
  roots: readonly string[],
): string | undefined {
  try {
    return findOwnProgram("bash", { path: searchPath(env), roots });
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return "/bin/bash";
    throw error;
  }
}
