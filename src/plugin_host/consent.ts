/**
 * The port through which a person decides whether a plugin may run. It is asked before each start of a plugin's
 * code, with the hash of all its files, so that a changed plugin is a new question.
 */
import type { Plugin } from "./plugin.ts";

/** The answer of the person, of a stored consent or of a flag. */
export type ConsentAnswer =
  | { readonly kind: "granted" }
  | {
    readonly kind: "denied";
    /** What happened, for the model and the person. */
    readonly message: string;
    /** What the person can do. */
    readonly suggestion: string;
  };

/** Decides whether plugins may run. */
export interface Consent {
  /**
   * Whether a plugin may run as it is now. There is one question at a time for each plugin, at every start: a
   * granted hash is remembered behind this port.
   */
  check(
    plugin: Plugin,
    options: {
      /** The plugin's `hashFolder`. */
      readonly hash: string;
      readonly signal: AbortSignal;
    },
  ): Promise<ConsentAnswer>;
}
