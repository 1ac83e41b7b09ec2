/**
 * `/fork`: goes on with a copy of the session, so that both can be gone on with. The copy has the whole conversation, or
 * what was said before one of the user's messages.
 */
import { userPoints } from "../agent/user_messages.ts";
import { plural } from "../lib/text.ts";
import type { CommandContext, SlashCommand } from "./command.ts";

/** `/fork [N]` */
export const fork: SlashCommand = {
  name: "fork",
  terminalOnly: true,
  changes: "machine",
  usage: "[N]",
  summary: "go on with a copy of this session, from before your Nth last message with N",
  examples: ["/fork", "/fork 2"],
  async run(argument, context) {
    const { agent: { deps: { conversation } }, sessions, say } = context;
    const id = sessions.id();
    if (id === undefined) {
      throw new Error("This session is not saved (--no-session), so there is nothing to copy.");
    }
    if (conversation.messages.length === 0) throw new Error("There is nothing to copy yet.");
    const point = argument === "" ? undefined : pointAt(argument, context);
    const keeps = point &&
      conversation.messages.slice(0, point.index).filter(({ role }) => role !== "tool").length;
    await sessions.fork(id, keeps);
    if (point) context.prefill(point.text);
    say(
      `A copy goes on as session \`${sessions.id()}\`. The one before stays as it was: ` +
        `\`/resume ${id}\` goes back to it. Files are shared by both.`,
    );
    return "continue";
  },
};

function pointAt(argument: string, { agent }: CommandContext) {
  const points = userPoints(agent.deps.conversation.messages);
  const point = /^[1-9]\d*$/.test(argument) ? points.at(-Number(argument)) : undefined;
  if (point !== undefined) return point;
  throw new Error(
    `Cannot copy up to before message '${argument}': you have sent ${
      plural(points.length, "message")
    } since the conversation began or was compacted. /fork 1 leaves out the last one.`,
  );
}
