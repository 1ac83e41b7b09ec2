/**
 * The rules of the Agent Trajectory Interchange Format, version 1.6, as its specification states them: which fields an
 * object has, which it must have, and how the parts of a trajectory refer to each other.
 */
import { isObject, type JsonObject } from "../../src/lib/schema.ts";

/** The fields of each object: a type, "!" after it if it is required. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  trajectory: {
    schema_version: "string!",
    session_id: "string!",
    agent: "object!",
    steps: "array!",
    notes: "string",
    final_metrics: "object",
    continued_trajectory_ref: "string",
    extra: "object",
  },
  agent: {
    name: "string!",
    version: "string!",
    model_name: "string",
    tool_definitions: "array",
    extra: "object",
  },
  step: {
    step_id: "integer!",
    timestamp: "string",
    source: "string!",
    model_name: "string",
    reasoning_effort: "string",
    message: "string!",
    reasoning_content: "string",
    tool_calls: "array",
    observation: "object",
    metrics: "object",
    is_copied_context: "boolean",
    extra: "object",
  },
  tool_call: { tool_call_id: "string!", function_name: "string!", arguments: "object!" },
  observation: { results: "array!" },
  result: { source_call_id: "string", content: "string", subagent_trajectory_ref: "array" },
  final_metrics: {
    total_prompt_tokens: "integer",
    total_completion_tokens: "integer",
    total_cached_tokens: "integer",
    total_cost_usd: "number",
    total_steps: "integer",
    extra: "object",
  },
};

const AGENT_ONLY = [
  "model_name",
  "reasoning_effort",
  "reasoning_content",
  "tool_calls",
  "metrics",
];

/** What is wrong with a trajectory; nothing if it is one. */
export function trajectoryProblems(value: unknown): string[] {
  const problems = checkFields("trajectory", value);
  if (!isObject(value) || problems.length > 0) return problems;
  if (!/^ATIF-v1\.[0-6]$/.test(String(value.schema_version))) problems.push("schema_version");
  problems.push(...checkFields("agent", value.agent));
  if (value.final_metrics !== undefined) {
    problems.push(...checkFields("final_metrics", value.final_metrics));
  }
  const steps = value.steps as readonly unknown[];
  if (steps.length === 0) problems.push("there is no step");
  for (const [index, step] of steps.entries()) {
    problems.push(...checkStep(step, index).map((problem) => `step ${index + 1}: ${problem}`));
  }
  return problems;
}

function checkStep(step: unknown, index: number): string[] {
  const problems = checkFields("step", step);
  if (!isObject(step) || problems.length > 0) return problems;
  if (step.step_id !== index + 1) problems.push(`its number is ${step.step_id}`);
  if (!["system", "user", "agent"].includes(String(step.source))) problems.push("its source");
  if (step.source !== "agent") {
    problems.push(...AGENT_ONLY.filter((name) => name in step).map((name) => `${name} is agents'`));
  }
  const calls = (step.tool_calls ?? []) as readonly JsonObject[];
  problems.push(...calls.flatMap((call) => checkFields("tool_call", call)));
  const ids = calls.map((call) => call.tool_call_id);
  if (new Set(ids).size < ids.length) problems.push("a tool_call_id stands twice");
  if (step.observation !== undefined) {
    problems.push(...checkFields("observation", step.observation));
    const { results } = step.observation as { results: readonly JsonObject[] };
    for (const result of results) {
      problems.push(...checkFields("result", result));
      if (!ids.includes(result.source_call_id)) problems.push("a result of no call of the step");
    }
  }
  return problems;
}

function checkFields(kind: string, value: unknown): string[] {
  if (!isObject(value)) return [`${kind} is no object`];
  const known = FIELDS[kind] ?? {};
  const strange = Object.keys(value).filter((name) => !(name in known));
  const wrong = Object.entries(known).filter(([name, type]) => {
    const field = value[name];
    return field === undefined ? type.endsWith("!") : !TYPES[type.replace("!", "")]?.(field);
  });
  return [
    ...strange.map((name) => `${kind} has no field ${name}`),
    ...wrong.map(([name, type]) => `${kind}.${name} is no ${type}`),
  ];
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number",
  integer: Number.isInteger,
};
