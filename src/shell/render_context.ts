/**
 * What the parts of a renderer share: what is known of the script around them, and how they refuse.
 */
import type { ParsedScript } from "unbash";

/** Thrown where a script cannot be rendered; the message says what it uses. */
export class NotRenderedError extends Error {
  override name = "NotRendered";
}

/** What surrounds a word or an expression. */
export interface RenderContext {
  /** Whether a shell may run it that knows nothing but the standard's syntax. */
  readonly posix: boolean;
  /** Variables that may hold what must not be split into arguments of a builtin that evaluates them. */
  readonly unsplit: ReadonlySet<string>;
  /** Renders a substitution. */
  readonly renderScript: (script: ParsedScript | undefined) => string;
}
