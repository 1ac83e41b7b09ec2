/**
 * The subcommand `plugin` of the command line: what may be given. `plugin.ts` does it.
 */
import { type Command, Option } from "commander";
import { PROCESS_COMMAND } from "../../plugin_host/process_command.ts";

/** Languages in which a plugin can be begun. */
export type PluginLanguage = "ts" | "py";

/** What `ally plugin` is to do. */
export type PluginRequest =
  | {
    readonly what: "new";
    readonly name: string;
    readonly directory?: string | undefined;
    readonly language: PluginLanguage;
  }
  | { readonly what: "install"; readonly source: string; readonly yes: boolean }
  | { readonly what: "list"; readonly json: boolean }
  | { readonly what: "remove"; readonly name: string }
  | { readonly what: "audit"; readonly name?: string | undefined; readonly json: boolean }
  | { readonly what: "check"; readonly directory: string; readonly json: boolean }
  | { readonly what: "schema" };

/** Adds `plugin new|install|list|remove|audit|check|schema`; `chosen` is told what to do. */
export function addPluginCommand(
  program: Command,
  onRequest: (request: PluginRequest) => void,
): void {
  const plugin = program.command("plugin")
    .description("tools that others write, each in a process of its own, held to its permissions")
    .summary("tools of others, in processes of their own")
    .helpCommand(false);
  plugin.command("new")
    .description("begin a plugin that works: a tool, a test, a README")
    .argument("<NAME>", "small letters, digits, - and _")
    .argument(
      "[DIR]",
      "a new folder; without one, ally finds the plugin at once in ~/.ally/plugins",
    )
    .addOption(
      new Option("--lang <LANGUAGE>", "TypeScript or Python").choices(["ts", "py"]).default("ts"),
    )
    .action((name: string, directory: string | undefined, { lang }: { lang: PluginLanguage }) =>
      onRequest({ what: "new", name, directory, language: lang })
    );
  plugin.command("install")
    .description("show what a plugin may do, and install it; nothing of it runs")
    .argument("<SOURCE>", "a folder, a .tgz, or npm:NAME[@VERSION]")
    .option("-y, --yes", "without a question")
    .action((source: string, { yes = false }: { yes?: boolean }) =>
      onRequest({ what: "install", source, yes })
    );
  plugin.command("list")
    .description("the installed plugins, their tools, whether they may run")
    .option("--json", "one JSON object")
    .action(({ json = false }: { json?: boolean }) => onRequest({ what: "list", json }));
  plugin.command("remove")
    .description("remove an installed plugin, and what was allowed to it")
    .argument("<NAME>", "as list shows it")
    .action((name: string) => onRequest({ what: "remove", name }));
  plugin.command("audit")
    .description("what each plugin may do, what was allowed, what changed since, when it last ran")
    .argument("[NAME]", "only this one")
    .option("--json", "one JSON object")
    .action((name: string | undefined, { json = false }: { json?: boolean }) =>
      onRequest({ what: "audit", name, json })
    );
  plugin.command("check")
    .description("look for mistakes in a plugin, without running it")
    .argument("[DIR]", "the plugin's folder, or the name of an installed one", ".")
    .option("--json", "one JSON object")
    .action((directory: string, { json = false }: { json?: boolean }) =>
      onRequest({ what: "check", directory, json })
    );
  plugin.command("schema")
    .description("print the JSON Schema of plugin.json, for an editor")
    .action(() => onRequest({ what: "schema" }));
}

/** Adds what an ally that is one executable runs as the process of a plugin; people never type it. */
export function addPluginProcess(program: Command, onGrants: (grants: string) => void): void {
  program.command(PROCESS_COMMAND, { hidden: true }).argument("<GRANTS>").action(onGrants);
}
