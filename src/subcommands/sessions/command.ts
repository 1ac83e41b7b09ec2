/**
 * The command line of `ally sessions`.
 */
import { type Command, Option } from "commander";
import type { TranscriptFormat } from "../../context/transcript_formats.ts";

/** A format in which a session is exported: for people, or as a trajectory for an evaluation harness. */
export type ExportFormat = TranscriptFormat | "atif";

/** What `ally sessions` is to do; `all` looks into every project's sessions. */
export type SessionsRequest =
  | { readonly what: "list"; readonly all: boolean; readonly json: boolean }
  | { readonly what: "show"; readonly id: string; readonly all: boolean; readonly json: boolean }
  | {
    readonly what: "export";
    readonly id: string;
    /** Absent: standard output. */
    readonly file?: string;
    readonly all: boolean;
    readonly force: boolean;
    /** Absent: what the name of the file says. */
    readonly format?: ExportFormat;
  }
  | {
    readonly what: "delete";
    readonly ids: readonly string[];
    readonly all: boolean;
    readonly yes: boolean;
    readonly json: boolean;
  };

interface Flags {
  readonly all?: boolean;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly format?: ExportFormat;
}

const FORMATS: readonly ExportFormat[] = ["md", "json", "html", "atif"];

/** Adds `sessions list|show|export|delete`; `onRequest` gets what it is to do. */
export function addSessionsCommand(
  program: Command,
  onRequest: (request: SessionsRequest) => void,
): void {
  const sessions = program.command("sessions")
    .description("the saved sessions of this directory, or of all")
    .helpCommand(false);
  const add = (name: string) =>
    sessions.command(name).option("--all", "the sessions of all directories");
  const id = "the session's id or the beginning of it; last for the last one";
  add("list").description("id, age, turns, size, branch and title, the last one first")
    .option("--json", "one JSON array")
    .action(({ all = false, json = false }: Flags) => onRequest({ what: "list", all, json }));
  add("show").description("the whole conversation as Markdown")
    .argument("<ID>", id)
    .option("--json", "one JSON object with all messages")
    .action((id: string, { all = false, json = false }: Flags) =>
      onRequest({ what: "show", id, all, json })
    );
  add("export").description("write the conversation to a file, secrets masked")
    .argument("<ID>", id)
    .argument("[FILE]", "where to; without it, standard output")
    .option("--force", "overwrite the file if it is there")
    .addOption(
      new Option("--format <FORMAT>", "without it, what the name of FILE says, else md")
        .choices(FORMATS),
    )
    .option("--json", "the same as --format json")
    .action((id: string, file: string | undefined, flags: Flags) => {
      const { all = false, force = false, json = false } = flags;
      const format = json ? "json" : flags.format;
      onRequest({
        what: "export",
        id,
        ...file !== undefined && { file },
        all,
        force,
        ...format && { format },
      });
    });
  add("delete").description("remove sessions for good; asks before")
    .argument("<ID...>", "ids or beginnings of them")
    .option("-y, --yes", "do not ask")
    .option("--json", "the ids that were removed as one JSON array")
    .action((ids: string[], { all = false, yes = false, json = false }: Flags) =>
      onRequest({ what: "delete", ids, all, yes, json })
    );
}
