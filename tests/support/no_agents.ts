/**
 * What commands are told about agents where a test has none of its own.
 */
import { Profiles } from "../../src/agent/profiles.ts";
import type { CommandContext } from "../../src/slash/command.ts";

/** The general agent alone, and no folder. */
export function noAgents(): CommandContext["agents"] {
  const read = () => Promise.resolve({ files: [], problems: [] });
  return { profiles: new Profiles({ read, tools: () => [] }), directory: "" };
}
