/**
 * The commit of the repository in which a recorded run began, and a clone of it for the replay: so a session that
 * calls git, or works on a project too large to be stored in a recording, finds what it found then.
 */
import type { Secrets } from "../core/secrets.ts";
import { findOwnProgram, trustedPath } from "../lib/process.ts";
import { isObject } from "../lib/schema.ts";

/** The environment that git gets. */
interface Environment {
  toObject(): Record<string, string>;
}

/** Where in which history a run began. */
interface StartCommit {
  readonly commit: string;
  /** Absent if no branch was checked out. */
  readonly branch?: string;
  /** The working directory below the repository's own, "" or ending in a slash. */
  readonly prefix: string;
}

/**
 * The commit that a directory is at, without running anything that the repository names; undefined without one. A
 * branch whose name holds a secret is left out.
 */
export async function findCommit(
  directory: string,
  { env, secrets }: { env: Environment; secrets: Pick<Secrets, "mask"> },
): Promise<StartCommit | undefined> {
  const isSecret = (text: string) => secrets.mask(text) !== text;
  const ask = (...args: string[]) => runGit(["rev-parse", ...args], { cwd: directory, env });
  const commit = await ask("--verify", "HEAD");
  const prefix = await ask("--show-prefix");
  if (!commit.ok || !prefix.ok || isSecret(prefix.text)) return undefined;
  const branch = await ask("--abbrev-ref", "HEAD");
  const isBranch = branch.ok && branch.text !== "HEAD" && !isSecret(branch.text);
  return {
    commit: commit.text,
    prefix: prefix.text,
    ...isBranch && { branch: branch.text },
  };
}

/** The same as a recording has it, or undefined. */
export function readCommit(value: unknown): StartCommit | undefined {
  if (!isObject(value)) return undefined;
  const { commit, branch, prefix } = value;
  // Words that stand on a command line: nothing that could be a flag.
  const isName = (word: unknown) => typeof word === "string" && /^[\w][\w./@+-]*$/.test(word);
  if (!isName(commit) || (branch !== undefined && !isName(branch))) return undefined;
  if (typeof prefix !== "string" || prefix.split("/").includes("..")) return undefined;
  return value as unknown as StartCommit;
}

/**
 * Clones the repository of a directory into a new one, at a commit.
 * @throws {Error} there is no repository, or it does not have the commit
 */
export async function cloneAt(
  { commit, branch }: StartCommit,
  { from, to, env }: { from: string; to: string; env: Environment },
): Promise<void> {
  const top = await runGit(["rev-parse", "--show-toplevel"], { cwd: from, env });
  const steps = [
    ["clone", "-q", "--no-checkout", "--", top.ok ? top.text : from, to],
    ["-C", to, "fetch", "-q", "origin", commit],
    ["-C", to, "checkout", "-q", ...branch ? ["-B", branch, "--no-track"] : ["--detach"], commit],
    ["-C", to, "remote", "remove", "origin"],
  ];
  for (const [index, step] of steps.entries()) {
    const done = await runGit(step, { cwd: from, env });
    // A commit that a branch or tag holds has come with the clone.
    if (!done.ok && index !== 1) throw new Error(done.text);
  }
}

async function runGit(
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Environment },
): Promise<{ ok: boolean; text: string }> {
  const decoder = new TextDecoder();
  try {
    const variables = env.toObject();
    const programs = { path: variables.PATH ?? "", roots: [await Deno.realPath(cwd)] };
    const git = findOwnProgram("git", programs);
    if (git === undefined) return { ok: false, text: "git is not found outside of the workspace" };
    const command = new Deno.Command(git, {
      args: ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", ...args],
      cwd,
      env: { ...variables, PATH: trustedPath(programs) },
      clearEnv: true,
      stdin: "null",
    });
    const { success, stdout, stderr } = await command.output();
    return { ok: success, text: decoder.decode(success ? stdout : stderr).trim() };
  } catch {
    return { ok: false, text: "git cannot be started" };
  }
}
