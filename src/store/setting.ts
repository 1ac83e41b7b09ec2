/**
 * What is known of one setting of `config.json`. The tables of settings are made of these; reading, checking,
 * merging, help and the JSON schema follow from them.
 */

/**
 * What a trusted project's file may do to a setting: set it, make it stricter than the user's (a smaller number,
 * a longer list), or nothing. What decides where keys and texts are sent is never a project's to say.
 */
export type ProjectRule = "free" | "tighten" | "never";

/** One key. */
export interface Setting {
  /** JSON Schema that a value must fit. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** One line, with the unit. */
  readonly help: string;
  readonly project: ProjectRule;
  /** What holds if nobody says anything. @default there is no fixed value, or it is not a setting's to say */
  readonly default?: unknown;
  /** What happens then, in words, where there is no fixed value. */
  readonly otherwise?: string;
}
