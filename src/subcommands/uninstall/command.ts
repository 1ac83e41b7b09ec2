/**
 * The command line of `ally uninstall`.
 */
import type { Command } from "commander";

/** What `ally uninstall` is to do. */
export interface UninstallRequest {
  /** Whether ally's home goes too; undefined to ask. */
  readonly purge: boolean | undefined;
}

/** Adds `uninstall`; `onRequest` gets what it is to do. */
export function addUninstallCommand(
  program: Command,
  onRequest: (request: UninstallRequest) => void,
): void {
  program.command("uninstall")
    .description("remove what deno task install put on this machine, and ~/.ally if you say so")
    .summary("remove ally from this machine")
    .option("--purge", "remove ~/.ally too, unasked: settings, keys, sessions, undo")
    .option("-y, --yes", "ask nothing; ~/.ally stays unless --purge is given")
    .action(({ purge = false, yes = false }: { purge?: boolean; yes?: boolean }) =>
      onRequest({ purge: purge || (yes ? false : undefined) })
    );
}
