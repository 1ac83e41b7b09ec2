/**
 * Chance that can be repeated: what a random test draws comes from a seed, which stands in the test's name.
 */

/** The seed of this run: ALLY_TEST_SEED, or another one each time. */
export const TEST_SEED = Number(Deno.env.get("ALLY_TEST_SEED") ?? Date.now() % 1_000_000);

/** How many cases a long random test makes: ALLY_TEST_COUNT, or its own number. */
export function testCount(usual: number): number {
  return Number(Deno.env.get("ALLY_TEST_COUNT") ?? usual);
}

/** Numbers from 0 to below 1, the same ones for the same seed (the generator mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
