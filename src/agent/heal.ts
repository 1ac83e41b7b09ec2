/**
 * Makes a history that was cut off at any place valid again: every call answered once, right after the
 * reply that made it, and no answer without a call.
 */
import type { AssistantMessage, Message, ToolCall, ToolMessage } from "../core/message.ts";

/** The same messages, with results put in where a crash left calls without. */
export function heal(messages: readonly Message[]): Message[] {
  const healed: Message[] = [];
  let open: AssistantMessage | undefined;
  let answers = new Map<string, ToolMessage>();
  const close = () => {
    if (open) {
      healed.push(...open.calls.map((call) => answers.get(call.id) ?? interruptedResult(call)));
    }
    open = undefined;
    answers = new Map();
  };
  for (const message of messages) {
    if (message.role === "tool") {
      if (open?.calls.some((call) => call.id === message.call_id)) {
        answers.set(message.call_id, message);
      }
      continue;
    }
    close();
    healed.push(message);
    if (message.role === "assistant" && message.calls.length > 0) open = message;
  }
  close();
  return healed;
}

function interruptedResult(call: ToolCall): ToolMessage {
  return {
    role: "tool",
    call_id: call.id,
    name: call.name,
    content: "[Interrupted: ally ended before this call had a result; it may or may not have run]",
    success: false,
  };
}
