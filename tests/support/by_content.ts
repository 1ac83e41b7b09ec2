/**
 * A script for a server that several agents ask at once: each reply is chosen by what a request says, not by
 * when it comes.
 */
import { isObject } from "../../src/lib/schema.ts";
import type {
  RecordedRequest,
  ReplyFunction,
  ScriptedReply,
} from "../../src/modes/demo/scripted_server.ts";

/** What an agent is told first, and what it is answered, request after request. */
export type Script = readonly [task: string, ...replies: ScriptedReply[]];

/** Replies for as many requests as a test needs; a conversation without a script gets "(no script)". */
export function byContent(scripts: readonly Script[]): ReplyFunction[] {
  const answer = (request: RecordedRequest): ScriptedReply => {
    const messages = messagesOf(request);
    const begun = messages.findLastIndex(isSaid);
    // News of ally's own may stand before what was said.
    const paragraphs = messages[begun]?.content.split("\n\n") ?? [];
    const step = messages.slice(begun).filter(({ role }) => role === "assistant").length;
    const [, ...replies] =
      scripts.find(([task]) =>
        [paragraphs[0], paragraphs.at(-1)].some((text) => text?.startsWith(task))
      ) ?? [""];
    return replies[step] ?? { text: "(no script)" };
  };
  return Array.from({ length: 200 }, () => answer);
}

/** Whether a message is what somebody said: results of calls are the user's too, where there are none but text. */
function isSaid({ role, content }: { role: string; content: string }): boolean {
  return role === "user" && !content.startsWith("<tool_response");
}

/** The same script, which keeps what it has answered, in the order of the requests. */
export function recordReplies(replies: readonly (ScriptedReply | ReplyFunction)[]): {
  readonly script: readonly ReplyFunction[];
  readonly given: readonly ScriptedReply[];
} {
  const given: ScriptedReply[] = [];
  const script = replies.map((reply): ReplyFunction => async (request, index) =>
    given[index] = typeof reply === "function" ? await reply(request, index) : reply
  );
  return { script, given };
}

/** The messages of a request, as far as tests look at them. */
export function messagesOf(
  { body }: Pick<RecordedRequest, "body">,
): { role: string; content: string }[] {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  return messages.filter(isObject).map(({ role, content }) => ({
    role: String(role),
    content: typeof content === "string" ? content : "",
  }));
}

/** Names of the tools that a request offers. */
export function toolsOf({ body }: RecordedRequest): string[] {
  const tools: unknown[] = Array.isArray(body.tools) ? body.tools : [];
  return tools.filter(isObject).map((tool) =>
    isObject(tool.function) ? String(tool.function.name) : ""
  );
}
