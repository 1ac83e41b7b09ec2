/**
 * What a command line asked for, once it is read.
 */
import type { Command } from "commander";
import type { DemoOptions, Options, PermissionsOptions, PluginOptions } from "../app/options.ts";
import type { ReplayRequest } from "../modes/replay/command.ts";
import type { ServeRequest } from "../modes/serve/serve.ts";
import type { CompletionsRequest } from "../subcommands/completions/command.ts";
import type { ConfigRequest } from "../subcommands/config/command.ts";
import type { DoctorRequest } from "../subcommands/doctor/command.ts";
import type { HooksRequest } from "../subcommands/hooks/command.ts";
import type { InitRequest } from "../subcommands/init/command.ts";
import type { McpRequest } from "../subcommands/mcp/command.ts";
import type { PermissionsRequest } from "../subcommands/permissions/command.ts";
import type { PluginRequest } from "../subcommands/plugin/command.ts";
import type { ReceiptRequest } from "../subcommands/receipt/command.ts";
import type { SessionsRequest } from "../subcommands/sessions/command.ts";
import type { SkillsRequest } from "../subcommands/skills/command.ts";
import type { UninstallRequest } from "../subcommands/uninstall/command.ts";
import type { UpgradeRequest } from "../subcommands/upgrade/command.ts";

/** What a command line can ask for, by kind. */
export interface Invocations {
  readonly run: { readonly options: Options; readonly program: Command };
  readonly demo: { readonly options: DemoOptions };
  readonly replay: { readonly request: ReplayRequest; readonly options: Options };
  readonly permissions: {
    readonly request: PermissionsRequest;
    readonly options: PermissionsOptions;
  };
  readonly config: { readonly request: ConfigRequest; readonly options: Options };
  readonly receipt: { readonly request: ReceiptRequest };
  readonly sessions: { readonly request: SessionsRequest; readonly options: Options };
  readonly plugin: { readonly request: PluginRequest; readonly options: PluginOptions };
  readonly skills: { readonly request: SkillsRequest; readonly options: Options };
  readonly plugin_process: { readonly grants: string };
  readonly help: {
    /** A topic or a command; undefined for the overview. */
    readonly name: string | undefined;
    readonly program: Command;
    readonly options: Options;
  };
  readonly doctor: { readonly request: DoctorRequest; readonly options: Options };
  readonly init: { readonly request: InitRequest; readonly options: Options };
  readonly mcp: { readonly request: McpRequest; readonly options: Options };
  readonly hooks: { readonly request: HooksRequest; readonly options: Options };
  readonly serve: { readonly request: ServeRequest; readonly options: Options };
  readonly acp: { readonly options: Options };
  readonly completions: {
    readonly request: CompletionsRequest;
    readonly program: Command;
    readonly options: Options;
  };
  readonly upgrade: { readonly request: UpgradeRequest };
  readonly uninstall: { readonly request: UninstallRequest; readonly color: boolean };
  /** Help or version: print it and leave. */
  readonly print: { readonly text: string };
}

/** What a command line asked for. */
export type Invocation<K extends keyof Invocations = keyof Invocations> = {
  [P in K]: { readonly kind: P } & Invocations[P];
}[K];

/** The values of flags as they were given. */
export interface FlagValues {
  print?: true;
  outputFormat: Options["outputFormat"];
  outputSchema?: string;
  image?: string[];
  appendSystemPrompt?: string;
  continue?: true;
  resume?: string | true;
  fork?: string;
  session: boolean;
  cwd?: string;
  addDir?: string[];
  pluginDir?: string[];
  allowAll?: true;
  yolo?: true;
  allowPlugin?: string[];
  trustProject?: true;
  plan?: true;
  record?: string;
  replay?: string;
  receipt?: string;
  verbose?: true;
  debug?: true;
  color: boolean;
  [flag: string]: unknown;
}
