/**
 * What a llama-server would have shown of itself, for tests with another server in its place.
 */
import { join } from "node:path";
import type { ServerFeatures } from "../../src/core/endpoint.ts";
import type { Place } from "./program.ts";

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
    template_caps: [
      "supports_tools",
      ...keepsReasoning ? ["supports_preserve_reasoning"] : [],
    ],
    template_arguments: [],
    ...features,
  };
}

/** Writes into a home what a server is known to have shown, of its model "scripted". */
export async function rememberFeatures(
  { home }: Pick<Place, "home">,
  { url, features }: { url: string; features: ServerFeatures | undefined },
): Promise<void> {
  await Deno.mkdir(home, { recursive: true });
  const profile = { checked: new Date().toISOString(), features };
  const known = { [`${url} scripted`]: profile };
  await Deno.writeTextFile(join(home, "models.json"), JSON.stringify(known));
}
