/**
 * Trial runs of the sandbox at the start of a session.
 */
import { join } from "node:path";
import type { SandboxProofs } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { runProcess, withoutLoaders } from "../lib/process.ts";
import { kindOf } from "./inspect.ts";
import type { MachinePlaces } from "./machine_places.ts";
import type { Confine, SandboxProfile } from "./mount.ts";
import { buildProfile } from "./profile.ts";
import type { SandboxPaths } from "./sandbox_paths.ts";
import { evaluateSelfTest, type Namespaces, selfTestScript } from "./selftest.ts";

/** Milliseconds that a trial run may take. */
const TRIAL_TIMEOUT_MS = 10_000;

/** What a trial needs; `directory` is its own. */
export interface TrialOptions {
  readonly paths: SandboxPaths;
  readonly env: Readonly<Record<string, string>>;
  readonly directory: string;
  /** Proofs that need no other trial in this process. @default none are kept */
  readonly proofs?: SandboxProofs | undefined;
}

/** How the trial runs ended. */
interface Trial {
  readonly code: number;
  readonly output: string;
  /** Why the sandbox does not hold. */
  readonly problem: string | undefined;
  /** What was answered to the questions, among other lines. */
  readonly answers: string;
}

/**
 * Runs the self-test in a sandbox that may write the workspace, and in the closed one. In the first also the lines for
 * `sh` that ask for more, so that no other run is needed for them.
 */
export async function runSelfTest(
  confine: Confine,
  { paths, env, directory, filtered, questions = [] }: TrialOptions & {
    filtered: boolean;
    questions?: readonly string[];
  },
): Promise<Trial> {
  const name = `.ally-selftest-${crypto.randomUUID()}`;
  const outside = [paths.home || "/", paths.allyHome].map((place) => join(place, name));
  const isLinux = Deno.build.os === "linux";
  // Without mounts of its own a command finds what is temporary where it really is.
  const unseen = isLinux ? [paths.tmp, "/var/log"] : [];
  await makeRepository(directory);
  const run = async (write: boolean) => {
    const script = selfTestScript({ outside, unseen, ...(write && { questions }) });
    const profile = trialProfile({ write }, { paths, directory });
    const { argv, inputs, input, merges } = confine(["/bin/sh", "-c", script], {
      profile,
      cwd: directory,
      leftBehind: "/dev/null",
      merge: true,
      hasInput: false,
    });
    const stderr = merges ? "apart" : "merge";
    return await runProcess(argv, { ...trialRun(directory, env), inputs, input, stderr });
  };
  const [open, closed, namespaces] = await Promise.all([
    run(true),
    run(false),
    isLinux ? namespacesOutside(env) : undefined,
  ]);
  const escaped = outside.filter((path) => kindOf(path) !== undefined);
  for (const path of escaped) Deno.removeSync(path);
  const facts = { outside, unseen, escaped, filtered, ...(namespaces && { namespaces }) };
  return {
    code: open.code || closed.code,
    output: open.code === 0 ? closed.output : open.output,
    answers: open.output,
    problem: evaluateSelfTest(open.output, { ...facts, shape: "workspace" }) ??
      evaluateSelfTest(closed.output, { ...facts, shape: "closed" }),
  };
}

/**
 * What a trial run sees: nothing that a command may exchange meanwhile; of what is hidden, ally's home is, where the run
 * tries to write. That a place of the user's cannot be hidden at this moment says nothing of what the machine allows, and
 * no command runs that would see it.
 */
export function trialProfile(
  { write }: { readonly write: boolean },
  { paths, directory }: Pick<TrialOptions, "paths" | "directory">,
): SandboxProfile {
  const { toolchains, ...standing } = paths.places.standing();
  const programs = toolchains.paths.filter((path) =>
    !paths.roots().some((root) => contains(root, path))
  );
  const places: MachinePlaces = {
    standing: () => ({
      ...standing,
      toolchains: { ...toolchains, paths: programs },
      secrets: standing.secrets.filter(({ path }) => path === paths.allyHome),
      privateSettings: [],
    }),
    sockets: () => [],
  };
  return buildProfile({ write, needs: [], sandboxRequired: false }, {
    ...paths,
    places,
    roots: () => [directory],
    skills: [],
    nested: () => [],
  });
}

/** What ally's own namespaces are called. */
async function namespacesOutside(env: Readonly<Record<string, string>>): Promise<Namespaces> {
  try {
    const linkOf = (name: string) => Deno.readLinkSync(`/proc/self/ns/${name}`);
    return { net: linkOf("net"), pid: linkOf("pid") };
  } catch {
    // Deno shows /proc only to those with every permission; a child shares the namespaces.
    const { output } = await runProcess([
      "/bin/sh",
      "-c",
      "readlink /proc/self/ns/net /proc/self/ns/pid",
    ], trialRun("/", env));
    const [net, pid] = output.split("\n");
    return { net: net || undefined, pid: pid || undefined };
  }
}

/** What looks like a repository, for the script to spoil. */
async function makeRepository(directory: string): Promise<void> {
  await Deno.mkdir(join(directory, ".git"), { recursive: true });
  await Deno.writeTextFile(join(directory, ".git", "HEAD"), "ref: refs/heads/main\n");
}

/** How a trial run is started. */
export function trialRun(cwd: string, env: Readonly<Record<string, string>>) {
  return {
    cwd,
    env: withoutLoaders(env),
    signal: AbortSignal.timeout(TRIAL_TIMEOUT_MS),
    maxOutput: 10_000,
  };
}
