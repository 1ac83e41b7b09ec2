/**
 * The environment as it was when ally started, as far as Deno lets it be read. Read once, so that the permission
 * can be given up afterwards. Used by the composition root and by what starts it.
 */
import process from "node:process";

export interface Environment {
  get(name: string): string | undefined;
  toObject(): Record<string, string>;
}

/** What ally and its children need most: asked for by name where not all may be read. */
const NEEDED_NAMES = [
  "PATH",
  "HOME",
  "USERPROFILE",
  "ALLY_HOME",
  "ALLY_MODEL",
  "ALLY_MAX_PARALLEL",
  "ALLY_CONTEXT_SIZE",
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "LANG",
  "LC_ALL",
  "TERM",
  "TMPDIR",
  "USER",
];

/** Names that a child gets to see under `--deny-env`: without them hardly a program works. */
const MINIMAL_NAMES = [
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

/** Reads it; a variable that may not be read counts as not set. */
export function readEnvironment(): Environment {
  const given = readAll() ?? readNeeded();
  const values = new Map(Object.entries({ ...given, ...completePath(given.PATH ?? given.Path) }));
  return { get: (name) => values.get(name), toObject: () => Object.fromEntries(values) };
}

/**
 * Gives libraries a plain object for the environment where they may not read the real one: looking would throw
 * in the midst of them, or at a terminal make Deno ask.
 */
export function hideFromLibraries(): void {
  Object.defineProperty(process, "env", { value: {}, configurable: true });
}

/** Whether all of it may be read. */
export function mayReadEnvironment(): boolean {
  return Deno.permissions.querySync({ name: "env" }).state === "granted";
}

/** What is left of it for the children when the kind is denied. */
export function pickMinimalEnvironment(
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => MINIMAL_NAMES.includes(name)));
}

/** Where programs are if nobody says, as for shells; Deno's own shims alone are nobody. */
function completePath(given = ""): { PATH?: string } {
  if (Deno.build.os === "windows") return {};
  const said = given.split(":").filter((directory) => directory !== "");
  if (said.some((directory) => !directory.endsWith("/node_compat_bin"))) return {};
  return { PATH: [...said, "/usr/local/bin", "/usr/bin", "/bin"].join(":") };
}

function readAll(): Record<string, string> | undefined {
  try {
    return Deno.env.toObject();
  } catch {
    return undefined;
  }
}

function readNeeded(): Record<string, string> {
  return Object.fromEntries(NEEDED_NAMES.flatMap((name) => {
    const value = readOne(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

function readOne(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}

/** The environment of a run that keeps its files in a home of its own, and that no setting of ally changes. */
export function createIsolatedEnvironment(home: string) {
  const own = new Map([["ALLY_HOME", home]]);
  const hidden = /^(OPENAI_|ALLY_)/;
  return {
    get: (name: string) => own.get(name) ?? (hidden.test(name) ? undefined : Deno.env.get(name)),
    toObject: () => Deno.env.toObject(),
  };
}
