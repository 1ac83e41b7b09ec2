/**
 * What servers show of themselves: what they are, and of llama-server, in `/props`, its slots and what its model's chat
 * template can do. Only a server that has shown this is sent what other servers do not know.
 */
import type { ServerFeatures } from "../core/endpoint.ts";
import { numberOf, objectOf, textOf } from "./fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Arguments by which a chat template is told to show the thinking of earlier turns, and their values for that. */
const KEEPING_ARGUMENTS: Readonly<Record<string, boolean>> = {
  preserve_thinking: true,
  clear_thinking: false,
  truncate_history_thinking: false,
  drop_thinking: false,
};

/** Arguments that chat templates are searched for. */
const ARGUMENTS: readonly string[] = [
  "enable_thinking",
  "reasoning_effort",
  ...Object.keys(KEEPING_ARGUMENTS),
];

/** The features in an answer of `/props`; undefined if it is not llama-server's. */
export function readFeatures(props: Fields | undefined): ServerFeatures | undefined {
  if (objectOf(props?.["default_generation_settings"]) === undefined) return undefined;
  const template = [props?.["chat_template"], props?.["chat_template_tool_use"]]
    .map((text) => textOf(text) ?? "").join("\n");
  return {
    kind: "llamacpp",
    slots: numberOf(props?.["total_slots"]) ?? 1,
    lists_slots: props?.["endpoint_slots"] === true,
    template_caps: Object.entries(objectOf(props?.["chat_template_caps"]) ?? {})
      .flatMap(([name, isSupported]) => isSupported === true ? [name] : []),
    template_arguments: ARGUMENTS.filter((name) => new RegExp(`\\b${name}\\b`).test(template)),
  };
}

/** What a server of another kind shows: what it is. */
export function featuresOfKind(kind: ServerFeatures["kind"]): ServerFeatures {
  return { kind, lists_slots: false, template_caps: [], template_arguments: [] };
}

/** Whether the chat template can show the thinking of earlier turns. */
export function keepsReasoning(features: ServerFeatures | undefined): boolean {
  return features?.template_caps.includes("supports_preserve_reasoning") ?? false;
}

/**
 * Whether the chat template shows no tools: llama-server takes them then, and the model never sees one. A server that
 * tells nothing of its template may do either.
 */
export function hidesTools(features: ServerFeatures | undefined): boolean {
  const { template_caps: caps = [] } = features ?? {};
  return caps.length > 0 && !caps.includes("supports_tools");
}

/** The arguments that have the chat template show the thinking of earlier turns; undefined if it takes none. */
export function keepingArguments(
  features: ServerFeatures | undefined,
): Readonly<Record<string, boolean>> | undefined {
  if (features === undefined || !keepsReasoning(features)) return undefined;
  const known = Object.entries(KEEPING_ARGUMENTS)
    .filter(([name]) => features.template_arguments.includes(name));
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
