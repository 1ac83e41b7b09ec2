/**
 * A program and run of which nothing is known, for the context of a command.
 */
import type { RunInfo } from "../../src/slash/command.ts";

/** Knows nothing. */
export function noFacts(): RunInfo {
  return {
    facts: () => Promise.resolve([]),
    verbose: false,
    setDebugging: () => undefined,
    builtInTools: new Set(),
  };
}
