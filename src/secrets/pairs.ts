/**
 * Which pairs of neighbouring characters a text has: a word of which one pair is missing need not be looked for.
 * One pass over the text stands for one for each of many words. The finder of secrets uses it.
 */

/** ASCII characters; all others count as one. */
const CHARACTERS = 128;
const OTHER = 0;

/** The pairs of one text after the other. */
export class CharacterPairs {
  readonly #seen = new Uint8Array(CHARACTERS * CHARACTERS);

  /** Goes over to another text. */
  load(text: string): void {
    const seen = this.#seen;
    seen.fill(0);
    let before = pairIndex(text.charCodeAt(0));
    for (let index = 1; index < text.length; index++) {
      const code = pairIndex(text.charCodeAt(index));
      seen[before * CHARACTERS + code] = 1;
      before = code;
    }
  }

  /** False if the text cannot hold a word. */
  mayHold(word: string): boolean {
    for (let index = 1; index < word.length; index++) {
      const pair = pairIndex(word.charCodeAt(index - 1)) * CHARACTERS +
        pairIndex(word.charCodeAt(index));
      if (this.#seen[pair] === 0) return false;
    }
    return true;
  }
}

function pairIndex(code: number): number {
  return code < CHARACTERS ? code : OTHER;
}
