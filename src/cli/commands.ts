/**
 * The commands of the command line. A prompt needs none of them, so they load only where a word may name one.
 */
import type { Command } from "commander";
import type { Options } from "../app/options.ts";
import { addReplayCommand } from "../modes/replay/command.ts";
import { addCompletionsCommand } from "../subcommands/completions/command.ts";
import { addConfigCommand } from "../subcommands/config/command.ts";
import { addDoctorCommand } from "../subcommands/doctor/command.ts";
import { addHooksCommand } from "../subcommands/hooks/command.ts";
import { addInitCommand } from "../subcommands/init/command.ts";
import { addMcpCommand } from "../subcommands/mcp/command.ts";
import { addPermissionsCommand } from "../subcommands/permissions/command.ts";
import { addPluginCommand, addPluginProcess } from "../subcommands/plugin/command.ts";
import { addReceiptCommands } from "../subcommands/receipt/command.ts";
import { addSessionsCommand } from "../subcommands/sessions/command.ts";
import { addSkillsCommand } from "../subcommands/skills/command.ts";
import { addUninstallCommand } from "../subcommands/uninstall/command.ts";
import { addUpgradeCommand } from "../subcommands/upgrade/command.ts";
import type { FlagValues, Invocation } from "./invocation.ts";

/** Adds all commands, in the order in which help lists them: what a newcomer needs first. */
export function addCommands(
  program: Command,
  { optionsOf: options, chosen }: {
    /** The program's own options, with those that a command has again. */
    optionsOf: (own?: Partial<FlagValues>) => Options;
    chosen: (invocation: Invocation) => void;
  },
): void {
  addInitCommand(program, (request) => chosen({ kind: "init", request, options: options() }));
  program.command("demo")
    .description("the whole loop, offline, on a scratch copy of a small project")
    .summary("the whole loop, offline, on a scratch project")
    .option("--record <FILE>", "record the traffic with the model")
    .option("--replay <FILE>", "answer from a recording, without a model")
    .option("--no-color", "no colours")
    .action((own: Partial<FlagValues>) => {
      const { color, record, replay } = options(own);
      chosen({
        kind: "demo",
        options: { color, ...(record && { record }), ...(replay && { replay }) },
      });
    });
  addDoctorCommand(program, (request) => chosen({ kind: "doctor", request, options: options() }));
  addConfigCommand(program, (request) => chosen({ kind: "config", request, options: options() }));
  addSessionsCommand(program, (request) => {
    chosen({ kind: "sessions", request, options: options() });
  });
  addReceiptCommands(program, (request) => chosen({ kind: "receipt", request }));
  addPermissionsCommand(program, (request) => {
    chosen({ kind: "permissions", request, options: options() });
  });
  addPluginCommand(program, (request) => chosen({ kind: "plugin", request, options: options() }));
  addSkillsCommand(program, (request) => chosen({ kind: "skills", request, options: options() }));
  addHooksCommand(program, (request) => chosen({ kind: "hooks", request, options: options() }));
  addMcpCommand(program, {
    onRequest: (request) => chosen({ kind: "mcp", request, options: options() }),
    onServe: (request) => chosen({ kind: "serve", request, options: options() }),
  });
  program.command("acp")
    .description("an agent of the Agent Client Protocol (v1) on standard input and output")
    .summary("an agent for editors (ACP), on stdin and stdout")
    .addHelpText("after", "\nAn editor starts it; ally help acp shows how it is set up there.")
    .action(() => chosen({ kind: "acp", options: options() }));
  addPluginProcess(program, (grants) => chosen({ kind: "plugin_process", grants }));
  addReplayCommand(program, (request) => chosen({ kind: "replay", request, options: options() }));
  addCompletionsCommand(program, (request) => {
    chosen({ kind: "completions", request, program, options: options() });
  });
  addUpgradeCommand(program, (request) => chosen({ kind: "upgrade", request }));
  addUninstallCommand(program, (request) => {
    chosen({ kind: "uninstall", request, color: options().color });
  });
}
