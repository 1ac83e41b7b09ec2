/**
 * Elements of JSX and HTML whose tags do not match: grammars take any name in a closing tag, or drop what they
 * cannot place.
 */
import type { Node, Tree } from "web-tree-sitter";
import type { Grammar, Problem } from "./problem.ts";

/** Grammars whose texts may hold tags. */
export const GRAMMARS_WITH_TAGS: readonly Grammar[] = ["html", "javascript", "tsx"];

const OPENING = ["jsx_opening_element", "start_tag"];
const CLOSING = ["jsx_closing_element", "end_tag", "erroneous_end_tag"];
/** HTML that has no closing tag, or need not have one. */
const OPTIONAL =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|html|head|body|p|li|dt|dd|option|optgroup|t[rdh]|thead|tbody|tfoot|colgroup|rp|rt|caption)$/i;

/** Finds opening tags that are not closed and closing tags that close nothing. */
export function findUnmatchedTags(tree: Tree, grammar: Grammar): Problem[] {
  const optional = (name: string) => grammar === "html" && OPTIONAL.test(name);
  const open: { name: string; offset: number }[] = [];
  const problems: Problem[] = [];
  const lost = ({ name, offset }: { name: string; offset: number }) => {
    // `<foo.txt` is a less-than sign that should have been escaped.
    if (!optional(name) && !(grammar === "html" && name.includes("."))) {
      problems.push({ offset, message: `missing '</${name}>' for this tag` });
    }
  };
  for (const node of tree.rootNode.descendantsOfType([...OPENING, ...CLOSING])) {
    if (node === null) continue;
    const name = nameOf(node);
    if (OPENING.includes(node.type)) {
      open.push({ name, offset: node.startIndex });
      continue;
    }
    const at = open.findLastIndex((one) => one.name.toLowerCase() === name.toLowerCase());
    if (at >= 0) open.splice(at).slice(1).forEach(lost);
    else if (!optional(name)) {
      problems.push({ offset: node.startIndex, message: `unmatched '</${name}>'` });
    }
  }
  open.forEach(lost);
  return problems;
}

/** The name in a tag; empty for a fragment. */
function nameOf(tag: Node): string {
  return /^<\/?\s*([^\s/<>]*)/.exec(tag.text)?.[1] ?? "";
}
