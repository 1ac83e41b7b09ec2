/**
 * A change of a file or directory that its time of modification does not show, in the same second as the one before.
 */
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds for which what has just been made counts as too young to be remembered, and more. */
const AGE_MS = 250;

/**
 * Makes a file or directory with `first`, looks at it a moment later, and changes it, after which its time is set back;
 * begins again if that was not all in one second.
 */
export async function changeUnseen<T>(
  first: () => string,
  look: (path: string) => Promise<T> | T,
  second: (path: string) => void,
): Promise<T> {
  for (;;) {
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
}
