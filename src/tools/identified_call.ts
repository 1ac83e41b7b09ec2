/**
 * The first stages of a call: the tool that the model named is found, and its arguments are parsed and
 * validated. Nothing of the user's is touched by them.
 */
import { ToolError } from "../core/errors.ts";
import type { EventBody } from "../core/event.ts";
import type { ToolCall } from "../core/message.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Effect, Tool, ToolDefinition } from "../core/tool.ts";
import { mapStrings } from "../lib/json_strings.ts";
import { parseJson } from "../lib/json_text.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import { parseArguments } from "./arguments.ts";
import type { Registry } from "./registry.ts";

/** A call whose tool is found and whose arguments are valid. */
export interface IdentifiedCall {
  readonly call: ToolCall;
  readonly definition: ToolDefinition;
  readonly tool: Tool;
  readonly input: JsonObject;
  /** One line for people: what the call does. */
  readonly description: string;
  /** What this very call does, which may be less than its tool can. */
  readonly effects: readonly Effect[];
}

/**
 * Finds the tool of a call and validates the arguments.
 * @throws {ToolError} validation: there is no such tool, or it does not take these arguments; permission: they hold a
 * masked secret, and it would send them away
 */
export async function identify(
  made: ToolCall,
  { registry, secrets }: { registry: Registry; secrets: Secrets },
): Promise<IdentifiedCall> {
  const call = forwarded(made, registry);
  const definition = registry.find(call.name);
  if (call.refused !== undefined) throw new ToolError(call.refused, { kind: "validation" });
  const sent = parseArguments(definition, call.arguments);
  const input = withSecrets(sent, { definition, secrets });
  const tool = await registry.load(definition);
  tool.check?.(input);
  const effects = tool.effectsOf?.(input) ?? definition.effects;
  return { call, definition, tool, input, description: tool.describe(input), effects };
}

/** The call that a forwarding one stands for; others are what they are. */
function forwarded(call: ToolCall, registry: Registry): ToolCall {
  const definition = registry.find(call.name);
  if (!definition.forwards || call.refused !== undefined) return call;
  const { name, arguments: given } = parseArguments(definition, call.arguments);
  const target = registry.find(String(name));
  if (target.forwards) {
    throw new ToolError(`${target.name} cannot call itself.`, { kind: "validation" });
  }
  return { ...call, name: target.name, arguments: JSON.stringify(given) };
}

/** The arguments with the secrets that their placeholders stand for, as the tool gets them. */
function withSecrets(
  sent: JsonObject,
  { definition: { effects }, secrets }: { definition: ToolDefinition; secrets: Secrets },
): JsonObject {
  // What stays in the session, or is said to another agent, is kept and sent with its placeholders.
  if (effects.every((effect) => effect === "session" || effect === "delegate")) return sent;
  const input = mapStrings(sent, (text) => secrets.reveal(text));
  const isSent = effects.includes("net") || effects.includes("remote");
  if (isSent && JSON.stringify(input) !== JSON.stringify(sent)) {
    throw new ToolError(
      "Permission denied: a secret that is shown as a placeholder is sent to no other machine and no server",
      {
        kind: "permission",
        suggestion:
          "Do without it, or tell the user what you would need: they can send it themselves, with ! and a command.",
      },
    );
  }
  return input;
}

/** Announces a call, as far as it was understood. */
export function emitStart(
  call: ToolCall,
  { emit, known }: { emit: (event: EventBody) => void; known: IdentifiedCall | undefined },
): void {
  emit({
    type: "tool_start",
    call_id: call.id,
    name: known?.definition.name ?? call.name,
    input: known?.input ?? parseSent(call.arguments),
    description: known?.description ?? "",
    ...(call.rescued && { rescued: true }),
  });
  emit({ type: "tool_state", call_id: call.id, state: "validating" });
}

/** Arguments that no tool took: the object that they are, or else their text. */
function parseSent(text: string): unknown {
  const value = parseJson(text);
  return isObject(value) ? value : text;
}
