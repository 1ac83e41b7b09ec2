/**
 * A message as it is saved and sent: with placeholders for the secrets in it.
 */
import type { LoadedSkill, Message, Reasoning, ToolCall } from "../core/message.ts";
import type { Secrets } from "../core/secrets.ts";
import type { PromptPart } from "../core/system_prompt.ts";
import { mapStrings } from "../lib/json_strings.ts";

/** The message without secrets; ids and names, which tie messages together, stay as they are. */
export function maskMessage<M extends Message>(message: M, secrets: Secrets): M {
  const content = secrets.remask(message.content);
  if (message.role === "user") {
    const { typed, told, skills } = message;
    if (typed === undefined && told === undefined && content === message.content) return message;
    return {
      ...message,
      content,
      ...typed !== undefined && { typed: secrets.remask(typed) },
      ...told && { told: maskPrompt(told, (text) => secrets.remask(text)) },
      ...skills && { skills: maskSkills(skills, secrets) },
    };
  }
  if (message.role !== "assistant") {
    if (content === message.content) return message;
    const skills = message.role === "tool" ? message.skills : undefined;
    return { ...message, content, ...skills && { skills: maskSkills(skills, secrets) } };
  }
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

function maskSkills(skills: readonly LoadedSkill[], secrets: Secrets): readonly LoadedSkill[] {
  return skills.map((skill) => ({ ...skill, text: secrets.remask(skill.text) }));
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
      return [content, written, thinking, echoed, ...calls.map((call) => call.arguments)];
    }
    default:
      return [message.content];
  }
}

/** Arguments are JSON: their strings are masked as they will be used, not as they are escaped. */
function maskCall(call: ToolCall, secrets: Secrets): ToolCall {
  const remask = (text: string) => secrets.remask(text);
  let value: unknown;
  try {
    value = JSON.parse(call.arguments);
  } catch {
    return { ...call, arguments: remask(call.arguments) };
  }
  const masked = mapStrings(value, remask);
  return masked === value ? call : { ...call, arguments: JSON.stringify(masked) };
}
