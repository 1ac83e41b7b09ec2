/**
 * What a command line starts, as plugins and own tools are told of it: apart from how it is found, since its type is
 * public.
 */

/** One program with its arguments, quotes removed. */
export interface CommandInvocation {
  /** Name without directories; undefined if only the running shell knows it, as with `$TOOL x`. */
  readonly program: string | undefined;
  /** As written where only the running shell knows the value. */
  readonly args: readonly string[];
  /** Whether its standard input is a pipe, a file or a text of its own. */
  readonly fed: boolean;
}
