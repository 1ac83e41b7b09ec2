/**
 * What a llama-server would have shown of itself, for tests with another server in its place.
 */
import type { ServerFeatures } from "../../src/core/endpoint.ts";

/** The features of a server with one slot. */
export function featuresOf(
  { keepsReasoning, ...features }:
    & Partial<ServerFeatures>
    & { readonly keepsReasoning: boolean },
): ServerFeatures {
  return {
    kind: "llamacpp",
    slots: 1,
    lists_slots: true,
    template_caps: keepsReasoning ? ["supports_preserve_reasoning"] : [],
    template_arguments: [],
    ...features,
  };
}
