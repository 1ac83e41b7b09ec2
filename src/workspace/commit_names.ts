/**
 * Which words name commits: git itself is asked, since a name may be a tag of whatever object.
 */
import { findOwnProgram, SYSTEM_PATH } from "../lib/find_program.ts";
import { runProcess, withoutLoaders } from "../lib/process.ts";
import type { Roots } from "./paths.ts";

/** Milliseconds that git may take to answer, and bytes that it may say. */
const TIMEOUT_MS = 5000;
const MAX_OUTPUT = 100_000;

/** What git is told so that it runs nothing, and fetches no object that it lacks. */
const SETTINGS = ["-c", "core.fsmonitor=false"];

/** Whether each of some words, which are no options, names a commit where git begins; false if git does not say. Never rejects. */
export async function areCommits(
  words: readonly string[],
  { cwd, env, roots }: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly roots: Roots;
  },
): Promise<boolean> {
  try {
    const git = findOwnProgram("git", { path: env.PATH ?? SYSTEM_PATH, roots: roots.all });
    if (git === undefined) return false;
    // Behind `--` no file is meant; what is a tag of a tree, or its id, has no commit.
    const asked = words.map((word) => `${word}^{commit}`);
    const { code } = await runProcess([git, ...SETTINGS, "rev-parse", ...asked, "--"], {
      cwd,
      // A setting of the repository's for one protocol comes before that for all; the variable before both.
      env: { ...withoutLoaders(env), GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      maxOutput: MAX_OUTPUT,
      stderr: "drop",
    });
    return code === 0;
  } catch {
    return false;
  }
}
