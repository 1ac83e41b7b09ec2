/**
 * The tool that gives a task to an agent of ally's own, as the model's tool `agent` does: with ally's model, and under
 * the same permissions.
 */
import { ToolError } from "../../core/errors.ts";
import type { Input, Tool, ToolDefinition, ToolEntry } from "../../core/tool.ts";
import { cutSafely } from "../../lib/excerpt.ts";
import { oneLine } from "../../lib/text.ts";

/** Definition of `ask_ally`. */
export const ASK_ALLY = {
  name: "ask_ally",
  description:
    "Give one task to a coding agent with a model, a context and tools of its own. It knows only the task; its last words come back.",
  parameters: {
    type: "object",
    properties: {
      task: { type: "string", minLength: 1, description: "all that it must know" },
      agent: { type: "string", description: "name of a profile; general without it" },
    },
    required: ["task"],
    additionalProperties: false,
  },
  effects: ["delegate"],
  example: { task: "Find out why tests/parser_test.ts fails. Do not change anything." },
} as const satisfies ToolDefinition;

/** Characters of a task in its description. */
const MAX_DESCRIBED = 200;

/** The tool; `prepare` has a model ready. */
export function askAllyEntry({ prepare }: { prepare: () => Promise<void> }): ToolEntry {
  const askAlly: Tool<Input<typeof ASK_ALLY>> = {
    definition: ASK_ALLY,
    describe: ({ task }) => cutSafely(oneLine(task), MAX_DESCRIBED),
    async run({ task, agent = "general" }, { delegate, limits, signal }) {
      await prepare();
      const [done] = await delegate?.([{ agent, prompt: task }]) ?? [];
      if (done === undefined) throw new Error("Cannot give a task to an agent: there are none");
      const data = { agent, requests: done.turns, tool_calls: done.toolCalls };
      if (!done.success) {
        throw new ToolError(done.error ?? "The agent did not come to an end.", {
          kind: signal.aborted ? "interrupted" : "system",
          data: { ...data, result: done.text },
        });
      }
      const text = done.text || "(The agent had nothing to say.)";
      return { ok: true, data, text, budget: limits.countTokens(text) };
    },
  };
  return { definition: ASK_ALLY, load: () => Promise.resolve(askAlly) };
}
