/**
 * The lines of what is wrong with a manifest. Loaded only for a manifest that has something wrong.
 */
import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

/** One thing wrong with a manifest. */
export interface ManifestProblem {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  readonly message: string;
}

/** Where a text stops being JSON. */
export function syntaxProblems(text: string): ManifestProblem[] {
  const faults: ParseError[] = [];
  parseTree(text, faults, { disallowComments: true, allowTrailingComma: false });
  const [first] = faults;
  if (first === undefined) return [{ line: 1, column: 1, message: "it is not valid JSON" }];
  const what = printParseErrorCode(first.error).replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return [{ ...lineAt(text, first.offset), message: `it is not valid JSON: ${what}` }];
}

/** Faults with their lines: of the value itself, or of the nearest one around it that is there. */
export function locateFaults(
  text: string,
  faults: readonly { path: readonly (string | number)[]; message: string }[],
): ManifestProblem[] {
  const root = parseTree(text);
  return faults.map(({ path: place, message }) => {
    let path = [...place];
    let node = root && findNodeAtLocation(root, path);
    while (root && node === undefined && path.length > 0) {
      path = path.slice(0, -1);
      node = findNodeAtLocation(root, path);
    }
    const name = place.map((part) => typeof part === "number" ? `[${part}]` : `.${part}`).join("");
    const where = name === "" ? "" : `${name.replace(/^\./, "")}: `;
    return { ...lineAt(text, node?.offset ?? 0), message: `${where}${message}` };
  }).sort((one, other) => one.line - other.line);
}

/** Keys that an object of a manifest has twice: people may read one, and the last one counts. */
export function repeatedKeys(text: string): ManifestProblem[] {
  const problems: ManifestProblem[] = [];
  const visit = (node: Node | undefined): void => {
    const keys = new Set<unknown>();
    for (const child of node?.children ?? []) {
      const [key] = node?.type === "object" ? child.children ?? [] : [];
      if (key && keys.has(key.value)) {
        const message = `the key "${key.value}" is there twice`;
        problems.push({ ...lineAt(text, key.offset), message });
      }
      if (key) keys.add(key.value);
      visit(child);
    }
  };
  visit(parseTree(text));
  return problems;
}

function lineAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
