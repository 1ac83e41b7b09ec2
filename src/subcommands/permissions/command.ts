/**
 * The command line of `ally permissions`.
 */
import type { Command } from "commander";

/** What `ally permissions` is to do. */
export type PermissionsRequest =
  | { readonly what: "explain"; readonly command: string; readonly json: boolean }
  | { readonly what: "list"; readonly all: boolean; readonly json: boolean }
  | { readonly what: "remove"; readonly id: string };

/** Adds `permissions list|explain|remove`; `onRequest` gets what it is to do. */
export function addPermissionsCommand(
  program: Command,
  onRequest: (request: PermissionsRequest) => void,
): void {
  const permissions = program.command("permissions")
    .description("what ally may do, and why")
    .helpCommand(false);
  permissions.command("list")
    .description("every rule in force here: where it stands, what it covers, whether it holds")
    .option("--all", "the stored rules of all projects too")
    .option("--json", "one JSON object")
    .action(({ all = false, json = false }: { all?: boolean; json?: boolean }) =>
      onRequest({ what: "list", all, json })
    );
  permissions.command("explain")
    .description("judge a command without running it: its parts, its class, what decides")
    .argument("<COMMAND>", "the command as one word; - reads JSON strings, one a line")
    .option("--json", "one JSON object a command")
    .action((command: string, { json = false }: { json?: boolean }) =>
      onRequest({ what: "explain", command, json })
    );
  permissions.command("remove")
    .description("take back what Always stored")
    .argument("<ID>", "the number that list shows, or all")
    .action((id: string) => onRequest({ what: "remove", id }));
}
