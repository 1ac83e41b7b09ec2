/**
 * The command line of `ally replay`.
 */
import type { Command } from "commander";

/** What `ally replay` is to do. */
export interface ReplayRequest {
  /** As it was given. */
  readonly file: string;
  readonly json: boolean;
  /** Rewrite the recording with the requests of now. */
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
    .option("--update", "keep the requests of now: after a change that was wanted")
    .addHelpText("after", HELP_FOOTER)
    .action((file: string, { json = false, update = false }: Flags) =>
      onRequest({ file, json, update })
    );
}

type Flags = Partial<Omit<ReplayRequest, "file">>;

const HELP_FOOTER = `
The same prompts are given again, the same answers to questions, and the model says what it said; the tools
run for real, in a scratch copy of the files. Small projects are kept in the recording. A git repository is
cloned from the working directory (-C DIR) at the commit of then; a large project without git is copied from
there as it is.

Its calls run as they were allowed then, inside the scratch copy and the OS sandbox: replay what you trust.
MCP servers that the project names start only with --trust-project. With --verbose each step is told. What lies outside has to be named again: --add-dir, --allow-read=DIR, --allow-write=DIR, --no-sandbox.

Every request must be as recorded. Directories, the date, the platform and random names may differ, and in
the results of tools also times, durations, process ids and hashes.

  ally -p --record fix.jsonl --allow-write "fix the typo in README.md"
  ally replay fix.jsonl                    in CI, after a change of prompts, plugins or ally
  ally replay fix.jsonl --update           once the difference is what you want`;
