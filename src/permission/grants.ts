/**
 * What "Always" stores for a command: for each of its parts that asked, the exact arguments, its input, the directory,
 * the script's assignments, and a hash of each workspace file that decides what it does. A change of any of
 * them is another command.
 */
import type { PathFacts } from "../core/path_facts.ts";
import type { Grant, GrantedPart } from "../core/rule.ts";
import { sha256 } from "../lib/fs.ts";
import type { AnalyzedPart, ScriptAnalysis } from "../shell/analyze.ts";

/** What would silence the question about a command, or undefined if nothing may. */
export function grantOf(analysis: ScriptAnalysis, pathFacts: PathFacts): Grant | undefined {
  if (analysis.risk !== "sensitive") return undefined;
  const asking = analysis.parts.filter((part) => part.risk !== "safe");
  const parts: GrantedPart[] = [];
  for (const part of asking) {
    const granted = grantPart(part, { analysis, pathFacts });
    if (granted === undefined) return undefined;
    parts.push(granted);
  }
  const commands = new Set(asking.map(({ command }) => command));
  return { kind: "run", text: `run=${[...commands].join(", ")}`, parts };
}

function grantPart(
  part: AnalyzedPart,
  { analysis: { assignments }, pathFacts }: {
    analysis: ScriptAnalysis;
    pathFacts: PathFacts;
  },
): GrantedPart | undefined {
  const [cwd, ...others] = part.cwds;
  if (!part.argv || cwd === undefined || others.length > 0) return undefined;
  // Code that came as text is seen once, and nobody reads it in a list of rules.
  if (part.risk === "extreme" || part.runsText) return undefined;
  if (assignments.some((text) => /[$`*?[{]/.test(text))) return undefined;
  const files = hashFiles(part.executes, pathFacts);
  if (files === undefined) return undefined;
  return {
    does: part.programs.length > 0 ? "run" : "redirect",
    argv: part.argv,
    ...(part.stdin !== undefined && { stdin: shortenInput(part.stdin) }),
    cwd,
    assignments,
    files,
  };
}

/** The hash of each file, or undefined if one of them is no file. */
function hashFiles(
  paths: readonly string[],
  pathFacts: PathFacts,
): Record<string, string> | undefined {
  const files: Record<string, string> = {};
  for (const path of [...paths].sort()) {
    const hash = pathFacts.fingerprint(path);
    if (hash === undefined) return undefined;
    files[path] = hash;
  }
  return files;
}

/** A text on standard input may be long, and need not be readable in the rule. */
function shortenInput(stdin: string): string {
  if (!stdin.startsWith("text:")) return stdin;
  return `text:${sha256(new TextEncoder().encode(stdin))}`;
}

/** Equal for parts that are the same command over the same files. */
export function partKey(part: GrantedPart): string {
  return JSON.stringify([commandKey(part), Object.entries(part.files).sort()]);
}

/** Equal for parts that are the same command, whatever its files hold. */
function commandKey({ does, argv, stdin, cwd, assignments }: GrantedPart): string {
  return JSON.stringify([does, argv, stdin ?? null, cwd, assignments]);
}

/** Why a rule no longer holds: the files (absolute) that changed since it was made; empty if it holds. */
export function changedFiles({ parts = [] }: Grant, pathFacts: PathFacts): string[] {
  return parts.flatMap(({ files }) =>
    Object.entries(files).flatMap(([path, hash]) =>
      pathFacts.fingerprint(path) === hash ? [] : [path]
    )
  );
}
