/**
 * Connects to a server as its entry says: a command line with its environment, in the OS sandbox if the entry asks for
 * it, or an address with the person's saved login.
 */
import { isAbsolute, join } from "node:path";
import { findProgram } from "../lib/find_program.ts";
import { withoutLoaders } from "../lib/process.ts";
import type { Connection, ConnectionOptions } from "./connection.ts";
import type { ServerContext } from "./context.ts";
import { expandVariables } from "./expand_variables.ts";
import type { ServerConfig, StdioConfig } from "./server_config.ts";
import type { StdioOptions } from "./stdio.ts";

/** Connects, and waits until the server is initialized. @throws {Error} why it cannot be used */
export async function connect(
  config: ServerConfig,
  { context, ...options }:
    & { context: ServerContext }
    & Omit<ConnectionOptions, "target" | "authProvider" | "version">,
): Promise<Connection> {
  const how = expandVariables(config, context.env);
  const { version } = context;
  const { Connection } = await import("./connection.ts");
  if (how.kind === "http") {
    const authProvider = await savedLoginProvider(config, { url: how.url, context });
    return await Connection.open({ ...options, version, target: how, authProvider });
  }
  const { source } = config;
  const start = await resolveCommand(how, { source, context, onLine: options.onLog });
  return await Connection.open({ ...options, version, target: { kind: "stdio", start } });
}

/** The login of a person who has logged in at the server. */
async function savedLoginProvider(
  config: ServerConfig,
  { url, context }: { url: string; context: ServerContext },
) {
  const { LoginFile } = await import("./login_file.ts");
  const file = new LoginFile(config, { url, directory: context.cacheDirectory });
  if (file.read().tokens === undefined) return undefined;
  const { createLoginProvider } = await import("./login_provider.ts");
  return createLoginProvider({ file });
}

/** What to start. @throws {Error} the program is not found, or the entry asks for a sandbox and there is none */
async function resolveCommand(
  { command, args, env, cwd = ".", sandbox }: StdioConfig,
  { source, context, onLine }: {
    source: ServerConfig["source"];
    context: ServerContext;
    onLine: (line: string) => void;
  },
): Promise<StdioOptions> {
  const directory = isAbsolute(cwd) ? cwd : join(context.cwd, cwd);
  const inherited = source === "project"
    ? context.childEnv
    : { ...context.childEnv, PATH: context.pathOutside };
  const given = { ...inherited, ...env };
  const program = await findProgram(command, { path: given.PATH ?? "", cwd: directory });
  if (program === undefined) {
    const outside = source === "project" ? "" : " outside of the project";
    throw new Error(
      command.includes("/")
        ? `there is no program at '${command}'; correct the path, or install it`
        : `there is no program '${command}' on PATH${outside}; install it, or name it by its path`,
    );
  }
  const argv = [program, ...args] as const;
  if (!sandbox) return { argv, cwd: directory, env: given, onLine };
  const sandboxed = await context.confine(argv, { cwd: directory, network: sandbox === "network" });
  const { argv: confined, done: onExit } = sandboxed;
  return { argv: confined, cwd: directory, env: withoutLoaders(given), onLine, onExit };
}
