/**
 * What a checker finds: the vocabulary that the checkers, the comparison and the report share.
 */

/** One thing wrong with a text. */
export interface Problem {
  /** Where a person would look, in UTF-16 units from the start of the text. */
  readonly offset: number;
  readonly message: string;
}

/**
 * Finds what is wrong with a text, in order; throws if it cannot tell, in time or at all. Line ends are
 * `\n` or `\r\n`.
 */
export type FindProblems = (text: string) => readonly Problem[];

/** Languages judged by a grammar, under the names of their grammars. */
export type Grammar =
  | "bash"
  | "c"
  | "c-sharp"
  | "cpp"
  | "css"
  | "go"
  | "html"
  | "java"
  | "javascript"
  | "php"
  | "python"
  | "ruby"
  | "rust"
  | "tsx"
  | "typescript";
