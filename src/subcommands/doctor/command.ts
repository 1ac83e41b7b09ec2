/**
 * The command line of `ally doctor`.
 */
import type { Command } from "commander";

/** What `ally doctor` is to do. */
export interface DoctorRequest {
  readonly json: boolean;
  /** Leaves out the long prompts. */
  readonly quick: boolean;
}

/** Adds `doctor`; `onRequest` gets what it is to do. */
export function addDoctorCommand(
  program: Command,
  onRequest: (request: DoctorRequest) => void,
): void {
  program.command("doctor")
    .description(
      "try out endpoint, model and machine: what works, what does not, and how to fix it",
    )
    .summary("what works here, what does not, and how to fix it")
    .option("--json", "one JSON object")
    .option("--quick", "without the long prompts that find the real window")
    .action(({ json = false, quick = false }: Partial<DoctorRequest>) =>
      onRequest({ json, quick })
    );
}
