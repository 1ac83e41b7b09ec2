/**
 * What this machine has to confine commands with, and whether it holds: found and tried once, before the
 * first command.
 */
import { join } from "node:path";
import type { PluginProfile, SandboxProof, SandboxStatus } from "../core/sandbox.ts";
import { findOwnProgram } from "../lib/find_program.ts";
import { runProcess } from "../lib/process.ts";
import { quoteWord } from "../lib/text.ts";
import { bubblewrapCommand, type BubblewrapOptions, scopeCommand } from "./bubblewrap.ts";
import { hiddenMounts } from "./hidden_places.ts";
import { historyMounts } from "./history.ts";
import { mayBeRoot } from "./inspect.ts";
import type { Confine, Launch, Mount } from "./mount.ts";
import { pluginCommand, pluginSandboxProfile } from "./plugin_profile.ts";
import { seatbeltCommand } from "./seatbelt.ts";
import type { SandboxPaths } from "./sandbox_paths.ts";
import { seccompFilter } from "./seccomp.ts";
import { runSelfTest, type TrialOptions, trialProfile, trialRun } from "./trial.ts";

/** What does not hold where a means is missing. */
const NO_FILTER = "no system call is filtered: this kernel or processor has no seccomp filter";
const NO_SCOPE =
  "commands with the network reach sockets of the machine that have a name without a file: " +
  "Landlock of kernel 6.12 or perl is missing";
/** Why there is none in a workspace that holds all programs, those included that make a sandbox. */
const WHOLE_DISK = {
  why: "the workspace is the whole disk, of which nothing could be kept from them",
  mend: "Work in a directory below it: cd, or -C DIR.",
};
/** Processes and threads of one command: what big builds need, and far from what hurts. */
const PROCESSES = 500;
const PROCESSES_PER_CORE = 64;
/** The first kernel that counts processes for each process namespace. */
const OWN_COUNT_KERNEL = [6, 14] as const;
/** Runs a program of a plugin in a sandbox of its own. */
type ConfinePlugin = (
  argv: readonly string[],
  options: { readonly profile: PluginProfile; readonly cwd: string },
) => Launch["argv"];

/** What there is: with the ways to confine if it holds. */
interface SandboxBackend {
  readonly status: SandboxStatus;
  readonly confine?: Confine;
  readonly confinePlugin?: ConfinePlugin;
}

/** Finds and tries what there is. Never throws. */
export async function findBackend(options: TrialOptions): Promise<SandboxBackend> {
  try {
    if (options.paths.roots().includes("/")) return unavailable(WHOLE_DISK);
    switch (Deno.build.os) {
      case "linux":
        return await tryBubblewrap(options);
      case "darwin":
        return await trySeatbelt(options);
      default:
        return unavailable({ why: `there is none for ${Deno.build.os}` });
    }
  } catch (error) {
    return unavailable({ why: error instanceof Error ? error.message : String(error) });
  }
}

function unavailable(status: Omit<SandboxStatus, "state">): SandboxBackend {
  return { status: { state: "unavailable", ...status } };
}

async function tryBubblewrap(options: TrialOptions): Promise<SandboxBackend> {
  const { pathDirectories, roots } = options.paths;
  const path = pathDirectories.join(":");
  const program = findOwnProgram("bwrap", { path, roots: roots() });
  if (program === undefined) {
    const inside = findOwnProgram("bwrap", { path: options.env.PATH ?? "", roots: [] });
    if (inside !== undefined) {
      return unavailable({
        why: `bubblewrap (${inside}) lies in the workspace, where commands may exchange it`,
        mend: "Work in a directory that does not hold it: cd, or -C DIR.",
      });
    }
    return unavailable({
      why: "bubblewrap is not installed, or not in PATH",
      mend: "Install it: apt install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap.",
    });
  }
  const scope = findOwnProgram("perl", { path, roots: roots() });
  const processes = Math.max(PROCESSES, navigator.hardwareConcurrency * PROCESSES_PER_CORE);
  const plain = { program, owner: Deno.pid, isRoot: mayBeRoot(), processes };
  const filter = await writeFilter(options.directory);
  const processCount = needsProcessCount()
    ? await writeInput(options.directory, { name: "processes", data: `${processes}\n` })
    : undefined;
  const { proofs } = options;
  const subject = proofs && proofSubject([program, scope], path);
  const proof = subject && proofs?.get(subject) || await proveBubblewrap(plain, {
    ...options,
    filter,
    scope,
    processCount,
  });
  if ("why" in proof) return unavailable(proof);
  if (subject) proofs?.set(subject, proof);
  const { means, filtered, scoped, counted } = proof;
  const proven = {
    ...plain,
    ...(filtered && filter !== undefined && { filter }),
    ...(scoped && scope !== undefined && { scope }),
    ...(counted && processCount !== undefined && { processCount }),
  };
  const gaps = [...(filtered ? [] : [NO_FILTER]), ...(scoped ? [] : [NO_SCOPE])];
  return {
    status: { state: "active", means, ...(gaps.length > 0 && { gaps }) },
    confine: withBubblewrap(proven),
    confinePlugin: (argv, how) => {
      const hidden = hiddenFromPlugin(how.profile, options.paths);
      return pluginCommand(argv, { ...how, hidden, options: proven });
    },
  };
}

/** What a proof is about: these programs, as they are now. Undefined where ally may not look at them. */
function proofSubject(programs: readonly (string | undefined)[], path: string): string | undefined {
  try {
    const files = programs.map((program) => {
      if (program === undefined) return undefined;
      const { dev, ino, size, mode, mtime, ctime } = Deno.statSync(program);
      return [program, dev, ino, size, mode, mtime?.getTime(), ctime?.getTime()];
    });
    return JSON.stringify([path, ...files]);
  } catch {
    return undefined;
  }
}

/** Runs the trials, with the filter of system calls and, where that is what fails twice, without. */
async function proveBubblewrap(
  plain: BubblewrapOptions,
  { filter, scope, processCount, ...options }: TrialOptions & {
    filter: string | undefined;
    scope: string | undefined;
    processCount: string | undefined;
  },
): Promise<SandboxProof | Omit<SandboxStatus, "state"> & { why: string }> {
  const { program } = plain;
  const questions = [
    [program, "--version"],
    ...(scope === undefined ? [] : [[...scopeCommand(scope), "/bin/sh", "-c", "echo scoped"]]),
  ].map((argv) => argv.map(quoteWord).join(" "));
  const test = (settings: BubblewrapOptions) =>
    runSelfTest(withBubblewrap(settings), {
      ...options,
      questions,
      filtered: settings.filter !== undefined,
    });
  let filtered = filter !== undefined;
  const whole = { ...plain, ...(filter !== undefined && { filter }) };
  let trial = await test(whole);
  // Once may be chance, and what follows from it lasts for the session.
  if (trial.problem !== undefined) trial = await test(whole);
  if (trial.problem !== undefined && filtered) {
    const bare = await test(plain);
    if (bare.problem === undefined) [filtered, trial] = [false, bare];
  }
  const { code, output, problem, answers } = trial;
  const means = `bubblewrap ${versionIn(answers) ?? await askVersion(program, options) ?? ""}`
    .trim();
  if (code !== 0) return { means, ...explainBubblewrapError(output) };
  if (problem !== undefined) return { means, why: problem };
  // Only now: outside of a namespace of its own it would limit the machine.
  const counted = processCount !== undefined &&
    await runsWith({ ...plain, processCount }, options);
  // Whether a command with the network can be kept from the machine's abstract sockets.
  return { means, filtered, counted, scoped: answers.split("\n").includes("scoped") };
}

/** Whether a sandbox with these settings runs anything. */
async function runsWith(
  settings: BubblewrapOptions,
  { paths, env, directory }: TrialOptions,
): Promise<boolean> {
  const profile = trialProfile({ write: false }, { paths, directory });
  const { argv, inputs } = withBubblewrap(settings)(["true"], { profile, cwd: directory });
  return (await runProcess(argv, { ...trialRun(directory, env), inputs })).code === 0;
}

function withBubblewrap(options: BubblewrapOptions): Confine {
  return (argv, how) => bubblewrapCommand(argv, { ...how, options });
}

/** The file with the filter of system calls; undefined for a processor whose calls are not known. */
async function writeFilter(directory: string): Promise<string | undefined> {
  const filter = seccompFilter(Deno.build.arch);
  if (filter === undefined) return undefined;
  return await writeInput(directory, { name: "filter", data: filter });
}

/** A file beside the trial's directory that sandboxes read; its path. */
async function writeInput(
  directory: string,
  { name, data }: { name: string; data: string | Uint8Array },
): Promise<string> {
  const path = join(directory, "..", name);
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  await Deno.writeFile(path, bytes, { mode: 0o400 });
  return path;
}

async function trySeatbelt(options: TrialOptions): Promise<SandboxBackend> {
  const means = "sandbox-exec";
  const program = findOwnProgram(means, { path: "/usr/bin", roots: [] });
  if (program === undefined) return unavailable({ why: "sandbox-exec is missing" });
  const { paths } = options;
  const how = { program, tmp: paths.tmp };
  const confine: Confine = (argv, { profile }) => ({
    argv: seatbeltCommand(argv, { ...how, profile }),
    inputs: {},
    merges: false,
  });
  const { code, output, problem } = await runSelfTest(confine, { ...options, filtered: false });
  if (code !== 0) return unavailable({ means, why: `a trial run failed: ${output.trim()}` });
  if (problem !== undefined) return unavailable({ means, why: problem });
  const confinePlugin: ConfinePlugin = (argv, { profile }) => {
    const shown = pluginSandboxProfile(profile, hiddenFromPlugin(profile, paths));
    return seatbeltCommand(argv, { ...how, profile: shown });
  };
  return { status: { state: "active", means }, confine, confinePlugin };
}

/** Secrets, and what git keeps of denied paths, wherever they lie in what a plugin was granted. */
function hiddenFromPlugin({ hidden }: PluginProfile, paths: SandboxPaths): Mount[] {
  return [...hiddenMounts(paths.places.standing().secrets), ...historyMounts({ hidden }, paths)];
}

/** What bubblewrap says of itself. */
function versionIn(output: string): string | undefined {
  return /^bubblewrap (\d+(?:\.\d+)+)$/m.exec(output)?.[1];
}

async function askVersion(program: string, { env }: TrialOptions): Promise<string | undefined> {
  const { output } = await runProcess([program, "--version"], trialRun("/", env));
  return versionIn(output);
}

/** Only root needs it: other users' processes are limited by `ulimit`, which does not count root's. */
function needsProcessCount(): boolean {
  try {
    const [major = 0, minor = 0] = Deno.osRelease().split(".").map((part) => parseInt(part));
    const since = major > OWN_COUNT_KERNEL[0] ||
      (major === OWN_COUNT_KERNEL[0] && minor >= OWN_COUNT_KERNEL[1]);
    return Deno.uid() === 0 && since;
  } catch {
    return false;
  }
}

/** What bubblewrap says when it cannot make a sandbox, for people. */
function explainBubblewrapError(output: string): { why: string; mend: string } {
  const line = output.trim().split("\n")[0] ?? "";
  if (/unknown option/i.test(line)) {
    return { why: `bubblewrap is too old (${line})`, mend: "Install bubblewrap 0.8 or newer." };
  }
  return {
    why: `bubblewrap cannot make a sandbox here (${line || "it ended without a word"})`,
    mend:
      "Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1; on Ubuntu an AppArmor " +
      "profile for bwrap; in a container start it with --security-opt seccomp=unconfined.",
  };
}
