/**
 * Tools for a model whose server takes none: described in the system prompt, called in the text, with calls
 * and results of the past written the same way. `text_tool_calls.ts` reads the calls back.
 */
import { type AssistantMessage, type Message, resultText } from "../core/message.ts";
import type { ToolDefinition } from "../core/tool.ts";

const HOW_TO_CALL =
  `To call a tool, end your reply with one or more calls of this form, each on a line
of its own, and nothing after them:
<tool_call>{"name": "tool_name", "arguments": {...}}</tool_call>
The results come in the next message, between <tool_response> tags.`;

/** The same conversation without anything that only servers with tool support understand. */
export function toolsAsText(
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
): Message[] {
  const manual = tools.length === 0
    ? ""
    : `\n\n# Tools\n\n${HOW_TO_CALL}\n\n${definitionLines(tools)}`;
  return messages.map((message) => {
    switch (message.role) {
      case "system":
        return { ...message, content: message.content + manual };
      case "assistant":
        return withCallsAsText(message);
      case "tool":
        return {
          role: "user",
          content: `<tool_response name="${message.name}">\n${
            resultText(message)
          }\n</tool_response>`,
          ...message.images && { images: message.images },
        };
      case "user":
        return message;
    }
  });
}

function definitionLines(tools: readonly ToolDefinition[]): string {
  return tools
    .map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters }))
    .join("\n");
}

/** What the model has written stays as it is, so that a server need not read it again. */
function withCallsAsText(message: AssistantMessage): AssistantMessage {
  if (message.written !== undefined) {
    return { ...message, content: message.content + message.written, calls: [] };
  }
  const calls = message.calls.map(({ name, arguments: text }) =>
    `<tool_call>{"name": ${JSON.stringify(name)}, "arguments": ${text}}</tool_call>`
  );
  const parts = message.content === "" ? calls : [message.content, ...calls];
  return { ...message, content: parts.join("\n"), calls: [] };
}
