/**
 * One figure for several measurements, which one slow run does not move.
 */

/** The median; NaN of no values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** The value that only a tenth is below: what it takes when nothing else is in the way. NaN of no values. */
export function fastestTenth(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? NaN;
}

/** The median of the quotients of what each round measured. */
export function medianRatio(of: readonly number[], to: readonly number[]): number {
  return median(of.map((value, round) => value / to[round]!));
}
