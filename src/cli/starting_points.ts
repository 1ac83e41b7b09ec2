/**
 * What a run starts from: its directory, the model if none is named, the project's notes, the network that is
 * left to it. Called by `compose.ts`.
 */
import { cutToTokens } from "../context/tokens.ts";
import { UsageError } from "../core/errors.ts";
import type { ProjectFile } from "../core/project.ts";
import { messageOf } from "../lib/text.ts";
import type { NarrowFetch } from "../model/narrow_fetch.ts";
import type { Rules } from "../permission/rules.ts";

/** The real path of the working directory. @throws {UsageError} it cannot be worked in */
export function canonical(directory: string): string {
  try {
    return Deno.realPathSync(directory);
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound
      ? "there is no such directory"
      : messageOf(error);
    throw new UsageError(`Cannot work in ${directory}: ${why}.`, { cause: error });
  }
}

/** The rule by which what ally keeps for the model to read may be read; no person made it, so none is shown it. */
export function readable(directory: string): Rules {
  return { source: "ally", allow: { read: [directory] }, deny: {}, allowAll: false };
}

/** Loaded only where the network is given up. */
export async function narrowFetch(endpoint: string): Promise<NarrowFetch> {
  const { openNarrowFetch } = await import("../model/narrow_fetch.ts");
  return openNarrowFetch(endpoint);
}

/** The project's notes as the model gets them: at most a quarter of its window. */
export function notesFor(notes: ProjectFile | undefined, contextSize: number) {
  return notes && { path: notes.path, text: cutToTokens(notes.text, Math.floor(contextSize / 4)) };
}

/** The server's first model, for those who name none. */
export async function firstModel(ask: () => Promise<string[]>): Promise<string> {
  const [first] = await ask();
  if (first !== undefined) return first;
  throw new UsageError(
    "No model is named, and the server lists none. Name one with --model NAME or ALLY_MODEL.",
  );
}
