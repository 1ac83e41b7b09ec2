/**
 * The command line of `ally replay`.
 */
import type { Command } from "commander";

/** What `ally replay` is to do. */
export interface ReplayRequest {
  /** As it was given. */
  readonly file: string;
  readonly json: boolean;
  /** Rewrites the recording with the new requests. */
  readonly update: boolean;
}

/** Adds `replay FILE`; `onRequest` gets what it is to do. */
export function addReplayCommand(
  program: Command,
  onRequest: (request: ReplayRequest) => void,
): void {
  program.command("replay")
    .description("run a recorded session again, offline; exit 1 where its requests differ")
    .summary("a recorded session again, offline")
    .argument("<FILE>", "what --record wrote")
    .option("--json", "one JSON object")
    .option("--update", "rewrite the recording with the new requests, after an intended change")
    .addHelpText("after", HELP_FOOTER)
    .action((file: string, { json = false, update = false }: Flags) =>
      onRequest({ file, json, update })
    );
}

type Flags = Partial<Omit<ReplayRequest, "file">>;

const HELP_FOOTER = `
Prompts, answers to questions and the replies of the model are those of the
recording; the tools run for real, in a scratch copy of the files. A recording
holds the files of a small project. A git repository is cloned from the working
directory (-C DIR) at the recorded commit; a large project without git is
copied from there as it is.

Calls run as they were allowed when recorded, but only inside the scratch copy
and the OS sandbox, without network, keys and services. What lies outside has
to be named again: --add-dir, --allow-read=DIR, --allow-write=DIR,
--allow-env=NAME, --allow-plugin=NAME. MCP servers start only with
--trust-project, and without a sandbox nothing is replayed but with
--no-sandbox. --verbose shows each step.

Every request must be as recorded. Directories, the date, the platform and
random names may differ, and in the results of tools also times, durations,
process ids and hashes.

  ally -p --record fix.jsonl --allow-write "fix the typo in README.md"
  ally replay fix.jsonl           in CI, after changes of prompts, plugins, ally
  ally replay fix.jsonl --update  once the difference is what you want`;
