/**
 * How a server is begun: a command line found, with its environment, in the OS sandbox if its entry wants that; an
 * address with who a person is there. Called by `server.ts`.
 */
import { isAbsolute, join } from "node:path";
import { findProgram } from "../lib/process.ts";
import type { Connection, ConnectionOptions } from "./connection.ts";
import type { ServerContext } from "./context.ts";
import { expandVariables } from "./expand_variables.ts";
import type { ServerConfig, StdioConfig } from "./server_config.ts";
import type { StdioOptions } from "./stdio.ts";

/** Begins it, and waits until it has introduced itself. @throws {Error} it cannot be used, and why */
export async function connect(
  config: ServerConfig,
  { around: context, ...options }:
    & { around: ServerContext }
    & Omit<ConnectionOptions, "target" | "authProvider" | "version">,
): Promise<Connection> {
  const how = expandVariables(config, context.env);
  const { version } = context;
  const { Connection } = await import("./connection.ts");
  if (how.kind === "http") {
    const authProvider = await savedLoginProvider(config, { url: how.url, around: context });
    return await Connection.open({ ...options, version, target: how, authProvider });
  }
  const start = await resolveCommand(how, { around: context, onLine: options.onLog });
  return await Connection.open({ ...options, version, target: { kind: "stdio", start } });
}

/** Who a person is at a server, if they have logged in. */
async function savedLoginProvider(
  config: ServerConfig,
  { url, around: context }: { url: string; around: ServerContext },
) {
  const { LoginFile } = await import("./login_file.ts");
  const file = new LoginFile(config, { url, directory: context.cacheDirectory });
  if ((await file.read()).tokens === undefined) return undefined;
  const { createLoginProvider } = await import("./login_provider.ts");
  return createLoginProvider({ file });
}

/** What to start. @throws {Error} the program is not found, or there is no sandbox though the entry wants one */
async function resolveCommand(
  { command, args, env, cwd = ".", sandbox }: StdioConfig,
  { around: context, onLine }: { around: ServerContext; onLine: (line: string) => void },
): Promise<StdioOptions> {
  const directory = isAbsolute(cwd) ? cwd : join(context.cwd, cwd);
  const given = { ...context.childEnv, ...env };
  const program = await findProgram(command, { path: given.PATH ?? "", cwd: directory });
  if (program === undefined) {
    throw new Error(`there is no program '${command}' on PATH; install it, or name it by its path`);
  }
  const argv = [program, ...args] as const;
  if (!sandbox) return { argv, cwd: directory, env: given, onLine };
  const held = await context.confine(argv, { cwd: directory, network: sandbox === "network" });
  const all = { ...given, ...held.env };
  return { argv: held.argv, cwd: directory, env: all, onLine, onExit: held.done };
}
