/**
 * What a script tells its shell before it does anything else: options of `set`, and variables with a value that stands
 * there. Each part can be told the same, so that such a script is cut like any other.
 */
import type { Assignment, SyntaxNode } from "unbash";
import { literalValue, literalWords } from "./rendered_word.ts";
import { isHijacking } from "./variables.ts";

/** Options of the shell that can be given to each part. */
export type ShellOption = "errexit" | "nounset" | "pipefail" | "xtrace";

/** One such command. */
export interface ShellSetup {
  readonly options: readonly ShellOption[];
  /** Names of the variables that it sets or exports. */
  readonly variables: readonly string[];
}

const LETTERS: Readonly<Record<string, ShellOption>> = {
  e: "errexit",
  u: "nounset",
  x: "xtrace",
};
const OPTION = "-[eux]+|-[eux]*o\0(?:errexit|nounset|pipefail|xtrace)";
/** `set -eu -o pipefail`, in any spelling: its words. */
const OPTIONS = new RegExp(`^(?:${OPTION})(?:\0(?:${OPTION}))*$`);
const NAME = /^[A-Za-z_]\w*$/;
/** Variables that cannot be set. */
const READ_ONLY = /^(E?UID|PPID)$/;

/** What a command tells the shell; undefined if it does, or may do, anything else. */
export function setupOf(node: SyntaxNode): ShellSetup | undefined {
  if (node.type !== "Command" || node.redirects.length > 0) return undefined;
  const { name, prefix, args } = node;
  if (!name) return variablesOf(prefix);
  if (prefix.length > 0) return undefined;
  const [program, ...words] = literalWords(node);
  if (program === "export") return variablesOf(args);
  return program === "set" ? optionsOf(words) : undefined;
}

function variablesOf(nodes: readonly SyntaxNode[]): ShellSetup | undefined {
  const names = nodes.map((node) => {
    if (node.type === "Assignment") return assignedName(node);
    return node.type === "Word" ? literalValue(node) : undefined;
  });
  return names.length > 0 && names.every(isPlainName)
    ? { options: [], variables: names }
    : undefined;
}

function assignedName({ name, value, index, append }: Assignment): string | undefined {
  if (index || append || value.type !== "Word") return undefined;
  return literalValue(value) === undefined || /[~]/.test(value.text) ? undefined : name;
}

/** Not one by which programs, or the shell that joins the parts, would be other ones. */
function isPlainName(name: string | undefined): name is string {
  return name !== undefined && NAME.test(name) && !READ_ONLY.test(name) && !isHijacking(name);
}

function optionsOf(words: readonly (string | undefined)[]): ShellSetup | undefined {
  if (!OPTIONS.test(words.join("\0"))) return undefined;
  const options = words.flatMap((word = "") =>
    word.startsWith("-")
      ? [...word].flatMap((letter) => LETTERS[letter] ?? [])
      : word as ShellOption
  );
  return { options, variables: [] };
}
