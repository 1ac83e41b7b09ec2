/**
 * The command line of `ally mcp`.
 */
import { type Command, InvalidArgumentError } from "commander";

/** A server to add, as in `mcp.json`. */
export interface McpAddition {
  readonly name: string;
  /** A command with its arguments, or a URL. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeout?: number;
  /** Into the project's file instead of the user's. */
  readonly project: boolean;
  readonly force: boolean;
}

/** What `ally mcp` is to do. */
export type McpRequest =
  | ({ readonly what: "add" } & McpAddition)
  | { readonly what: "list"; readonly json: boolean }
  | { readonly what: "remove" | "approve" | "login" | "logout"; readonly name: string }
  | { readonly what: "test"; readonly name: string; readonly json: boolean };

/** Adds `mcp add|list|remove|test|approve|login|logout|serve`. */
export function addMcpCommand(
  program: Command,
  { onRequest, onServe }: {
    onRequest: (request: McpRequest) => void;
    /** Gets the names of the tools to serve, if some are named. */
    onServe: (request: { readonly tools?: readonly string[] }) => void;
  },
): void {
  const mcp = program.command("mcp")
    .description("servers that bring tools (Model Context Protocol)")
    .summary("servers that bring tools (MCP)")
    .helpCommand(false);
  defineAdd(mcp.command("add"), onRequest);
  mcp.command("list")
    .description("list the servers: their address, their tools, what waits for approval")
    .option("--json", "one JSON object")
    .action(({ json = false }: { json?: boolean }) => onRequest({ what: "list", json }));
  mcp.command("test")
    .description("start a server, list its tools, show how long it took")
    .argument("<NAME>")
    .option("--json", "one JSON object")
    .action((name: string, { json = false }: { json?: boolean }) =>
      onRequest({ what: "test", name, json })
    );
  for (
    const [what, description] of [
      ["approve", "approve a server whose entry or tools changed, as it is now"],
      ["login", "log in to a server over HTTP, in a browser"],
      ["logout", "forget the login to a server"],
      ["remove", "remove a server from its file"],
    ] as const
  ) {
    mcp.command(what).description(description).argument("<NAME>")
      .action((name: string) => onRequest({ what, name }));
  }
  mcp.command("serve")
    .description("serve ally's own tools to another agent, over standard input and output")
    .option("--tools <NAMES>", "only these, with commas between")
    .addHelpText("after", SERVE_FOOTER)
    .action(({ tools }: { tools?: string }) => {
      const named = tools?.split(",").map((name) => name.trim()).filter((name) => name !== "");
      onServe({ ...named && { tools: named } });
    });
}

const SERVE_FOOTER = `
The tools work in the current directory (-C DIR, --add-dir DIR), under the same
permissions, sandbox, undo and masking as anywhere. Where the client can ask a
person, it asks; where not, the flags decide, as with -p.

Examples:
  ally mcp serve --allow-write --allow-run=deno
  ally mcp serve --tools read,grep,glob,ls`;

/** The options of a server, as commander collects them. */
interface AddValues extends Partial<Omit<McpAddition, "headers">> {
  readonly header?: McpAddition["headers"];
}

function defineAdd(command: Command, onRequest: (request: McpRequest) => void): void {
  command
    .description("add a server: a command after --, or a URL")
    .argument("<NAME>", "its name; its tools are called NAME__tool")
    .argument("[WORDS...]", "-- COMMAND ARGS, or the URL of a server")
    .option(
      "--env <KEY=VALUE>",
      "a variable for the command; ${NAME} stands for one of yours",
      pairParser("="),
    )
    .option("--header <NAME: VALUE>", "a header for the URL", pairParser(":"))
    .option("--timeout <SECONDS>", "the limit of one call (60)", parseSeconds)
    // Parsed by the program's own option of this name; listed here for the help.
    .option("--sandbox", "run the command in the OS sandbox, without network")
    .option("--project", "add it to .ally/mcp.json of this directory, for all who work on it")
    .option("--force", "replace a server of the same name")
    .action((name: string, words: string[], values: AddValues) => {
      const { env = {}, header: headers = {}, project = false, force = false, timeout } = values;
      const limit = timeout === undefined ? {} : { timeout };
      onRequest({ what: "add", name, words, env, headers, project, force, ...limit });
    });
}

function pairParser(separator: string) {
  return (text: string, before: Readonly<Record<string, string>> = {}) => {
    const at = text.indexOf(separator);
    if (at < 1) throw new InvalidArgumentError(`It must be like NAME${separator}VALUE.`);
    return { ...before, [text.slice(0, at).trim()]: text.slice(at + 1).trim() };
  };
}

function parseSeconds(text: string): number {
  const number = Number(text);
  if (text !== "" && number >= 1 && number < 1000) return number;
  throw new InvalidArgumentError("It must be a number of seconds from 1 to 999.");
}
