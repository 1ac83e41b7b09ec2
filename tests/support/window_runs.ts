/**
 * Runs that fill the model's window: the files they read, the calls they make, and what must hold for each request.
 */
import assert from "node:assert/strict";
import type { Event } from "../../src/core/event.ts";
import type { Finished } from "./program.ts";
import type { SeenRequest, WireMessage } from "./window_server.ts";

/** Tokens of the window. */
export const WINDOW = 16_384;

/** The flags that set it. */
export const SIZE = ["--context-size", String(WINDOW)];

/** What the long runs are asked. */
export const PROMPT = "Read every file again and again. Never touch README.md.";

/** So many lines, other ones for each seed. */
export const words = (seed: number, count: number) =>
  Array.from({ length: count }, (_, index) => `word${(seed * 31 + index * 7) % 997} of ${index}`)
    .join("\n");

/** Files of so many lines; a hundred are about 900 tokens. */
export const files = (count: number, lines: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, one) => [`f${one}.txt`, words(one, lines)]),
  );

/** A call that reads a file. */
export const read = (file: number) => ({
  name: "read",
  arguments: { file_paths: [`f${file}.txt`] },
});

/** A call that prints a file. */
export const cat = (file: number) => ({ name: "bash", arguments: { command: `cat f${file}.txt` } });

/** The events of a run with `--output-format stream-json`. */
export const eventsOf = ({ stdout }: Finished): Event[] =>
  stdout.trim().split("\n").map((line) => JSON.parse(line));

/** The notices among them. */
export const noticesOf = (finished: Finished) =>
  eventsOf(finished).flatMap((event) => event.type === "notice" ? [event.text] : []);

/** What a request's messages of the user say. */
export const userTexts = (messages: readonly WireMessage[]) =>
  messages.filter(({ role }) => role === "user").map(({ content }) => content).join("\n");

/** Asserts that each request was valid and fitted the window. */
export function assertAllFit(seen: readonly SeenRequest[], size = WINDOW): void {
  for (const [index, { tokens, faults }] of seen.entries()) {
    assert.deepEqual(faults, [], `request ${index}`);
    assert.ok(tokens <= size, `request ${index} has ${tokens} tokens`);
  }
}
