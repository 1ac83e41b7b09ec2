/**
 * What a llama-server would have shown of itself, for tests with another server in its place.
 */
import { join } from "node:path";
import type { ModelProfile, ServerFeatures } from "../../src/core/endpoint.ts";
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

/** Has ally know this of a server's model "scripted", as if an earlier run had found it out. */
export async function knowModel(
  { home }: Pick<Place, "home">,
  { url, ...known }: { readonly url: string } & Partial<ModelProfile>,
): Promise<void> {
  const profile = { checked: new Date().toISOString(), ...known };
  await Deno.mkdir(home, { recursive: true });
  const path = join(home, "models.json");
  await Deno.writeTextFile(path, JSON.stringify({ [`${url} scripted`]: profile }));
}

/** Has ally know what a server showed in an earlier run: a short one may end before it is told. */
export async function rememberFeatures(
  { home }: Place,
  { url, features }: { url: string; features: ServerFeatures },
): Promise<void> {
  const profile = { checked: new Date().toISOString(), features };
  await Deno.mkdir(home, { recursive: true });
  const known = { [`${url} scripted`]: profile };
  await Deno.writeTextFile(join(home, "models.json"), JSON.stringify(known));
}
