/**
 * The bounds of a harness, for the context of a command.
 */
import { Bounds } from "../../src/agent/focus.ts";
import type { Harness } from "./agent_harness.ts";

/** Nothing is limited. */
export function boundsOf({ workspace, agent }: Harness): Bounds {
  return new Bounds({
    workspace: workspace.reach,
    state: () => agent.deps.conversation.state,
    home: "",
  });
}
