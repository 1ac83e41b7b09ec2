/** What slash commands are given, about an agent that runs in the test. */
import { Statistics } from "../../src/agent/statistics.ts";
import { ModeSwitch } from "../../src/permission/mode_switch.ts";
import type { CommandContext } from "../../src/slash/command.ts";
import { COMMANDS } from "../../src/slash/table.ts";
import { noFacts } from "./about.ts";
import type { Harness } from "./agent_harness.ts";
import { boundsOf } from "./focus.ts";
import { noAgents } from "./no_agents.ts";
import { noPermissions } from "./no_permissions.ts";
import { NO_PLUGINS } from "./no_plugins.ts";
import { nothingSaved } from "./saved_session.ts";

/** Who hears what a command says, and answers what it asks. */
type Listeners = Pick<CommandContext, "say" | "show" | "confirm">;

/** A session with nothing but the agent and its workspace. */
export function commandContext(test: Harness, listeners: Listeners): CommandContext {
  return {
    signal: new AbortController().signal,
    agent: test.agent,
    workspace: test.workspace,
    mode: new ModeSwitch(),
    focus: boundsOf(test),
    runInfo: noFacts(),
    statistics: new Statistics(),
    permissions: noPermissions(),
    agents: noAgents(),
    models: {
      list: () => Promise.resolve({ names: [], problems: [] }),
      use: (name) => name,
      effort: () => "",
      useEffort: () => {},
    },
    startSession() {},
    runTurn: (prompt) => test.agent.run(prompt),
    answerNow() {},
    tellModel() {},
    ...nothingSaved(),
    showPage: () => Promise.resolve(),
    items: { highest: 0, get: () => undefined, latest: () => [] },
    showWhole: () => Promise.resolve(),
    copy: () => Promise.resolve({ terminal: false }),
    shell: { run: () => Promise.resolve(), has: () => Promise.resolve(false) },
    plugins: NO_PLUGINS,
    commands: COMMANDS,
    ...listeners,
  };
}
