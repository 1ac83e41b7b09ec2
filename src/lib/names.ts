/**
 * Finds a name that is spelt in another way.
 */

/** The known name that a name means: itself, or the only one that differs in case, `-`, `_` and blanks. */
export function findName(name: string, known: Iterable<string>): string | undefined {
  const names = [...known];
  if (names.includes(name)) return name;
  const wanted = foldName(name);
  const alike = wanted === "" ? [] : names.filter((one) => foldName(one) === wanted);
  return alike.length === 1 ? alike[0] : undefined;
}

function foldName(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, "");
}
