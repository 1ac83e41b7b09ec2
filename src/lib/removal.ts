/** What the words of `rm` say, for those who judge what it would remove. */

/** An option that removes directories with all that is in them, among others or shortened as `rm` takes it. */
const RECURSIVE = /^(?:-[a-zA-Z]*[rR][a-zA-Z]*|--r[a-z]*)$/;

/** Whether the words behind `rm` say that it removes directories with what is in them. */
export function isRecursive(words: readonly string[]): boolean {
  return words.some((word) => RECURSIVE.test(word));
}
