/**
 * The command line of `ally skills`.
 */
import type { Command } from "commander";

/** What `ally skills` is to do. */
export type SkillsRequest =
  | { readonly what: "list"; readonly json: boolean }
  | { readonly what: "check"; readonly directory: string; readonly json: boolean }
  | { readonly what: "new"; readonly name: string; readonly directory?: string | undefined }
  | { readonly what: "install"; readonly source: string; readonly yes: boolean };

/** Adds `skills list|check|new|install`. */
export function addSkillsCommand(
  program: Command,
  onRequest: (request: SkillsRequest) => void,
): void {
  const skills = program.command("skills")
    .description("instructions for kinds of tasks, in folders that other agents use too")
    .summary("instructions for kinds of tasks")
    .helpCommand(false);
  skills.command("list")
    .description("list the skills, yours and the project's, and what each may do unasked")
    .option("--json", "one JSON object")
    .action(({ json = false }: { json?: boolean }) => onRequest({ what: "list", json }));
  skills.command("check")
    .description("look for what is against the standard in a skill, or in each of a folder")
    .argument("[DIR]", "a skill's folder, one with several, or the name of one of yours", ".")
    .option("--json", "one JSON object")
    .action((directory: string, { json = false }: { json?: boolean }) =>
      onRequest({ what: "check", directory, json })
    );
  skills.command("new")
    .description("create a skill to be filled in")
    .argument("<NAME>", "lower-case letters, digits, and hyphens between them")
    .argument("[DIR]", "where its folder is made; the default is ~/.ally/skills")
    .action((name: string, directory: string | undefined) =>
      onRequest({ what: "new", name, directory })
    );
  skills.command("install")
    .description(
      "show what skills say of themselves, then copy them to ~/.ally/skills; nothing runs",
    )
    .argument("<SOURCE>", "a folder, a .tgz, or npm:NAME[@VERSION]")
    .option("-y, --yes", "do not ask")
    .action((source: string, { yes = false }: { yes?: boolean }) =>
      onRequest({ what: "install", source, yes })
    );
}
