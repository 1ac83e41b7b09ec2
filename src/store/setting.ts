/**
 * What a row of the table of settings says.
 */
import type { JsonObject } from "../lib/schema.ts";

/**
 * What a trusted project's file may do to a setting: set it, make it stricter than the user's (a smaller number,
 * a longer list), add lists of its own, or nothing. What decides where keys and texts are sent is never a project's to say.
 */
export type ProjectRule = "free" | "tighten" | "add" | "never";

/** A flag of the command line that sets a setting. */
export interface SettingFlag {
  /** As help shows it: `-m, --model <NAME>`. */
  readonly term: string;
  /** The heading of help under which it stands. */
  readonly group: "model" | "session" | "permissions";
  /** @default what the setting's own help says */
  readonly help?: string;
  /** What a flag without a value sets. */
  readonly value?: unknown;
}

/** One row. */
export interface Setting {
  /** JSON Schema that a value must fit. */
  readonly schema: JsonObject;
  /** One line, with the unit. */
  readonly help: string;
  readonly project: ProjectRule;
  /** What holds if nobody says anything. @default there is no fixed value */
  readonly default?: unknown;
  /** What holds then, in words, where the default is not all there is to say. */
  readonly otherwise?: string;
  /** The environment variable that sets it. */
  readonly variable?: string;
  readonly flags?: readonly SettingFlag[];
}
