/**
 * What "Always" stores for a command: for each of its parts that asked, the exact arguments, its input, the directory,
 * the script's assignments, and a hash of the workspace files that decide what it does. A change of any of
 * them is another command.
 */
import type { Ground } from "../core/ground.ts";
import type { JudgedPart, Judgement } from "./classify.ts";

export interface Grant {
  /** For people: `run=deno test`. */
  readonly text: string;
  /** One for each part; all must be granted. */
  readonly keys: readonly string[];
}

/** What would silence the question about a command, or undefined if nothing may. */
export function grantOf(judgement: Judgement, ground: Ground): Grant | undefined {
  if (judgement.class !== "sensitive") return undefined;
  const asking = judgement.parts.filter((part) => part.class !== "safe");
  const keys: string[] = [];
  for (const part of asking) {
    const key = keyOf(part, { judgement, ground });
    if (key === undefined) return undefined;
    keys.push(key);
  }
  return { text: `run=${asking.map(({ command }) => command).join(", ")}`, keys };
}

function keyOf(
  part: JudgedPart,
  { judgement: { assignments }, ground }: { judgement: Judgement; ground: Ground },
): string | undefined {
  const [cwd, ...others] = part.cwds;
  if (!part.argv || cwd === undefined || others.length > 0 || part.class === "extreme") {
    return undefined;
  }
  if (assignments.some((text) => /[$`*?[{]/.test(text))) return undefined;
  const kind = part.programs.length > 0 ? "run" : "redirect";
  return JSON.stringify([
    kind,
    part.argv,
    part.stdin ?? null,
    cwd,
    assignments,
    ground.fingerprint(part.executes),
  ]);
}
