/**
 * Has other agents work on tasks, all at once, and brings back what they found. What they said on the way
 * is theirs alone; the last words of each are the result.
 */
import {
  type AgentTaskResult,
  cutEnd,
  defineTool,
  type Input,
  oneLine,
  plural,
  ToolError,
  type ToolResult,
} from "../../src/api.ts";
import { definition } from "./definition.ts";

/** The agent that works if none is named. */
const GENERAL = "general";
/** Characters of a task in the description of a call. */
const MAX_DESCRIBED = 200;
/** Tasks of one call. */
const MAX_TASKS = 16;

/** What one agent came to, as programs read it. */
interface AgentResult {
  /** Place in the call, from 0. */
  readonly agent_index: number;
  readonly agent_name: string;
  readonly success: boolean;
  readonly result: string;
  readonly error?: string;
  readonly tool_calls: number;
  readonly duration_seconds: number;
}

/** Fields of a result. */
interface AgentData extends Readonly<Record<string, unknown>> {
  readonly agents_completed: number;
  readonly agents_failed: number;
  /** Why they did not work all at once. */
  readonly one_after_another?: string;
  readonly results: readonly AgentResult[];
}

export default defineTool<Input<typeof definition>, AgentData>(definition, {
  check({ agents }) {
    if (agents.length > MAX_TASKS) {
      throw new ToolError(`${agents.length} tasks are too many for one call.`, {
        kind: "validation",
        suggestion: `Give at most ${MAX_TASKS}; the rest in a later call.`,
      });
    }
    const empty = agents.findIndex(({ task_prompt }) => task_prompt.trim() === "");
    if (empty < 0) return;
    throw new ToolError(`The task_prompt of agents[${empty}] is empty.`, {
      kind: "validation",
      suggestion: "Say in it all that the agent must know: it sees nothing of this conversation.",
    });
  },

  describe({ agents }) {
    const [first] = agents;
    const names = agents.map(({ agent_name }) => agent_name || GENERAL);
    return agents.length === 1
      ? `${names[0]}: ${cutEnd(oneLine(first?.task_prompt ?? ""), MAX_DESCRIBED)}`
      : `${plural(agents.length, "agent")}: ${[...new Set(names)].join(", ")}`;
  },

  async run({ agents }, { delegate, limits, signal }) {
    if (delegate === undefined) {
      throw new ToolError("An agent that works for another one cannot give tasks to agents.", {
        kind: "user",
        suggestion: "Do the task yourself.",
      });
    }
    const done = await delegate(
      agents.map(({ agent_name, task_prompt }) => ({
        agent: agent_name || GENERAL,
        prompt: task_prompt,
      })),
    );
    const failed = done.filter(({ success }) => !success);
    const waited = done.find((one) => one.waited !== undefined)?.waited;
    const data: AgentData = {
      agents_completed: done.length - failed.length,
      agents_failed: failed.length,
      ...waited !== undefined && { one_after_another: waited },
      results: done.map(resultOf),
    };
    if (failed.length === done.length) return failure(done, { data, signal });
    const text = textOf(done);
    return { ok: true, data, text, budget: limits.countTokens(text) };
  },

  // How each of them ended stands there already.
  preview: ({ agents_completed, agents_failed, one_after_another: waited }) => [
    agents_failed === 0
      ? plural(agents_completed, "task") + " complete"
      : `${agents_completed} of ${plural(agents_completed + agents_failed, "task")} complete`,
    ...waited === undefined ? [] : [waited],
  ],
});

function resultOf(one: AgentTaskResult, index: number): AgentResult {
  return {
    agent_index: index,
    agent_name: one.agent,
    success: one.success,
    result: one.text,
    ...(one.error !== undefined && { error: one.error }),
    tool_calls: one.toolCalls,
    duration_seconds: Math.round(one.durationMs / 100) / 10,
  };
}

/** What the model reads: the words of a single agent, or those of each under its name. */
function textOf(done: readonly AgentTaskResult[]): string {
  if (done.length === 1) return done[0]?.text || "(The agent had nothing to say.)";
  return done.map(({ agent, success, text, error }, index) => {
    const words = text || (success ? "(It had nothing to say.)" : "");
    const head = `## ${index + 1}. ${agent}${success ? "" : `: failed: ${error}`}`;
    return words === "" ? head : `${head}\n\n${words}`;
  }).join("\n\n");
}

/** No agent got to its end; what they had found by then is in the record. */
function failure(
  done: readonly AgentTaskResult[],
  { data, signal }: { data: AgentData; signal: AbortSignal },
): ToolResult<AgentData> {
  const reasons = done.map(({ agent, error }) => `${agent}: ${error}`);
  const message = done.length === 1
    ? `The agent failed: ${done[0]?.error}`
    : `All ${done.length} agents failed. ${reasons.join(" ")}`;
  return { ok: false, error: { kind: signal.aborted ? "interrupted" : "system", message }, data };
}
