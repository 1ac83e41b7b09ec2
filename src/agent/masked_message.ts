/**
 * A message as it is saved and sent: with placeholders for the secrets in it.
 */
import type { Message, Reasoning, ToolCall } from "../core/message.ts";
import type { Secrets } from "../core/secrets.ts";
import type { PromptPart } from "../core/system_prompt.ts";
import { mapStrings } from "../lib/json_strings.ts";

/** The message without secrets, all of it but the ids that tie messages together. */
export function maskMessage<M extends Message>(message: M, secrets: Secrets): M {
  const remask = (text: string) => secrets.remask(text);
  if (message.role === "tool") {
    const masked = mapStrings(message, remask);
    return masked === message ? message : { ...masked, call_id: message.call_id };
  }
  if (message.role !== "assistant") return mapStrings(message, remask);
  const content = remask(message.content);
  const { thinking, reasoning, written } = message;
  const calls = message.calls.map((call) => maskCall(call, secrets));
  return {
    ...message,
    content,
    calls,
    ...written !== undefined && {
      // A secret may stand in it escaped, where only the calls show it.
      written: calls.every((call, index) => call === message.calls[index]) &&
          secrets.remask(written) === written
        ? written
        : undefined,
    },
    ...(thinking !== undefined && { thinking: secrets.remask(thinking) }),
    ...reasoning !== undefined && { reasoning: maskReasoning(reasoning, secrets) },
  };
}

/** Thinking without secrets; undefined if a signature would no longer fit it. */
function maskReasoning(reasoning: Reasoning, secrets: Secrets): Reasoning | undefined {
  const { model, place } = mapStrings(reasoning, (text) => secrets.remask(text));
  const isSigned = place.in === "fields" && "reasoning_details" in place.fields;
  return isSigned && JSON.stringify(place) !== JSON.stringify(reasoning.place)
    ? undefined
    : { model, place };
}

/** The same for a message that was masked by the same rules when it was saved: far cheaper. */
export function remaskMessage<M extends Message>(message: M, secrets: Secrets): M {
  return textsOf(message).some((text) => secrets.holdsKnown(text))
    ? maskMessage(message, secrets)
    : message;
}

/** A system prompt, or a part of one, without secrets. */
export function maskPrompt(
  parts: readonly PromptPart[],
  mask: (text: string) => string,
): readonly PromptPart[] {
  return parts.map(({ name, text }) => ({ name: mask(name), text: mask(text) }));
}

function textsOf(message: Message): readonly string[] {
  switch (message.role) {
    case "user":
      return [
        message.content,
        message.typed ?? "",
        ...(message.told ?? []).map(({ text }) => text),
      ];
    case "assistant": {
      const { content, written = "", thinking = "", reasoning, calls } = message;
      const echoed = reasoning === undefined ? "" : JSON.stringify(reasoning);
      const called = calls.flatMap((call) => [call.name, call.arguments]);
      return [content, written, thinking, echoed, ...called];
    }
    case "tool":
      return [message.content, message.name, ...(message.files ?? []).map(({ path }) => path)];
    default:
      return [message.content];
  }
}

/** Arguments are JSON: their strings are masked as they will be used, not as they are escaped. */
function maskCall(call: ToolCall, secrets: Secrets): ToolCall {
  const remask = (text: string) => secrets.remask(text);
  const name = remask(call.name);
  const named = name === call.name ? call : { ...call, name };
  let value: unknown;
  try {
    value = JSON.parse(call.arguments);
  } catch {
    return { ...named, arguments: remask(call.arguments) };
  }
  const masked = mapStrings(value, remask);
  return masked === value ? named : { ...named, arguments: JSON.stringify(masked) };
}
