/**
 * The real process. The only file that asks Deno for the environment, directory, standard streams, terminal, signals
 * and exit, so that everything else can be called in a test. Node's modules are loaded where they are used: their import
 * would take longer than Deno's own start.
 */
import { createEnvironment, type Environment, NEEDED_NAMES } from "./environment.ts";
import type { PermissionName } from "./host_process.ts";
import type { InputStream, Io } from "./io.ts";

/** The process that ally was started in. */
export function systemIo(): Io {
  let env: Environment | undefined;
  return {
    // Read late: without --allow-env, Deno asks at the terminal for each variable.
    get env() {
      return env ??= readEnvironment();
    },
    proofs: new Map(),
    cwd: () => Deno.cwd(),
    stdin: createInput(),
    stdout: Deno.stdout,
    stderr: Deno.stderr,
    windowSize: () => Deno.consoleSize(),
    onSignal,
    suspend: (whom) => Deno.kill(whom === "group" ? 0 : Deno.pid, "SIGTSTP"),
    exit: (code) => Deno.exit(code),
    onExit: (cleanUp) => globalThis.addEventListener("unload", cleanUp),
    revokePermission,
    hideEnvironment,
  };
}

function createInput(): InputStream {
  return {
    isTerminal: () => Deno.stdin.isTerminal(),
    kind: kindOfInput,
    read: (buffer) => Deno.stdin.read(buffer),
    setRaw: (raw) => Deno.stdin.setRaw(raw),
  };
}

function kindOfInput(): ReturnType<InputStream["kind"]> {
  if (Deno.stdin.isTerminal()) return "none";
  try {
    const { isCharDevice, isSocket } = statInput();
    if (isCharDevice) return "none";
    return isSocket ? "socket" : "pipe";
  } catch {
    return "none";
  }
}

/** By its name, where the system has one and ally may look at it: `node:fs` takes long to load. */
function statInput(): { readonly isCharDevice: boolean | null; readonly isSocket: boolean | null } {
  try {
    return Deno.statSync("/dev/stdin");
  } catch {
    const stats = globalThis.process.getBuiltinModule("node:fs").fstatSync(0);
    return { isCharDevice: stats.isCharacterDevice(), isSocket: stats.isSocket() };
  }
}

function onSignal(name: Deno.Signal, listener: () => void): () => void {
  try {
    Deno.addSignalListener(name, listener);
  } catch {
    // Windows knows only some of them.
    return () => {};
  }
  return () => Deno.removeSignalListener(name, listener);
}

function revokePermission(name: PermissionName): void {
  const { state } = Deno.permissions.revokeSync({ name } as Deno.PermissionDescriptor);
  if (state === "granted") {
    throw new Error(`Cannot give up the permission "${name}": Deno still grants it.`);
  }
}

function hideEnvironment(): void {
  Object.defineProperty(globalThis.process, "env", { value: {}, configurable: true });
}

/** Reads it once, so that the permission can be given up. */
function readEnvironment(): Environment {
  const variables = readVariables();
  const { ALLY_HOME, HOME, USERPROFILE } = variables;
  return createEnvironment(ALLY_HOME || HOME || USERPROFILE ? variables : withHome(variables));
}

/** All variables, or the needed ones that may be read. */
function readVariables(): Record<string, string> {
  try {
    return Deno.env.toObject();
  } catch {
    const needed = NEEDED_NAMES.flatMap((name) => {
      const value = readVariable(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    hideEnvironment();
    return Object.fromEntries(needed);
  }
}

/** Adds the home from the system's list of users, for a process started without an environment. */
function withHome(variables: Record<string, string>): Record<string, string> {
  try {
    return { ...variables, HOME: globalThis.process.getBuiltinModule("node:os").homedir() };
  } catch {
    return variables;
  }
}

function readVariable(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch {
    return undefined;
  }
}
