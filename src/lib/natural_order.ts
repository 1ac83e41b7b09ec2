/**
 * The order in which people look for names: numbers in them by their value, so that `file24` stands before `file199`.
 */

/** Compares names for a list that people read; the language of the machine does not matter. */
export function createNaturalOrder(): (a: string, b: string) => number {
  const { compare } = new Intl.Collator("en", { numeric: true });
  // Names that differ only in zeros before a number are equal to the collator.
  return (a, b) => compare(a, b) || (a < b ? -1 : 1);
}
