/**
 * Live output for a person, thinned where a command writes more than anybody can read, so that a
 * command that writes gigabytes does not become gigabytes of events.
 */

/** Milliseconds of a window, and characters shown in one. */
const WINDOW = 100;
const MAX_SHOWN = 16_000;

/** Makes a receiver of chunks that passes on what fits and says what it left out. */
export function throttle(report: (chunk: string) => void): (chunk: string) => void {
  let since = -Infinity;
  let room = 0;
  let skipped = 0;
  return (chunk) => {
    const now = performance.now();
    if (now - since >= WINDOW) {
      if (skipped > 0) report(`\n[... ${skipped} characters not shown ...]\n`);
      [since, room, skipped] = [now, MAX_SHOWN, 0];
    }
    const shown = chunk.slice(0, room);
    room -= shown.length;
    skipped += chunk.length - shown.length;
    if (shown !== "") report(shown);
  };
}
