/**
 * The bounds of a harness, for the context of a command.
 */
import { Focus } from "../../src/agent/focus.ts";
import type { Harness } from "./agent_harness.ts";

/** Nothing is limited. */
export function boundsOf({ workspace, agent }: Harness): Focus {
  return new Focus({
    workspace: workspace.workspaceRoots,
    state: () => agent.deps.conversation.state,
    home: "",
  });
}
