/**
 * The command lines of `ally verify` and `ally undo`.
 */
import type { Command } from "commander";
import { UsageError } from "../../core/errors.ts";

/** What is to be done with a receipt. */
export interface ReceiptRequest {
  readonly what: "verify" | "undo";
  /** As it was given. */
  readonly file: string;
  readonly json: boolean;
}

interface Flags {
  readonly receipt?: string;
  readonly json?: boolean;
}

/** Adds `verify` and `undo`; `onRequest` gets what is to be done. */
export function addReceiptCommands(
  program: Command,
  onRequest: (request: ReceiptRequest) => void,
): void {
  program.command("verify")
    .description("check what --receipt wrote: its chain, and the files it names; exit 1 if not so")
    .summary("check a receipt and the files it names")
    .argument("<FILE>", "what --receipt wrote")
    .option("--json", "one JSON object")
    .action((file: string, { json = false }: Flags) => onRequest({ what: "verify", file, json }));
  program.command("undo")
    .description("take back what a run did to files, by its receipt; /undo takes back one change")
    .summary("take back all that a run did to files")
    .option("--receipt <FILE>", "what --receipt wrote; it must be given")
    .option("--json", "one JSON object")
    .action((_: unknown, command: Command) => {
      // The program has an option of this name too, and takes it wherever it stands.
      const { receipt: file, json = false } = command.optsWithGlobals<Flags>();
      if (file === undefined) {
        throw new UsageError(
          "Name the receipt: ally undo --receipt FILE. Without one, /undo at the prompt takes back " +
            "one change after the other.",
        );
      }
      onRequest({ what: "undo", file, json });
    });
}
