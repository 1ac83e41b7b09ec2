/**
 * Calls back at regular times until stopped.
 */

/** Calls back every so many milliseconds; stops when the returned function is called. */
export function everyInterval(ms: number, callback: () => void): () => void {
  const timer = setInterval(callback, ms);
  return () => clearInterval(timer);
}
