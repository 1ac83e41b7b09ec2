/**
 * Finds the lines of what is wrong with a manifest. Loaded only if something is.
 */
import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { unlessTooDeep } from "../lib/json_text.ts";
import { didYouMean, findNear } from "../lib/names.ts";
import { positionAt } from "../lib/text.ts";

/** One thing wrong with a manifest. */
export interface ManifestProblem {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  readonly message: string;
}

/** Undefined also if it is nested too deeply. */
function treeOf(text: string, faults: ParseError[] = []): Node | undefined {
  return unlessTooDeep(() =>
    parseTree(text, faults, { disallowComments: true, allowTrailingComma: false })
  );
}

/** Where a text is not valid JSON. */
export function syntaxProblems(text: string): ManifestProblem[] {
  const faults: ParseError[] = [];
  treeOf(text, faults);
  const [first] = faults;
  if (first === undefined) return [{ line: 1, column: 1, message: "it is not valid JSON" }];
  const what = printParseErrorCode(first.error).replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return [{ ...positionAt(text, first.offset), message: `it is not valid JSON: ${what}` }];
}

/** Faults with their lines: that of the value, or of the nearest value around it. */
export function locateFaults(
  text: string,
  faults: readonly { path: readonly (string | number)[]; message: string }[],
): ManifestProblem[] {
  const root = treeOf(text);
  return faults.map(({ path, message }) => {
    let found = [...path];
    let node = root && findNodeAtLocation(root, found);
    while (root && node === undefined && found.length > 0) {
      found = found.slice(0, -1);
      node = findNodeAtLocation(root, found);
    }
    const name = path.map((part) => typeof part === "number" ? `[${part}]` : `.${part}`).join("");
    const where = name === "" ? "" : `${name.replace(/^\./, "")}: `;
    return { ...positionAt(text, node?.offset ?? 0), message: `${where}${message}` };
  }).sort((one, other) => one.line - other.line);
}

/** Keys that occur twice in an object: a person may read the first, but the last one counts. */
export function repeatedKeys(text: string): ManifestProblem[] {
  const problems: ManifestProblem[] = [];
  const visit = (node: Node | undefined): void => {
    const keys = new Set<unknown>();
    for (const child of node?.children ?? []) {
      const [key] = node?.type === "object" ? child.children ?? [] : [];
      if (key && keys.has(key.value)) {
        const message = `the key "${key.value}" is there twice`;
        problems.push({ ...positionAt(text, key.offset), message });
      }
      if (key) keys.add(key.value);
      visit(child);
    }
  };
  visit(treeOf(text));
  return problems;
}

/** Keys of the manifest itself that no version has, and that are one of these misspelled. */
export function misspelledKeys(text: string, known: readonly string[]): ManifestProblem[] {
  return (treeOf(text)?.children ?? []).flatMap(({ children: [key] = [] }) => {
    if (key === undefined || known.includes(String(key.value))) return [];
    const near = findNear(String(key.value), known);
    const message = `${key.value}: there is no such key. ${didYouMean(near)}`;
    return near.length === 0 ? [] : [{ ...positionAt(text, key.offset), message }];
  });
}
