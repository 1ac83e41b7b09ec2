/**
 * A secret found in a text, and how overlapping ones are resolved.
 */

/** A secret as found; `end` is exclusive. */
export interface SecretMatch {
  readonly start: number;
  readonly end: number;
  /** What it is: lower case, digits and underscores. */
  readonly kind: string;
  /** Only its place tells that it is a secret: the same text elsewhere may be anything. */
  readonly weak?: boolean;
  /** Its form tells that it is a secret, wherever it stands. @default false */
  readonly formed?: boolean;
}

/** Matches in order, none overlapping: of two that do, the one that begins first, then the longer. */
export function resolveOverlaps(findings: readonly SecretMatch[]): SecretMatch[] {
  const sorted = findings.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const resolved: SecretMatch[] = [];
  for (const one of sorted) {
    const last = resolved.at(-1);
    if (last === undefined || one.start >= last.end) resolved.push(one);
    // What sticks out behind is part of some secret as well.
    else if (one.end > last.end) resolved[resolved.length - 1] = { ...last, end: one.end };
  }
  return resolved;
}
