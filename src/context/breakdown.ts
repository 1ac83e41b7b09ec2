/**
 * What fills the window, part by part. Counts what the next request would hold; where the
 * server has counted too, the parts are scaled to its sum.
 */
import type { Message } from "../core/message.ts";
import type { SystemPrompt } from "../core/system_prompt.ts";
import type { ToolDefinition } from "../core/tool.ts";
import type { Budget } from "./budget.ts";
import { definitionsText, promptText } from "./prompt.ts";

/** One part of the window. */
export interface WindowPart {
  readonly name: string;
  /** How many of them, where they can be counted. */
  readonly count?: number;
  readonly tokens: number;
  /** Of the part above it. */
  readonly within?: true;
}

/** The parts of a request in order; results by tool, the largest first. */
export function breakdown(
  { prompt, messages }: { prompt: SystemPrompt; messages: readonly Message[] },
  { budget, tools }: { budget: Budget; tools: readonly ToolDefinition[] },
): WindowPart[] {
  const { counter } = budget;
  const local = budget.fixedTokens + counter.countMessages(messages);
  const scaled = (tokens: number) => Math.round(tokens * (budget.used / Math.max(1, local)));
  const of = (name: string, chosen: readonly Message[]): WindowPart[] =>
    chosen.length === 0
      ? []
      : [{ name, count: chosen.length, tokens: scaled(counter.countMessages(chosen)) }];
  const results = messages.filter((message) => message.role === "tool");
  const byTool = [...Map.groupBy(results, ({ name }) => name)]
    .flatMap(([name, chosen]) => of(name, chosen))
    .sort((a, b) => b.tokens - a.tokens)
    .map((part): WindowPart => ({ ...part, within: true }));
  const ofUser = messages.filter((message) => message.role === "user");
  return [
    { name: "system prompt", tokens: scaled(counter.count(promptText(prompt))) },
    {
      name: "tool definitions",
      count: tools.length,
      tokens: scaled(counter.count(definitionsText(tools))),
    },
    ...of("summary of earlier messages", ofUser.filter(({ said }) => said !== undefined)),
    ...of("your messages", ofUser.filter(({ said }) => said === undefined)),
    ...of("replies", messages.filter((message) => message.role === "assistant")),
    ...of("tool results", results),
    ...byTool,
  ];
}
