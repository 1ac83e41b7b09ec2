/**
 * The command line of `ally upgrade`.
 */
import type { Command } from "commander";

/** What `ally upgrade` is to do. */
export interface UpgradeRequest {
  readonly json: boolean;
}

/** Adds `upgrade`; `onRequest` gets what it is to do. */
export function addUpgradeCommand(
  program: Command,
  onRequest: (request: UpgradeRequest) => void,
): void {
  program.command("upgrade")
    .description("say how this ally is upgraded; nothing is downloaded or changed")
    .summary("how this ally is upgraded")
    .option("--json", "one JSON object")
    .action(({ json = false }: Partial<UpgradeRequest>) => onRequest({ json }));
}
