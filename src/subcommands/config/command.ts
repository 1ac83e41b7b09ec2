/**
 * The command line of `ally config`.
 */
import type { Command } from "commander";

/** What `ally config` is to do. */
export type ConfigRequest =
  | { readonly what: "list"; readonly json: boolean }
  | { readonly what: "get"; readonly key: string; readonly json: boolean }
  | { readonly what: "set"; readonly key: string; readonly value: string }
  | { readonly what: "unset"; readonly key: string }
  | { readonly what: "path" }
  | { readonly what: "schema" };

/** Adds `config list|get|set|unset|path|schema`; `onRequest` gets what it is to do. */
export function addConfigCommand(
  program: Command,
  onRequest: (request: ConfigRequest) => void,
): void {
  const config = program.command("config")
    .description("the settings: what holds here and why, and how to change it")
    .summary("settings: which hold here and why, and changes")
    .helpCommand(false);
  config.command("list")
    .description("every setting, its value, and its source: flag, environment, project, user")
    .option("--json", "one JSON array")
    .action(({ json = false }: { json?: boolean }) => onRequest({ what: "list", json }));
  config.command("get")
    .description("the value that holds here; exit 1 if there is none")
    .argument("<KEY>")
    .option("--json", "value, source and meaning as one JSON object")
    .action((key: string, { json = false }: { json?: boolean }) =>
      onRequest({ what: "get", key, json })
    );
  config.command("set")
    .description("write a setting to your own configuration")
    .argument("<KEY>")
    .argument("<VALUE>", "a word, a number, on or off, a,b for a list, or JSON")
    // A number may begin with a minus.
    .allowUnknownOption()
    .action((key: string, value: string) => onRequest({ what: "set", key, value }));
  config.command("unset")
    .description("take a setting out of your own configuration")
    .argument("<KEY>")
    .action((key: string) => onRequest({ what: "unset", key }));
  config.command("path").description("where your own configuration is")
    .action(() => onRequest({ what: "path" }));
  config.command("schema").description("the JSON schema of the file, for editors")
    .action(() => onRequest({ what: "schema" }));
}
