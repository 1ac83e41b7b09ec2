/**
 * Which tip is shown today: the next one at the first start of a day, none at a later one. A person's very first day has
 * none, since there is enough to read.
 */
import { updateLocked } from "../lib/locked_file.ts";
import { isObject } from "../lib/schema.ts";
import { readJsonIfAny } from "./json_file.ts";

/**
 * The index of the tip to show, which is then shown; undefined for none. `day` is the person's own, as 2026-01-31. Never
 * rejects: without a file that can be written there are no tips.
 */
export async function takeTip(
  path: string,
  { day, count }: { day: string; count: number },
): Promise<number | undefined> {
  let tip: number | undefined;
  try {
    await updateLocked(path, (canonicalPath) => {
      const known = readState(canonicalPath);
      if (known?.day === day) return Promise.resolve(undefined);
      tip = known === undefined ? undefined : known.next % count;
      const next = tip === undefined ? 0 : tip + 1;
      return Promise.resolve(`${JSON.stringify({ day, next })}\n`);
    });
  } catch {
    return undefined;
  }
  return tip;
}

function readState(path: string): { day: string; next: number } | undefined {
  const value = readJsonIfAny(path);
  if (!isObject(value) || typeof value.day !== "string") return undefined;
  return { day: value.day, next: Number.isSafeInteger(value.next) ? Number(value.next) : 0 };
}
