/**
 * The command line of `ally hooks`.
 */
import type { Command } from "commander";

/** What `ally hooks` is to do. */
export type HooksRequest =
  | { readonly what: "list"; readonly json: boolean }
  | {
    readonly what: "test";
    readonly event: string;
    /** Fields of the event, as JSON. */
    readonly facts: string | undefined;
    readonly json: boolean;
  };

/** Adds `hooks list|test`; `onRequest` gets what it is to do. */
export function addHooksCommand(
  program: Command,
  onRequest: (request: HooksRequest) => void,
): void {
  const hooks = program.command("hooks")
    .description("your commands at certain moments of a session: which there are, and a try")
    .summary("hooks: which there are, and a try of them")
    .helpCommand(false);
  hooks.command("list")
    .description("every hook that acts here, in the order in which they run")
    .option("--json", "one JSON array")
    .action(({ json = false }: { json?: boolean }) => onRequest({ what: "list", json }));
  hooks.command("test")
    .description("run the hooks of an event with a sample of it, and show what they answer")
    .argument("<EVENT>", "session_start, prompt, before_tool, after_tool, stop, ...")
    .option("--with <JSON>", 'fields of the event: {"tool": "write", "paths": ["/x/a.ts"]}')
    .option("--json", "one JSON object")
    .action((event: string, own: { with?: string; json?: boolean }) =>
      onRequest({ what: "test", event, facts: own.with, json: own.json ?? false })
    );
}
