/**
 * Finds among many named things those that some words are about.
 */

/** A thing that can be found. */
export interface Searchable {
  readonly name: string;
  /** What else is said of it. */
  readonly text: string;
}

/**
 * The things that match the words, the best first: a word counts more in a name, and more the rarer it is. A word also
 * finds its longer forms: "issue" finds "issues".
 */
export function searchWords<T extends Searchable>(query: string, things: readonly T[]): T[] {
  const texts = things.map((thing) => {
    const name = wordsOf(thing.name);
    return { thing, name, words: new Set([...name, ...wordsOf(thing.text)]) };
  });
  const wanted = [...new Set(wordsOf(query))];
  const rarity = new Map(wanted.map((word) => {
    const having = texts.filter(({ words }) => hasWord(words, word)).length;
    return [word, Math.log(1 + things.length / (1 + having))];
  }));
  return texts
    .map(({ thing, name, words }) => ({
      thing,
      score: wanted.reduce((sum, word) => {
        const weight = rarity.get(word) ?? 0;
        return sum + (hasWord(name, word) ? 3 : hasWord(words, word) ? 1 : 0) * weight;
      }, 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ thing }) => thing);
}

function wordsOf(text: string): string[] {
  return text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase()
    .split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

function hasWord(words: Iterable<string>, wanted: string): boolean {
  for (const word of words) {
    if (word === wanted || (wanted.length > 2 && word.startsWith(wanted))) return true;
  }
  return false;
}
