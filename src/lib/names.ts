/**
 * Finds a name that is spelt in another way, and those that a mistyped one may have meant.
 */
import { distance } from "fastest-levenshtein";

/** Names offered for a mistyped one. */
const MAX_NEAR = 3;

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

/**
 * The known names that a mistyped one may have meant: those that begin with it, else those that differ in a letter, else
 * those that have its letters in their order (`perms` for `permissions`), else those that differ in some.
 */
export function findNear(typed: string, known: Iterable<string>): string[] {
  const wanted = foldName(typed);
  if (wanted === "") return [];
  const scored = [...new Set(known)].map((name) => ({ name, ...nearness(wanted, foldName(name)) }))
    .filter(({ tier }) => tier < FAR)
    .toSorted((a, b) => a.tier - b.tier || a.letters - b.letters);
  const best = scored[0]?.tier;
  return scored.filter(({ tier }) => tier === best).slice(0, MAX_NEAR).map(({ name }) => name);
}

/** "Did you mean a, b or c?", or nothing if nothing is near. */
export function didYouMean(near: readonly string[]): string {
  const last = near.at(-1);
  if (last === undefined) return "";
  const before = near.slice(0, -1).join(", ");
  return `Did you mean ${before === "" ? last : `${before} or ${last}`}?`;
}

/** Whether a word that may also be meant as it is looks like a slip: one letter, or two in a long name. */
export function isSlip(typed: string, name: string): boolean {
  return typed[0] === name[0] && distance(typed, name) <= (name.length > 5 ? 2 : 1);
}

const FAR = 4;

/** How near a name is: in which way, and by how many letters. */
function nearness(wanted: string, name: string): { tier: number; letters: number } {
  const letters = distance(wanted, name);
  const isShort = wanted.length < 4;
  if (wanted.length > 1 && name.startsWith(wanted)) return { tier: 0, letters };
  if (letters <= 1 && wanted.length > 1) return { tier: 1, letters };
  if (wanted.length > 1 && hasLettersOf(wanted, name)) return { tier: 2, letters };
  const longer = Math.max(wanted.length, name.length);
  return { tier: !isShort && letters <= 3 && letters * 2 <= longer ? 3 : FAR, letters };
}

/** Whether a name begins with the first of some letters and has the others behind it in their order. */
function hasLettersOf(wanted: string, name: string): boolean {
  if (wanted[0] !== name[0]) return false;
  let at = 0;
  for (const letter of name) if (letter === wanted[at]) at++;
  return at === wanted.length;
}
