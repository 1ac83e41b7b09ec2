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
const NAMED: ReadonlySet<string> = new Set(["errexit", "nounset", "pipefail", "xtrace"]);
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
  const plain = names.filter((name) => name !== undefined && isPlainName(name)) as string[];
  return plain.length > 0 && plain.length === names.length
    ? { options: [], variables: plain }
    : undefined;
}

function assignedName({ name, value, index, append }: Assignment): string | undefined {
  if (index || append || value.type !== "Word") return undefined;
  return literalValue(value) === undefined || /[~]/.test(value.text) ? undefined : name;
}

/** Not one by which programs, or the shell that joins the parts, would be other ones. */
function isPlainName(name: string): boolean {
  return NAME.test(name) && !READ_ONLY.test(name) && !isHijacking(name);
}

/** `set -eu -o pipefail`, in any spelling. */
function optionsOf(words: readonly (string | undefined)[]): ShellSetup | undefined {
  const options: ShellOption[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, letters, named] = /^-([eux]*)(o?)$/.exec(word) ?? [];
    if (letters === undefined || letters + named === "") return undefined;
    options.push(...[...letters].map((letter) => LETTERS[letter]!));
    if (named === "") continue;
    const option = rest.shift();
    if (option === undefined || !NAMED.has(option)) return undefined;
    options.push(option as ShellOption);
  }
  return options.length > 0 && rest.length === 0 ? { options, variables: [] } : undefined;
}
