/**
 * What is known of a plugin before anything of it runs: its manifest, read and checked. The loader makes it;
 * the host, the question of consent and the commands about plugins read it.
 */
import type { Effect, Parameters } from "../core/tool.ts";

/**
 * What a plugin may do beyond computing, in Deno's own kinds. `true` of read and write means the workspace, of
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

/** What texts at one place of an input must look like. */
export interface InputPattern {
  /** Names of properties; `[]` for each part of a list. */
  readonly path: readonly string[];
  /** A regular expression. */
  readonly pattern: string;
}

/** One tool of a plugin, as its manifest says. */
export interface PluginTool {
  readonly name: string;
  readonly description: string;
  readonly effects: readonly Effect[];
  readonly parameters: Parameters;
  /** What texts of the input must look like; the parameters say it in words. */
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

/** Names that a model may take for each other are spelt the same. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}
