/**
 * Live output for a person, thinned where a command writes more than anybody can read, so that a
 * command that writes gigabytes does not become gigabytes of events. Logs get it too, so it is cut as other texts are:
 * what is left out neither begins nor ends within what may be a secret.
 */
import { cutAfter } from "../../src/api.ts";

/** Milliseconds of a window, and characters shown in one. */
const WINDOW = 100;
const MAX_SHOWN = 16_000;
/** Characters of the end that are shown in any case: there a command says how it went. */
const MAX_END = 8_000;
/** Characters by which a cut is moved at most, and those in front of one that decide where it may be. */
const MAX_SHIFT = 2_000;
const LOOK_BACK = 640;

/** Receives the chunks of an output, and passes on what fits. */
export interface LiveOutput {
  readonly add: (chunk: string) => void;
  /** Passes on the end of what did not fit. */
  readonly end: () => void;
}

/** Makes one, which says what it left out. */
export function throttle(report: (chunk: string) => void): LiveOutput {
  let since = -Infinity;
  let room = 0;
  let skipped = 0;
  let before = "";
  /** The end of what was left out. */
  let last = "";
  /** The first place in a chunk, from `at` on, where it may be cut; its end if there is none. */
  const placeFrom = (chunk: string, at: number) => {
    const place = cutAfter(before + chunk, before.length + at) - before.length;
    return Math.min(place, at + MAX_SHIFT, chunk.length);
  };
  const tellSkipped = (characters: number) =>
    report(`\n[... ${characters} characters not shown ...]\n`);
  const add = (chunk: string) => {
    const now = performance.now();
    const isOver = now - since >= WINDOW;
    const start = skipped === 0 ? 0 : isOver ? placeFrom(chunk, 0) : chunk.length;
    skipped += skipped === 0 ? 0 : start;
    if (start < chunk.length) {
      if (skipped > 0) tellSkipped(skipped);
      last = "";
      if (isOver) [since, room] = [now, MAX_SHOWN];
      const fits = chunk.length - start <= room;
      const end = fits ? chunk.length : placeFrom(chunk, start + Math.max(0, room));
      const shown = chunk.slice(start, room > -MAX_SHIFT ? end : start);
      room -= shown.length;
      skipped = chunk.length - start - shown.length;
      if (shown !== "") report(shown);
    }
    before = (before + chunk).slice(-LOOK_BACK);
    last += chunk.slice(chunk.length - Math.min(skipped, chunk.length));
    if (last.length > 4 * MAX_END) last = last.slice(-2 * MAX_END);
  };
  const end = () => {
    if (skipped === 0) return;
    const isWhole = last.length === skipped && skipped <= MAX_END;
    const shown = isWhole ? last : last.slice(cutAfter(last, Math.max(0, last.length - MAX_END)));
    if (skipped > shown.length) tellSkipped(skipped - shown.length);
    skipped = 0;
    last = "";
    if (shown !== "") report(shown);
  };
  return { add, end };
}
