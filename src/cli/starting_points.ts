/**
 * What a run starts from where nobody says: the model, what it may read of ally's own, the network that is left
 * to it. Called by `compose.ts`.
 */
import { UsageError } from "../core/errors.ts";
import type { NarrowFetch } from "../model/narrow_fetch.ts";
import type { Rules } from "../permission/rules.ts";

/** The rule by which what ally keeps for the model to read may be read; no person made it, so none is shown it. */
export function readable(directory: string): Rules {
  return { source: "ally", allow: { read: [directory] }, deny: {}, allowAll: false };
}

/** Loaded only where the network is given up. */
export async function narrowFetch(endpoint: string): Promise<NarrowFetch> {
  const { openNarrowFetch } = await import("../model/narrow_fetch.ts");
  return openNarrowFetch(endpoint);
}

/** The server's first model, for those who name none. */
export async function firstModel(ask: () => Promise<string[]>): Promise<string> {
  const [first] = await ask();
  if (first !== undefined) return first;
  throw new UsageError(
    "No model is named, and the server lists none. Name one with --model NAME or ALLY_MODEL.",
  );
}
