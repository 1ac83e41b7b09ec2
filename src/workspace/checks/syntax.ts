/**
 * A syntax tree as the search for errors needs it: its tokens in order, and the places where the parser had to
 * skip or to make up something. For texts with errors only.
 */
import type { Tree, TreeCursor } from "web-tree-sitter";

/** The smallest part of a tree. */
export interface Token {
  /** For keywords and punctuation the text itself. */
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** Whether it has a name in the grammar, unlike keywords and punctuation. */
  readonly named: boolean;
  /** Whether the parser could not place what it stands in. */
  readonly stray: boolean;
}

/** A part that the parser skipped, or a token that it made up. */
export interface Fault {
  readonly start: number;
  readonly end: number;
  /** The token made up, undefined for what was skipped. */
  readonly missing: string | undefined;
}

/** The tokens of a text, and where it did not parse. */
export interface Syntax {
  /** All but comments and empty tokens. */
  readonly tokens: readonly Token[];
  /** The outermost faults. */
  readonly faults: readonly Fault[];
}

/** Walks a tree from its first token to its last. */
export function readTree(tree: Tree): Syntax {
  const tokens: Token[] = [];
  const faults: Fault[] = [];
  /** Whether each node above the current one is an error. */
  const above: boolean[] = [];
  const cursor = tree.walk();
  try {
    for (;;) {
      const isError = cursor.nodeType === "ERROR";
      const isMissing = cursor.nodeIsMissing;
      if ((isError || isMissing) && !above.includes(true)) faults.push(faultOf(cursor));
      if (!isMissing && cursor.gotoFirstChild()) {
        above.push(isError);
        continue;
      }
      const isEmpty = cursor.startIndex === cursor.endIndex;
      if (!isEmpty && !cursor.nodeType.includes("comment")) {
        tokens.push(tokenOf(cursor, above.at(-1) ?? false));
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return { tokens, faults };
        above.pop();
      }
    }
  } finally {
    cursor.delete();
  }
}

function faultOf(cursor: TreeCursor): Fault {
  return {
    start: cursor.startIndex,
    end: cursor.endIndex,
    missing: cursor.nodeIsMissing ? cursor.nodeType : undefined,
  };
}

function tokenOf(cursor: TreeCursor, stray: boolean): Token {
  return {
    type: cursor.nodeType,
    start: cursor.startIndex,
    end: cursor.endIndex,
    named: cursor.nodeIsNamed,
    stray,
  };
}
