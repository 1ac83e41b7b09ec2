/**
 * A program and run of which nothing is known, for the context of a command.
 */
import type { About } from "../../src/slash/about.ts";

/** Knows nothing. */
export function noFacts(): About {
  return {
    facts: () => Promise.resolve([]),
    verbose: false,
    debug: () => undefined,
    builtIn: new Set(),
  };
}
