/**
 * Copies of a syntax tree that know of changes, from which a text is parsed anew at little cost: what is not
 * marked as changed is taken over.
 */
import type { Tree } from "web-tree-sitter";
import type { SourceLines } from "./source_lines.ts";
import type { Fault } from "./syntax.ts";

/** A tree to be disposed of: it lies in the memory of WebAssembly, which no garbage collector sees. */
interface OwnedTree extends Disposable {
  readonly tree: Tree;
}

/** Wraps a tree so that it is disposed of. */
export function own(tree: Tree): OwnedTree {
  return { tree, [Symbol.dispose]: () => tree.delete() };
}

/**
 * A copy in which whatever holds a fault counts as changed; else it would be taken over like the rest.
 * What is sound within a fault stays so.
 */
export function copyWithFaultsMarked(
  tree: Tree,
  { faults, lines }: { faults: readonly Fault[]; lines: SourceLines },
): OwnedTree {
  const copy = tree.copy();
  for (const { start } of faults) markEdited(copy, { lines, start, end: start + 1 });
  return own(copy);
}

/** A copy that knows of an insertion within one line. */
export function copyWithInsertion(
  tree: Tree,
  { lines, offset, length }: { lines: SourceLines; offset: number; length: number },
): OwnedTree {
  const copy = tree.copy();
  markEdited(copy, { lines, start: offset, end: offset, length });
  return own(copy);
}

function markEdited(
  tree: Tree,
  { lines, start, end, length = 0 }: {
    lines: SourceLines;
    start: number;
    end: number;
    length?: number;
  },
): void {
  const point = (offset: number) => {
    const row = lines.lineAt(offset);
    return { row, column: offset - lines.startOf(row) };
  };
  const endPoint = point(end);
  tree.edit({
    startIndex: start,
    oldEndIndex: end,
    newEndIndex: end + length,
    startPosition: point(start),
    oldEndPosition: endPoint,
    newEndPosition: { row: endPoint.row, column: endPoint.column + length },
  });
}
