/**
 * Python's indentation, which its grammar takes as it comes: blocks without a body, and statements that do not
 * stand where their block does. For texts that have no other error.
 */
import type { Node, Tree } from "web-tree-sitter";
import type { Problem } from "./problem.ts";
import { SourceLines } from "./source_lines.ts";

/** Statements that consist of a head and a block. */
const COMPOUND = [
  "class_definition",
  "function_definition",
  "if_statement",
  "elif_clause",
  "else_clause",
  "for_statement",
  "while_statement",
  "with_statement",
  "try_statement",
  "except_clause",
  "finally_clause",
  "case_clause",
];

/** Finds wrong indentation. */
export function findBlockProblems(tree: Tree, text: string): Problem[] {
  const lines = new SourceLines(text);
  const root = tree.rootNode;
  const bodies = root.descendantsOfType(["block"]).filter((node) => node !== null);
  const heads = root.descendantsOfType(COMPOUND).filter((node) => node !== null);
  return [
    ...heads.flatMap((head) => findMissingBody(head)),
    ...[root, ...bodies].flatMap((body) => findMisplaced(body, lines)),
  ].sort((a, b) => a.offset - b.offset);
}

function findMissingBody(head: Node): Problem[] {
  const colon = head.children.find((child) => child?.type === ":");
  const body = head.children.find((child) => child?.type === "block");
  if (!colon || (body && statementsOf(body).length > 0)) return [];
  return [{ offset: colon.endIndex, message: "expected an indented block" }];
}

/** Statements of a block that begin their line elsewhere than the first does. */
function findMisplaced(body: Node, lines: SourceLines): Problem[] {
  const starts = statementsOf(body).map((node) => node.startIndex).filter((start) => {
    const line = lines.lineAt(start);
    return lines.startOf(line) + lines.indentOf(line) === start;
  });
  const column = (start: number) => start - lines.startOf(lines.lineAt(start));
  const [first] = starts;
  const wanted = body.type === "module" ? 0 : first === undefined ? 0 : column(first);
  return starts.filter((start) => column(start) !== wanted).map((start) => ({
    offset: start,
    message: column(start) > indentBefore(start, lines)
      ? "unexpected indent"
      : "unindent does not match any outer indentation level",
  }));
}

/** Indentation of the last line with anything on it before the line of an offset. */
function indentBefore(offset: number, lines: SourceLines): number {
  let line = lines.lineAt(offset) - 1;
  while (line > 0 && lines.line(line).trim() === "") line--;
  return line < 0 ? 0 : lines.indentOf(line);
}

function statementsOf(body: Node): Node[] {
  return body.namedChildren.filter((node) => node !== null && node.type !== "comment") as Node[];
}
