/**
 * What the command line asks for, typed.
 */
import type { Rules } from "../permission/rules.ts";
import type { Config } from "../store/settings_table.ts";
import type { OutputFormat } from "../ui/headless.ts";

/** What a person asked for when starting ally. */
export interface Options {
  readonly prompt: string;
  readonly print: boolean;
  readonly outputFormat: OutputFormat;
  /** The JSON Schema that the answer is to fit, or the file that holds it (absolute). */
  readonly outputSchema?: string;
  /** Images that go with the first words; absolute. */
  readonly images?: readonly string[];
  /** The settings that flags set. */
  readonly settings: Config;
  readonly appendSystemPrompt?: string;
  readonly continue: boolean;
  /** An id, or true if none was named. */
  readonly resume?: string | true;
  /** What stood where its id may stand and does not look like one: words of the prompt, if they may be. */
  readonly notResumed?: string;
  /** Id of the session to go on with a copy of. */
  readonly fork?: string;
  readonly session: boolean;
  /** Absolute. */
  readonly cwd: string;
  /** Absolute. */
  readonly addDirs: readonly string[];
  readonly rules: Rules;
  /** Names of plugins that may run. */
  readonly allowedPlugins: readonly string[];
  /** Absolute: plugins under development. */
  readonly pluginDirs: readonly string[];
  /** Whether the project's own files act without a question, in this run. */
  readonly trustProject: boolean;
  /** Whether the whole run only reads. */
  readonly plan: boolean;
  /** File to record the traffic with the model to; absolute. */
  readonly record?: string;
  /** Recording that is served instead of a model; absolute. */
  readonly replay?: string;
  /** Whether a replay goes on where a request differs. @default false */
  readonly lenient?: boolean;
  /** File for the receipt of the run; absolute. */
  readonly receipt?: string;
  readonly color: boolean;
  /** Whether events are shown as lines. */
  readonly verbose: boolean;
  /** Whether they are logged as well. */
  readonly debug: boolean;
}

/** The options that matter for permissions. */
export type PermissionsOptions = Pick<Options, "rules" | "cwd" | "addDirs" | "color" | "settings">;

/** The options of `ally demo`. */
export type DemoOptions = Pick<Options, "color" | "record" | "replay">;

/** The options of `ally plugin`. */
export type PluginOptions = Pick<Options, "cwd" | "color">;
