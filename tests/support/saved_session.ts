/**
 * What a slash command finds of sessions, settings and questions where a test has none of them.
 */
import type { CommandContext } from "../../src/slash/command.ts";

/** Nothing is saved, set or chosen. */
export function nothingSaved(): Pick<
  CommandContext,
  "sessions" | "config" | "mask" | "prefill" | "pick" | "showLastTurns" | "savedByCache"
> {
  return {
    sessions: {
      id: () => undefined,
      imageUrlOf: () => Promise.resolve(undefined),
      recent: () => Promise.resolve([]),
      resume: () => Promise.resolve(),
      fork: () => Promise.resolve(),
      rename: () => Promise.resolve(),
      remove: () => Promise.resolve(),
    },
    config: {
      list: () => Promise.resolve([]),
      set: () => Promise.resolve(""),
      unset: () => Promise.resolve(""),
    },
    mask: (text) => text,
    prefill() {},
    showLastTurns() {},
    savedByCache: () => undefined,
    pick: () => Promise.resolve(undefined),
  };
}
