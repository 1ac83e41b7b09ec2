/**
 * Hooks for tests: written to a place's configuration, with a file in which they note what they were told.
 */
import { join } from "node:path";
import type { HookEvent, HookSettings } from "../../src/core/hooks.ts";
import { isObject } from "../../src/lib/schema.ts";
import type { Place } from "./program.ts";

/** Seconds in which a machine that has much else to do starts a program. */
const SLOW = 60;

/** Writes the user's configuration. */
export async function writeHooks(place: Place, hooks: HookSettings): Promise<void> {
  await Deno.mkdir(place.home, { recursive: true });
  await Deno.writeTextFile(join(place.home, "config.json"), JSON.stringify({ hooks }));
}

/** Writes a project's configuration. */
export async function writeProjectHooks(place: Place, hooks: HookSettings): Promise<void> {
  await Deno.mkdir(join(place.dir, ".ally"), { recursive: true });
  await place.write(".ally/config.json", JSON.stringify({ hooks }));
}

/** A hook that says a text. */
export function saying(answer: unknown) {
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  return { command: ["printf", "%s", text], timeout: SLOW } as const;
}

/** A hook that notes what it is told, and says a text. */
export function noting(place: Place, answer: unknown = {}) {
  const { command: [, , text] } = saying(answer);
  const script = 'cat >> "$1"; printf "%s" "$2"';
  return {
    command: ["sh", "-c", script, "sh", notesOf(place), text],
    trusted: true,
    timeout: SLOW,
  } as const;
}

/** What hooks were told, in order. */
export async function readNotes(
  place: Place,
): Promise<{ event: HookEvent; [key: string]: unknown }[]> {
  const text = await Deno.readTextFile(notesOf(place)).catch(() => "");
  return text.split("\n").filter(Boolean).map((line) => {
    const value: unknown = JSON.parse(line);
    if (!isObject(value)) throw new Error(`A hook was told no object: ${line}`);
    return value as { event: HookEvent };
  });
}

function notesOf(place: Place): string {
  return join(place.home, "notes.jsonl");
}
