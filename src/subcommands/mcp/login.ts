/**
 * `ally mcp login` and `ally mcp logout`: a person's login to a server over HTTP, in their browser.
 */
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import { watchSignals } from "../../app/signals.ts";
import { UsageError } from "../../core/errors.ts";
import { findOwnProgram, trustedPath } from "../../lib/find_program.ts";
import { messageOf } from "../../lib/text.ts";
import { expandVariables } from "../../mcp/expand_variables.ts";
import { LoginFile } from "../../mcp/login_file.ts";
import type { HttpConfig, ServerConfig } from "../../mcp/server_config.ts";

/** Milliseconds for a person to log in. */
const LOGIN_TIMEOUT_MS = 300_000;

interface LoginOptions {
  /** The directory of each server's files. */
  readonly directory: string;
  /** ally's environment. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Logs in and returns the exit code. @throws {UsageError} there is no terminal, or it failed */
export async function logInAt(
  config: ServerConfig,
  { out, err, io, ...options }: LoginOptions & Record<"out" | "err", (line: string) => void> & {
    readonly io: Io;
  },
): Promise<number> {
  const { slug } = config;
  const { how, file } = httpOf(config, options);
  if (!io.stdin.isTerminal() || !io.stderr.isTerminal()) {
    throw new UsageError(
      `Cannot log in at ${slug}: nobody can be asked here. Run ally mcp login ${slug} in a terminal; ` +
        "its login then holds for runs without one too.",
    );
  }
  const { logIn } = await import("../../mcp/login.ts");
  const stop = new AbortController();
  using signals = watchSignals(io, {
    onSignal: () => stop.abort(new Error("it was interrupted")),
    onForced: () => {},
  });
  const late = setTimeout(
    () => stop.abort(new Error("nobody logged in for five minutes")),
    LOGIN_TIMEOUT_MS,
  );
  const onPage = (url: string) => {
    err(`Log in at ${slug} in your browser. If it does not open, go to:\n\n  ${url}\n`);
    openInBrowser(url, { env: options.variables, cwd: io.cwd() });
  };
  try {
    await logIn(how, { file, onPage, signal: stop.signal });
  } catch (error) {
    if (signals.exitCode !== undefined) {
      err("ally: Interrupted: nobody is logged in.");
      return signals.exitCode;
    }
    const why = messageOf(error).replace(/\.$/, "");
    throw new UsageError(`Cannot log in at ${slug}: ${why}.`, { cause: error });
  } finally {
    clearTimeout(late);
  }
  out(`Logged in at ${slug}. Try it with: ally mcp test ${slug}`);
  return EXIT.done;
}

/** Forgets the login and returns a sentence that says so. @throws {UsageError} the server is a command */
export async function logOutAt(config: ServerConfig, options: LoginOptions): Promise<string> {
  const { file } = httpOf(config, options);
  return await file.remove()
    ? `Forgot the login at ${config.slug}.`
    : `There is no login at ${config.slug}.`;
}

function httpOf(
  config: ServerConfig,
  { directory, variables }: LoginOptions,
): { how: HttpConfig; file: LoginFile } {
  const how = expandEntry(config, variables);
  if (how.kind === "http") return { how, file: new LoginFile(config, { url: how.url, directory }) };
  throw new UsageError(
    `${config.slug} is a command, and only servers with a URL have a login. Give it what it needs in its 'env'.`,
  );
}

function expandEntry(config: ServerConfig, variables: LoginOptions["variables"]) {
  try {
    return expandVariables(config, variables);
  } catch (error) {
    throw new UsageError(`Cannot use ${config.slug}: ${messageOf(error)}`, { cause: error });
  }
}

/** Opens a page in a browser, if the system can; its address is in the terminal anyway. */
function openInBrowser(
  url: string,
  { env, cwd }: { env: LoginOptions["variables"]; cwd: string },
): void {
  const [program, ...args] = OPENERS[Deno.build.os] ?? ["xdg-open"];
  try {
    const where = { path: env.PATH ?? "", roots: [cwd] };
    const found = findOwnProgram(program!, where);
    if (found === undefined) return;
    new Deno.Command(found, {
      args: [...args, url],
      // It is a script that looks for browsers by their names.
      env: { ...env, PATH: trustedPath(where) },
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    })
      .spawn().unref();
  } catch {
    // The person opens it themselves.
  }
}

const OPENERS: Readonly<Partial<Record<typeof Deno.build.os, readonly string[]>>> = {
  darwin: ["open"],
  windows: ["rundll32", "url.dll,FileProtocolHandler"],
};
