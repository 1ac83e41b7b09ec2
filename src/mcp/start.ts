/**
 * How a server is begun: a command line found, with its environment, in the OS sandbox if its entry wants that; an
 * address with who a person is there. Called by `server.ts`.
 */
import { isAbsolute, join } from "node:path";
import { findProgram } from "../lib/process.ts";
import type { Connection, ConnectionOptions } from "./connection.ts";
import type { Surroundings } from "./context.ts";
import { expanded } from "./expand.ts";
import type { ServerEntry, StdioEntry } from "./server_config.ts";
import type { StdioOptions } from "./stdio.ts";

/** Begins it, and waits until it has introduced itself. @throws {Error} it cannot be used, and why */
export async function connect(
  entry: ServerEntry,
  { around, ...options }:
    & { around: Surroundings }
    & Omit<ConnectionOptions, "to" | "authProvider" | "version">,
): Promise<Connection> {
  const how = expanded(entry, around.variables);
  const { version } = around;
  const { Connection } = await import("./connection.ts");
  if (how.kind === "http") {
    const authProvider = await knownLogin(entry, { url: how.url, around });
    return await Connection.open({ ...options, version, to: how, authProvider });
  }
  const start = await startOf(how, { around, onLine: options.onLog });
  return await Connection.open({ ...options, version, to: { kind: "stdio", start } });
}

/** Who a person is at a server, if they have logged in. */
async function knownLogin(
  entry: ServerEntry,
  { url, around }: { url: string; around: Surroundings },
) {
  const { LoginFile } = await import("./login_file.ts");
  const file = new LoginFile(entry, { url, directory: around.memoryDirectory });
  if ((await file.read()).tokens === undefined) return undefined;
  const { loginProvider } = await import("./login_provider.ts");
  return loginProvider({ file });
}

/** What to start. @throws {Error} the program is not found, or there is no sandbox though the entry wants one */
async function startOf(
  { command, args, env, cwd = ".", sandbox }: StdioEntry,
  { around, onLine }: { around: Surroundings; onLine: (line: string) => void },
): Promise<StdioOptions> {
  const directory = isAbsolute(cwd) ? cwd : join(around.cwd, cwd);
  const given = { ...around.childVariables, ...env };
  const program = await findProgram(command, { path: given.PATH ?? "", cwd: directory });
  if (program === undefined) {
    throw new Error(`there is no program '${command}' on PATH; install it, or name it by its path`);
  }
  const argv = [program, ...args] as const;
  if (!sandbox) return { argv, cwd: directory, env: given, onLine };
  const held = await around.confine(argv, { cwd: directory, network: sandbox === "network" });
  const all = { ...given, ...held.env };
  return { argv: held.argv, cwd: directory, env: all, onLine, onGone: held.done };
}
