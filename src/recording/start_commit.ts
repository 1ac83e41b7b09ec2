/**
 * The commit of the repository in which a recorded run began, and a clone of it for the replay: so a session that
 * calls git, or works on a project too large to be stored in a recording, finds what it found then. A repository
 * without a commit is made anew.
 */
import type { Secrets } from "../core/secrets.ts";
import { findOwnProgram, trustedPath } from "../lib/find_program.ts";
import { isObject } from "../lib/schema.ts";

/** The environment that git gets. */
interface Environment {
  toObject(): Record<string, string>;
}

/** Where in which history a run began. */
interface StartCommit {
  /** Absent if there was none. */
  readonly commit?: string;
  /** Absent if no branch was checked out. */
  readonly branch?: string;
  /** The working directory below the repository's own, "" or ending in a slash. */
  readonly prefix: string;
  /** Whether settings of git said who commits; not who that was. @default false */
  readonly identity?: boolean;
}

/**
 * The commit that a directory is at, without running anything that the repository names; undefined where no repository
 * is. A branch whose name holds a secret is left out.
 */
export async function findCommit(
  directory: string,
  { env, secrets }: { env: Environment; secrets: Pick<Secrets, "mask"> },
): Promise<StartCommit | undefined> {
  const isSecret = (text: string) => secrets.mask(text) !== text;
  const ask = (...args: string[]) => runGit(args, { cwd: directory, env });
  const prefix = await ask("rev-parse", "--show-prefix");
  if (!prefix.ok || isSecret(prefix.text)) return undefined;
  const commit = await ask("rev-parse", "--verify", "HEAD");
  const branch = await ask("symbolic-ref", "--short", "-q", "HEAD");
  const [name, email] = [await ask("config", "user.name"), await ask("config", "user.email")];
  return {
    ...commit.ok && { commit: commit.text },
    prefix: prefix.text,
    ...name.ok && email.ok && { identity: true },
    ...branch.ok && !isSecret(branch.text) && { branch: branch.text },
  };
}

/** The same as a recording has it, or undefined. */
export function readCommit(value: unknown): StartCommit | undefined {
  if (!isObject(value)) return undefined;
  const { commit, branch, prefix, identity } = value;
  // Words that stand on a command line: nothing that could be a flag.
  const isName = (word: unknown) => typeof word === "string" && /^[\w][\w./@+-]*$/.test(word);
  if ([commit, branch].some((word) => word !== undefined && !isName(word))) return undefined;
  if (typeof prefix !== "string" || prefix.split("/").includes("..")) return undefined;
  return { ...value, identity: identity === true } as unknown as StartCommit;
}

/** Makes a repository without a commit. @throws {Error} git cannot make one */
export async function initRepository(
  { branch, identity }: StartCommit,
  { directory, env }: { directory: string; env: Environment },
): Promise<void> {
  await Deno.mkdir(directory, { recursive: true });
  const init = ["init", "-q", "--template=", ...branch ? [`--initial-branch=${branch}`] : []];
  for (const step of [init, ...identity ? IDENTITY : []]) {
    const done = await runGit(step, { cwd: directory, env });
    if (!done.ok) throw new Error(done.text);
  }
}

/** Who commits in a replay: nobody in particular, whose home it is and whether or not it says who. */
const IDENTITY = [
  ["config", "user.name", "ally replay"],
  ["config", "user.email", "replay@ally.invalid"],
];

/**
 * Clones the repository of a directory into a new one, at a commit. It shares no file with it: what runs in the clone
 * could write through another name.
 * @throws {Error} there is no repository, or it does not have the commit
 */
export async function cloneAt(
  { commit, branch, identity }: StartCommit & { readonly commit: string },
  { from, to, env }: { from: string; to: string; env: Environment },
): Promise<void> {
  const top = await runGit(["rev-parse", "--show-toplevel"], { cwd: from, env });
  const steps = [
    ["clone", "-q", ...CLONE, "--", top.ok ? top.text : from, to],
    ["-C", to, "fetch", "-q", "origin", commit],
    ["-C", to, "checkout", "-q", ...branch ? ["-B", branch, "--no-track"] : ["--detach"], commit],
    ["-C", to, "remote", "remove", "origin"],
    ...(identity ? IDENTITY.map((step) => ["-C", to, ...step]) : []),
  ];
  for (const [index, step] of steps.entries()) {
    const done = await runGit(step, { cwd: from, env });
    // A commit that a branch or tag holds has come with the clone.
    if (!done.ok && index !== 1) throw new Error(done.text);
  }
}

const CLONE = ["--no-hardlinks", "--no-checkout", "--origin=origin", "--template="];

/**
 * Nothing that the repository names runs, nothing is fetched from elsewhere, and a clone is the same whatever settings
 * the machine and the person have.
 */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "safe.bareRepository=explicit",
  "protocol.allow=never",
  "protocol.file.allow=always",
  "clone.rejectShallow=false",
  "core.autocrlf=false",
  "fetch.recurseSubmodules=false",
  "submodule.recurse=false",
];

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
      args: [...SETTINGS.flatMap((setting) => ["-c", setting]), ...args],
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
