/**
 * The command line of `ally plugin`.
 */
import { type Command, Option } from "commander";
import { PROCESS_COMMAND } from "../../plugin_host/process_command.ts";

/** Languages of a new plugin. */
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
  | { readonly what: "test"; readonly directory: string }
  | { readonly what: "schema" };

/** Adds `plugin new|install|list|remove|audit|check|test|schema`. */
export function addPluginCommand(
  program: Command,
  onRequest: (request: PluginRequest) => void,
): void {
  const plugin = program.command("plugin")
    .description(
      "tools written by others, each plugin in a process of its own with its permissions",
    )
    .summary("tools written by others")
    .helpCommand(false);
  plugin.command("new")
    .description("create a working plugin: a tool, a test, a README")
    .argument("<NAME>", "lower-case letters, digits, - and _")
    .argument(
      "[DIR]",
      "a new folder; the default is in ~/.ally/plugins, where ally finds it at once",
    )
    .addOption(
      new Option("--lang <LANGUAGE>", "TypeScript or Python").choices(["ts", "py"]).default("ts"),
    )
    .action((name: string, directory: string | undefined, { lang }: { lang: PluginLanguage }) =>
      onRequest({ what: "new", name, directory, language: lang })
    );
  plugin.command("install")
    .description("show what a plugin may do, then install it; none of its code runs")
    .argument("<SOURCE>", "a folder, a .tgz, or npm:NAME[@VERSION]")
    .option("-y, --yes", "do not ask")
    .action((source: string, { yes = false }: { yes?: boolean }) =>
      onRequest({ what: "install", source, yes })
    );
  plugin.command("list")
    .description("list the installed plugins, their tools, and whether they may run")
    .option("--json", "one JSON object")
    .action(({ json = false }: { json?: boolean }) => onRequest({ what: "list", json }));
  plugin.command("remove")
    .description("remove an installed plugin and the consent to it")
    .argument("<NAME>", "its name, as in the list")
    .action((name: string) => onRequest({ what: "remove", name }));
  plugin.command("audit")
    .description(
      "show what each plugin may do, what was allowed, what changed since, when it last ran",
    )
    .argument("[NAME]", "only this one")
    .option("--json", "one JSON object")
    .action((name: string | undefined, { json = false }: { json?: boolean }) =>
      onRequest({ what: "audit", name, json })
    );
  addAuthorCommands(plugin, onRequest);
}

/** What serves those who write a plugin: `check`, `test` and `schema`. */
function addAuthorCommands(plugin: Command, onRequest: (request: PluginRequest) => void): void {
  plugin.command("check")
    .description("look for mistakes in a plugin, without running it")
    .argument("[DIR]", "the plugin's folder, or the name of an installed one", ".")
    .option("--json", "one JSON object")
    .action((directory: string, { json = false }: { json?: boolean }) =>
      onRequest({ what: "check", directory, json })
    );
  plugin.command("test")
    .description("run a plugin's own tests; in TypeScript they may read its folder, nothing else")
    .argument("[DIR]", "the plugin's folder, or the name of an installed one", ".")
    .action((directory: string) => onRequest({ what: "test", directory }));
  plugin.command("schema")
    .description("print the JSON Schema of plugin.json, for an editor")
    .action(() => onRequest({ what: "schema" }));
}

/** Adds what an ally that is one executable runs as the process of a plugin; people never type it. */
export function addPluginProcess(program: Command, onGrants: (grants: string) => void): void {
  program.command(PROCESS_COMMAND, { hidden: true }).argument("<GRANTS>").action(onGrants);
}
