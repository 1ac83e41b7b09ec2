/**
 * The port through which the person says whether a plugin may run. The host asks before each start of
 * anything of a plugin, with the hash of all its files, so that a changed plugin is a new question.
 */
import type { Plugin } from "./plugin.ts";

/** What the person, a stored answer or a flag said. */
export type ConsentAnswer =
  | { readonly kind: "granted" }
  | {
    readonly kind: "denied";
    /** What happened, for the model and the person. */
    readonly message: string;
    /** What the person can do about it. */
    readonly suggestion: string;
  };

/** Answers for the host. */
export interface Consent {
  /**
   * Whether a plugin may run as it is now. Asked once at a time for one plugin, but at each start: what was
   * granted for a hash is remembered behind this port.
   */
  check(
    plugin: Plugin,
    options: {
      /** As `contentHash` (folder_hash.ts) gives it. */
      readonly hash: string;
      readonly signal: AbortSignal;
    },
  ): Promise<ConsentAnswer>;
}
