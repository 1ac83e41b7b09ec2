/**
 * A change of a file or directory that its time of modification does not show, in the same second as the one before.
 */
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds, more than the times of files lag behind the clock: it is the second alone that hides the change. */
const AGE_MS = 250;
/** Tries before it is given up. */
const TRIES = 20;

/**
 * Makes a file or directory with `first`, looks at it a moment later, and changes it, after which its time is set back;
 * begins again if that was not all in one second.
 * @throws {Error} it never was
 */
export async function changeUnseen<T>(
  first: () => string,
  look: (path: string) => Promise<T> | T,
  second: (path: string) => void,
): Promise<T> {
  for (let left = TRIES; left > 0; left--) {
    await delay(1050 - Date.now() % 1000);
    const path = first();
    const { atime, mtime } = Deno.statSync(path);
    await delay(AGE_MS);
    const seen = await look(path);
    second(path);
    Deno.utimeSync(path, atime!, mtime!);
    const { ctime } = Deno.statSync(path);
    if (Math.floor(mtime!.getTime() / 1000) === Math.floor(ctime!.getTime() / 1000)) return seen;
  }
  throw new Error("A second was always over before the second change");
}
