/**
 * Notebooks as people read them: the source of each cell as text. Only a difference within cells is shown like that,
 * since nothing else of what changes may be hidden.
 */
import { isDeepStrictEqual } from "node:util";
import { parseJson } from "./json_text.ts";
import { isObject, type JsonObject } from "./schema.ts";

/** Two states of a notebook as text; undefined if more than the source of cells differs, or nothing. */
export function readCells(
  { before, after }: { before: string; after: string },
): { before: string; after: string } | undefined {
  const [was, is] = [readNotebook(before), readNotebook(after)];
  if (was === undefined || is === undefined || was.text === is.text) return undefined;
  return isDeepStrictEqual(was.rest, is.rest) ? { before: was.text, after: is.text } : undefined;
}

/** The cells as text, and all the rest of the notebook; undefined if it is none. */
function readNotebook(json: string): { text: string; rest: JsonObject } | undefined {
  const notebook = parseJson(json);
  if (!isObject(notebook) || !Array.isArray(notebook.cells)) return undefined;
  const cells: unknown[] = notebook.cells;
  const parts: string[] = [];
  for (const [index, cell] of cells.entries()) {
    const source = isObject(cell) ? sourceOf(cell) : undefined;
    if (!isObject(cell) || source === undefined) return undefined;
    parts.push(`# Cell ${index + 1}: ${String(cell.cell_type)}`, source, "");
  }
  const emptied = cells.map((cell) => isObject(cell) ? { ...cell, source: "" } : cell);
  return { text: parts.join("\n"), rest: { ...notebook, cells: emptied } };
}

function sourceOf({ source }: JsonObject): string | undefined {
  if (typeof source === "string") return source;
  const isLines = Array.isArray(source) && source.every((line) => typeof line === "string");
  return isLines ? source.join("") : undefined;
}
