/**
 * Renders requests as chat templates do, of two kinds: one leaves out what was thought before the user's last words, one
 * shows it all. So a test can tell what of a request a server has computed before.
 */
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";

/** What becomes of thinking before the user's last words. */
export type TemplateKind = "strips" | "keeps";

interface WireMessage {
  readonly role: string;
  readonly content: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { readonly function: { name: string; arguments: string } }[];
}

type Body = Readonly<Record<string, unknown>>;

/** The messages of a request. */
export function messagesIn(body: Body): readonly WireMessage[] {
  return body.messages as WireMessage[];
}

/** The text of a request up to where the model goes on. */
export function renderRequest(body: Body, kind: TemplateKind): string {
  return `${renderMessages(body, { kind })}<|assistant|>`;
}

/** The text of a request's messages, or of the first `count` of them. */
export function renderMessages(
  body: Body,
  { kind, count }: { kind: TemplateKind; count?: number },
): string {
  const messages = messagesIn(body);
  const words = messages.findLastIndex(({ role }) => role === "user");
  const texts = messages.slice(0, count).map((message, index) => {
    const { role, content } = message;
    if (role !== "assistant") return `<|${role}|>${content}<|end|>`;
    return `<|assistant|>${spoken(message, kind === "keeps" || index > words)}<|end|>`;
  });
  return `<|tools|>${JSON.stringify(body.tools)}${texts.join("")}`;
}

/** What a model has generated for a scripted reply, by the time it ended or was stopped. */
export function renderReply({ thinking, text = "", calls = [] }: ScriptedReply): string {
  const tool_calls = calls.map(({ name, arguments: args }) => ({
    function: {
      name: name ?? "",
      arguments: typeof args === "string" ? args : JSON.stringify(args),
    },
  }));
  const message = { role: "assistant", content: text, tool_calls };
  return spoken({ ...message, ...thinking !== undefined && { reasoning_content: thinking } }, true);
}

function spoken(
  { reasoning_content: thinking, content, tool_calls = [] }: WireMessage,
  isShown: boolean,
): string {
  const calls = tool_calls.map(({ function: { name, arguments: args } }) =>
    `<tool_call>${name} ${args}</tool_call>`
  );
  return [isShown && thinking ? `<think>${thinking}</think>` : "", content, ...calls].join("");
}
