/**
 * What is known of a plugin before any of its code runs: its manifest, read and checked.
 */
import type { Effect, Parameters } from "../core/tool.ts";

/**
 * What a plugin may do, in Deno's kinds of permissions. `true` of read and write means the workspace, of
 * net every host. Paths are `.` (the workspace), `${plugin}` (its own folder) or absolute.
 */
export interface PluginPermissions {
  readonly read?: true | readonly string[];
  readonly write?: true | readonly string[];
  /** Hosts, as `example.com` or `example.com:443`. */
  readonly net?: true | readonly string[];
  /** Names of programs. */
  readonly run?: readonly string[];
  /** Names of variables. */
  readonly env?: readonly string[];
}

/** How a tool of a plugin is run. */
export type PluginProgram =
  /** A module below the plugin's folder, as `./search.ts`. */
  | { readonly kind: "module"; readonly module: string }
  /** A program that gets its input on standard input; it starts in the plugin's folder. */
  | { readonly kind: "command"; readonly command: string; readonly args: readonly string[] };

/** A pattern for the texts at one path of an input. */
export interface InputPattern {
  /** Names of properties; `[]` for each part of a list. */
  readonly path: readonly string[];
  /** A regular expression. */
  readonly pattern: string;
}

/** One tool of a plugin, from its manifest. */
export interface PluginTool {
  readonly name: string;
  readonly description: string;
  readonly effects: readonly Effect[];
  readonly parameters: Parameters;
  /** Patterns for texts of the input; the parameters describe them in words. */
  readonly patterns: readonly InputPattern[];
  readonly program: PluginProgram;
  /** Seconds. */
  readonly timeout: number;
  /** A correct call, if the manifest gives one. */
  readonly example?: Readonly<Record<string, unknown>>;
}

/** A plugin whose manifest is valid. */
export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Absolute and canonical. */
  readonly folder: string;
  /** Whether it was named by `--plugin-dir` instead of being installed. */
  readonly development: boolean;
  readonly permissions: PluginPermissions;
  readonly tools: readonly PluginTool[];
}

/** A name in a form in which names that a model may confuse are equal. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}
