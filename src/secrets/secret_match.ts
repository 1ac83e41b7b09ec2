/**
 * A place in a text where a secret stands, and how places that overlap are settled.
 */

/** A secret as found; `end` is exclusive. */
export interface SecretMatch {
  readonly start: number;
  readonly end: number;
  /** What it is: lower case, digits and underscores. */
  readonly kind: string;
  /** Only its place tells that it is a secret: the same text elsewhere may be anything. */
  readonly weak?: boolean;
}

/** Findings in order, none overlapping: of two that do, the one that begins first, then the longer. */
export function resolveOverlaps(findings: readonly SecretMatch[]): SecretMatch[] {
  const sorted = findings.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const kept: SecretMatch[] = [];
  for (const one of sorted) {
    const last = kept.at(-1);
    if (last === undefined || one.start >= last.end) kept.push(one);
    // What sticks out behind is part of some secret as well.
    else if (one.end > last.end) kept[kept.length - 1] = { ...last, end: one.end };
  }
  return kept;
}
