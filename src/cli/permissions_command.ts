/**
 * The subcommand `permissions` of the command line: what may be given. `permissions.ts` does it.
 */
import type { Command } from "commander";

/** Adds `permissions explain`; `chosen` is told the command to explain. */
export function addPermissionsCommand(
  program: Command,
  chosen: (command: string, json: boolean) => void,
): void {
  const permissions = program.command("permissions")
    .description("what ally may do, and why")
    .helpCommand(false);
  permissions.command("explain")
    .description("judge a command without running it: its parts, its class, what decides")
    .argument("<COMMAND>", "the command as one word; - reads JSON strings, one a line")
    .option("--json", "one JSON object a command")
    .action((command: string, values: { json?: true }) => chosen(command, values.json ?? false));
}
