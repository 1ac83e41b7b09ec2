/**
 * Where a request stops being the continuation of the one before it: from there on a server has to read all of it
 * again, whatever it had cached. Pure, and quick for long conversations: what two requests have in common is the very
 * same text in memory, so that it is compared without being read.
 */
import type { CacheBreak } from "../core/event.ts";
import type { SentPart } from "../core/model.ts";
import { isObject } from "../lib/schema.ts";

/** Characters shown before the difference and after it. */
const LEAD = 12;
const SHOWN = 60;

/** Compares a request with the one before it; undefined if it goes on where that one ended. */
export function findCacheBreak(
  before: readonly SentPart[],
  now: readonly SentPart[],
): CacheBreak | undefined {
  for (const [index, part] of before.entries()) {
    const other = now[index];
    // A request that only ends earlier is cached as far as it goes.
    if (other === undefined) return undefined;
    if (part.where === other.where && isSame(part.value, other.value)) continue;
    if (index === before.length - 1 && isContinued(part.value, other.value)) continue;
    return describeBreak(part, other);
  }
  return undefined;
}

/** Whether two values are the same as JSON; equal strings are mostly one string, which costs nothing. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  const [left, right] = [Object.entries(one), Object.entries(other)];
  return left.length === right.length &&
    left.every(([key, value], index) =>
      key === right[index]?.[0] && isSame(value, right[index]?.[1])
    );
}

/** Whether the last message has only become longer, as one of the user does when more is said before a reply. */
function isContinued(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other)) return false;
  const { content: before, ...restBefore } = one;
  const { content: now, ...restNow } = other;
  return typeof before === "string" && typeof now === "string" && now.startsWith(before) &&
    isSame(restBefore, restNow);
}

function describeBreak(part: SentPart, other: SentPart): CacheBreak {
  const [before, now] = [part, other].map(({ value }) => JSON.stringify(value) ?? "");
  const start = countCommon(before!, now!);
  const from = Math.max(0, start - LEAD);
  const excerpt = (text: string) => text.slice(from, start + SHOWN).toWellFormed();
  return {
    where: other.where,
    byte: new TextEncoder().encode(now!.slice(0, start)).length,
    before: excerpt(before!),
    now: excerpt(now!),
  };
}

/** Characters with which two texts begin in common. */
function countCommon(one: string, other: string): number {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count++;
  return count;
}
