/**
 * `/compact`: has the older part of the conversation summarized to make room, or takes that back.
 */
import { formatCount } from "../lib/text.ts";
import type { SlashCommand } from "./command.ts";

/** `/compact [what to keep | undo]` */
export const compact: SlashCommand = {
  name: "compact",
  changes: "session",
  usage: "[WHAT TO KEEP | undo]",
  summary: "summarize the older messages to make room, or take that back",
  complete: () => Promise.resolve(["undo"]),
  async run(argument, { agent, say }) {
    if (argument === "undo") {
      const count = await agent.undoCompaction();
      if (count === 0) throw new Error("Nothing to take back: the conversation was not compacted.");
      const { used, size, percent } = agent.deps.budget;
      const tokens = `${formatCount(used)} of ${formatCount(size)} tokens`;
      say(`The ${count} messages are back: ${tokens} (${percent}%) are in use.`);
      return "continue";
    }
    const { conversation } = agent.deps;
    try {
      const done = await agent.compact(argument);
      if (!done) {
        say(
          conversation.messages.length === 0
            ? "There is nothing to compact yet."
            : "There is nothing to compact: only the last messages are left, and they stay whole.",
        );
      }
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      say("Not compacted: interrupted. The conversation is as it was.");
    }
    return "continue";
  },
};
