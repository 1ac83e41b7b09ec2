/**
 * A conversation as a trajectory in the Agent Trajectory Interchange Format (ATIF) of Harbor, as evaluation harnesses
 * read it: a step for each message, calls with the results that they got. Secrets must be masked already.
 */
import {
  type AssistantMessage,
  type Message,
  resultText,
  type ToolCall,
  type ToolMessage,
} from "../core/message.ts";
import type { EndedTurn } from "../core/session_log.ts";
import { parseJson } from "../lib/json_text.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import { jsonLine } from "../lib/text.ts";

/** The version of the format; all fields that are written are part of it. */
const SCHEMA_VERSION = "ATIF-v1.6";

/** What a trajectory is made of. */
export interface TrajectorySource {
  /** Id of the session. */
  readonly id: string;
  readonly title: string;
  readonly cwd: string;
  /** ISO 8601. */
  readonly created: string | undefined;
  /** Version of ally. */
  readonly version: string;
  /** The system prompt that the conversation began with; "" if it is not known. */
  readonly prompt: string;
  readonly messages: readonly Message[];
  readonly turns: readonly EndedTurn[];
}

/** The trajectory as one line of JSON. */
export function renderTrajectory(source: TrajectorySource): string {
  const { id, title, cwd, created, version, turns } = source;
  const steps = stepsOf(source).map((step, index) => ({ step_id: index + 1, ...step }));
  const spent = turns.flatMap((turn) => turn.spent);
  // The main agent stands first in each turn; the model it used last is that of the trajectory.
  const model = turns.findLast((turn) => turn.spent[0]?.model !== undefined)?.spent[0]?.model;
  const sum = (count: (one: typeof spent[number]) => number | undefined) =>
    spent.reduce((total, one) => total + (count(one) ?? 0), 0);
  return `${
    jsonLine({
      schema_version: SCHEMA_VERSION,
      session_id: id,
      agent: { name: "ally", version, ...model !== undefined && { model_name: model } },
      steps,
      final_metrics: {
        total_prompt_tokens: sum((one) => one.prompt_tokens),
        total_completion_tokens: sum((one) => one.completion_tokens),
        total_cached_tokens: sum((one) => one.cached_tokens),
        total_steps: steps.length,
        extra: {
          requests: sum((one) => one.requests),
          duration_ms: turns.reduce((total, turn) => total + turn.duration_ms, 0),
          turns: turns.map(({ reason, requests, tool_calls: calls }) => ({
            reason,
            requests,
            tool_calls: calls,
          })),
        },
      },
      extra: { title, cwd, ...created !== undefined && { created } },
    })
  }\n`;
}

function stepsOf({ prompt, messages }: TrajectorySource): JsonObject[] {
  const results = new Map(
    messages.flatMap((one) => one.role === "tool" ? [[one.call_id, one] as const] : []),
  );
  const first = prompt === "" ? [] : [{ source: "system", message: prompt }];
  return [
    ...first,
    ...messages.flatMap((message) => {
      switch (message.role) {
        case "system":
        case "user":
          return [{ source: message.role, message: message.content }];
        case "assistant":
          return [agentStep(message, results)];
        // Results are part of the step whose calls they answer.
        case "tool":
          return [];
      }
    }),
  ];
}

function agentStep(
  { content, thinking, calls, interrupted }: AssistantMessage,
  results: ReadonlyMap<string, ToolMessage>,
): JsonObject {
  const answered = calls.flatMap(({ id }) => results.get(id) ?? []);
  const unread = calls.filter(({ arguments: text }) => !isObject(parseJson(text)))
    .map(({ id, arguments: text }) => ({ tool_call_id: id, text }));
  const extra = {
    ...interrupted && { interrupted },
    ...unread.length > 0 && { unread_arguments: unread },
    ...answered.some(({ success }) => !success) && {
      failed_calls: answered.filter(({ success }) => !success).map((one) => one.call_id),
    },
  };
  return {
    source: "agent",
    message: content,
    ...thinking && { reasoning_content: thinking },
    ...calls.length > 0 && { tool_calls: calls.map(toolCall) },
    ...answered.length > 0 && {
      observation: {
        results: answered.map((one) => ({ source_call_id: one.call_id, content: resultText(one) })),
      },
    },
    ...Object.keys(extra).length > 0 && { extra },
  };
}

function toolCall({ id, name, arguments: text }: ToolCall): JsonObject {
  const value = parseJson(text);
  return { tool_call_id: id, function_name: name, arguments: isObject(value) ? value : {} };
}
