/**
 * Finds out what is missing by trying it: a text that parses further with a comma put in lacked the comma. All
 * sound parts of the tree are taken over, so a try costs little.
 */
import type { Node, Tree } from "web-tree-sitter";
import type { Grammar } from "./problem.ts";
import type { SourceLines } from "./source_lines.ts";
import { copyWithInsertion, own } from "./tree_edits.ts";

/** Places where a repair is tried, in one text. */
const MAX_TRIES = 5;
const SEPARATORS = [",", ";"];
/** What is easily forgotten, where it is not just separators. */
const FORGOTTEN: Readonly<Partial<Record<Grammar, readonly string[]>>> = {
  bash: ["; do", "; then", ";;"],
  css: [";", ":"],
  go: [","],
  html: [],
  python: [":", ","],
  ruby: [","],
};

/** Says what is missing at an offset, or undefined if nothing simple is. */
export type FindMissing = (offset: number) => string | undefined;

/** Prepares repairs of a text with its tree; `parse` makes a tree from the old one, edited. */
export function createMissingFinder(
  tree: Tree,
  options: {
    lines: SourceLines;
    grammar: Grammar;
    parse: (text: string, earlier: Tree) => Tree;
  },
): FindMissing {
  const { lines, grammar, parse } = options;
  const { text } = lines;
  let tries = 0;
  return (offset) => {
    if (++tries > MAX_TRIES) return undefined;
    const next = offset + Math.max(0, text.slice(offset).search(/\S/));
    const helps = (insertion: string) => {
      const repaired = text.slice(0, offset) + insertion + text.slice(offset);
      using earlier = copyWithInsertion(tree, { lines, offset, length: insertion.length });
      using now = own(parse(repaired, earlier.tree));
      const from = lines.startOf(lines.lineAt(offset));
      const to = lines.startOf(lines.lineAt(next) + 1) + insertion.length;
      return isSound(now.tree.rootNode, { from, to });
    };
    return (FORGOTTEN[grammar] ?? SEPARATORS).find(helps)?.replace(/^; /, "");
  };
}

/** Whether the parser neither skipped nor made up anything between two offsets. */
function isSound(node: Node, range: { from: number; to: number }): boolean {
  if (!node.hasError || node.endIndex < range.from || node.startIndex >= range.to) return true;
  if (node.isError || node.isMissing) return false;
  return node.children.every((child) => child === null || isSound(child, range));
}
