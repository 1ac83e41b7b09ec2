/**
 * How the work of a function grows with its input, by comparing its own times with each other: a limit in
 * milliseconds would say more about the machine than about the function. What counts is the time that this thread had
 * a processor, so that a busy machine changes little.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

const RUNS = 5;
/** The large input is so many times the small one. */
const FACTOR = 8;
/** Growth by the square is a factor of 64. */
const MAX_GROWTH = 3 * FACTOR;
/** A time below this says more about the clock than about the input. */
const LEAST_MS = 2;

/**
 * Asserts that a task takes about eight times as long on eight times the input: linear, not square. What other
 * work on the machine spoils is measured again.
 */
export async function assertLinear(
  task: (size: number) => unknown,
  { size, what = "the task" }: { size: number; what?: string },
): Promise<void> {
  const small = () => task(Math.ceil(size / FACTOR));
  await small();
  let growth = Infinity;
  for (let run = 0; run < RUNS && growth > MAX_GROWTH; run++) {
    const short = Math.max(await timeOf(small), LEAST_MS);
    growth = await timeOf(() => task(size)) / short;
  }
  assert.ok(growth <= MAX_GROWTH, `${what} takes ${growth.toFixed(1)} times as long`);
}

async function timeOf(task: () => unknown): Promise<number> {
  const started = await processorTime();
  await task();
  return await processorTime() - started;
}

/** Milliseconds that this thread has run; where the system does not say so, those on the clock. */
async function processorTime(): Promise<number> {
  // The figure is brought up to date when the thread gives up its processor.
  await delay(1);
  try {
    const [nanoseconds] = Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ");
    return Number(nanoseconds) / 1e6 || performance.now();
  } catch {
    return performance.now();
  }
}
