/**
 * `ally mcp login` and `ally mcp logout`: a person's login at a server over HTTP, in their browser. Loaded for these
 * commands alone.
 */
import { EXIT } from "../../app/exit_codes.ts";
import { onSignals } from "../../app/signals.ts";
import { UsageError } from "../../core/errors.ts";
import { messageOf } from "../../lib/text.ts";
import { expanded } from "../../mcp/expand.ts";
import { LoginFile } from "../../mcp/login_file.ts";
import type { HttpEntry, ServerEntry } from "../../mcp/server_config.ts";

/** Milliseconds that a person gets to log in. */
const PATIENCE = 300_000;

interface Options {
  /** Where what is known of servers lies. */
  readonly directory: string;
  /** ally's environment. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Logs in; the exit code. @throws {UsageError} nobody can be asked, or it failed */
export async function logInAt(
  entry: ServerEntry,
  { out, err, ...options }: Options & Record<"out" | "err", (line: string) => void>,
): Promise<number> {
  const { slug } = entry;
  const { how, file } = httpOf(entry, options);
  if (!Deno.stdin.isTerminal() || !Deno.stderr.isTerminal()) {
    throw new UsageError(
      `Cannot log in at ${slug}: nobody can be asked here. Run ally mcp login ${slug} in a terminal; ` +
        "its login then holds for runs without one too.",
    );
  }
  const { logIn } = await import("../../mcp/login.ts");
  const stop = new AbortController();
  using signals = onSignals({
    onSignal: () => stop.abort(new Error("it was interrupted")),
    onForced: () => {},
  });
  const late = setTimeout(
    () => stop.abort(new Error("nobody logged in for five minutes")),
    PATIENCE,
  );
  const onPage = (url: string) => {
    err(`Log in at ${slug} in your browser. If it does not open, go to:\n\n  ${url}\n`);
    openInBrowser(url);
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

/** Forgets the login; the sentence that says so. @throws {UsageError} it is no server over HTTP */
export async function logOutAt(entry: ServerEntry, options: Options): Promise<string> {
  const { file } = httpOf(entry, options);
  return await file.forget()
    ? `Forgot the login at ${entry.slug}.`
    : `There is no login at ${entry.slug}.`;
}

function httpOf(
  entry: ServerEntry,
  { directory, variables }: Options,
): { how: HttpEntry; file: LoginFile } {
  const how = expandedOrRefused(entry, variables);
  if (how.kind === "http") return { how, file: new LoginFile(entry, { url: how.url, directory }) };
  throw new UsageError(
    `${entry.slug} is a command: people log in at servers that have an address. It gets what it needs from its 'env'.`,
  );
}

function expandedOrRefused(entry: ServerEntry, variables: Options["variables"]) {
  try {
    return expanded(entry, variables);
  } catch (error) {
    throw new UsageError(`Cannot use ${entry.slug}: ${messageOf(error)}`, { cause: error });
  }
}

/** Opens a page where the system has a way to; without one, its address stands in the terminal. */
function openInBrowser(url: string): void {
  const [program, ...args] = OPENERS[Deno.build.os] ?? ["xdg-open"];
  try {
    new Deno.Command(program!, {
      args: [...args, url],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    })
      .spawn().unref();
  } catch {
    // The person opens it.
  }
}

const OPENERS: Readonly<Partial<Record<typeof Deno.build.os, readonly string[]>>> = {
  darwin: ["open"],
  windows: ["rundll32", "url.dll,FileProtocolHandler"],
};
