/**
 * What this machine has to confine commands with, and whether it holds: found and tried once, before the
 * first command.
 */
import { join } from "node:path";
import type { PluginProfile, SandboxStatus } from "../../core/sandbox.ts";
import { findOwnProgram, runProcess } from "../../lib/process.ts";
import { bubblewrapCommand, type BubblewrapOptions } from "./bubblewrap.ts";
import { kindOf } from "./inspect.ts";
import type { ConfineOptions } from "./mount.ts";
import { pluginCommand, pluginMounts } from "./plugin_profile.ts";
import { hiddenMounts } from "./hidden_places.ts";
import { buildProfile } from "./profile.ts";
import type { SandboxPaths } from "./sandbox_paths.ts";
import { seatbeltCommand } from "./seatbelt.ts";
import { evaluateSelfTest, type Namespaces, selfTestScript } from "./selftest.ts";

/** A plugin's environment is made where it is started. */
const INHERITED = { clear: false, unset: [], set: {} };
/** Processes and threads of one command: what big builds need, and far from what hurts. */
const PROCESSES = 500;
const PROCESSES_PER_CORE = 64;
/** The first kernel that counts processes for each process namespace. */
const OWN_COUNT_KERNEL = [6, 14] as const;
/** Milliseconds that a trial run may take. */
const TRIAL_TIMEOUT_MS = 10_000;

/** Runs a command line within a profile. */
type Confine = (
  argv: readonly string[],
  options: ConfineOptions,
) => [program: string, ...args: string[]];

/** Runs a program of a plugin in a sandbox of its own. */
type ConfinePlugin = (
  argv: readonly string[],
  options: { readonly profile: PluginProfile; readonly cwd: string },
) => [program: string, ...args: string[]];

/** What there is: with the ways to confine if it holds. */
export interface SandboxBackend {
  readonly status: SandboxStatus;
  readonly confine?: Confine;
  readonly confinePlugin?: ConfinePlugin;
  /** Whether SIGTERM reaches the command although its sandbox ignores it. */
  readonly signals: boolean;
}

/** What the trial needs; `directory` is its own. */
interface BackendOptions {
  readonly paths: SandboxPaths;
  readonly env: Readonly<Record<string, string>>;
  readonly directory: string;
}

/** Finds and tries what there is. Never throws. */
export async function findBackend(options: BackendOptions): Promise<SandboxBackend> {
  try {
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
  return { status: { state: "unavailable", ...status }, signals: false };
}

async function tryBubblewrap(options: BackendOptions): Promise<SandboxBackend> {
  const { pathDirectories, roots } = options.paths;
  const path = pathDirectories.join(":");
  const program = findOwnProgram("bwrap", { path, roots: roots() });
  if (program === undefined) {
    return unavailable({
      why: "bubblewrap is not installed, or not in PATH",
      mend: "Install it: apt install bubblewrap, dnf install bubblewrap or pacman -S bubblewrap.",
    });
  }
  const settings: BubblewrapOptions = {
    program,
    ownProcessCount: false,
    signals: false,
    processes: Math.max(PROCESSES, navigator.hardwareConcurrency * PROCESSES_PER_CORE),
  };
  const confine = (with_: BubblewrapOptions): Confine => (argv, how) =>
    bubblewrapCommand(argv, { ...how, options: with_ });
  const [trial, version] = await Promise.all([
    runSelfTest(confine(settings), options),
    versionOf(program, options),
  ]);
  const means = `bubblewrap ${version}`.trim();
  if (trial.code !== 0) return unavailable({ means, ...explainBubblewrapError(trial.output) });
  if (trial.fault !== undefined) return unavailable({ means, why: trial.fault });
  const signals = trial.output.includes("\nsignals\n");
  const proven = { ...settings, signals, ownProcessCount: needsOwnProcessCount() };
  const hidden = () => hiddenMounts(options.paths);
  return {
    status: { state: "active", means },
    confine: confine(proven),
    confinePlugin: (argv, how) =>
      pluginCommand(argv, { ...how, hidden: hidden(), options: proven }),
    signals,
  };
}

async function trySeatbelt(options: BackendOptions): Promise<SandboxBackend> {
  const means = "sandbox-exec";
  const program = findOwnProgram(means, { path: "/usr/bin", roots: [] });
  if (program === undefined) return unavailable({ why: "sandbox-exec is missing" });
  const confine: Confine = (argv, { profile }) => seatbeltCommand(argv, { profile, program });
  const { code, output, fault } = await runSelfTest(confine, options);
  if (code !== 0) return unavailable({ means, why: `a trial run failed: ${output.trim()}` });
  if (fault !== undefined) return unavailable({ means, why: fault });
  const { paths } = options;
  const confinePlugin: ConfinePlugin = (argv, { profile }) => {
    const hidden = hiddenMounts(paths);
    // Of the whole disk the home directory is what matters, and the workspace if it lies elsewhere.
    const people = [paths.home, ...paths.roots()].filter((path) => path !== "")
      .map((path) => ({ kind: "empty", path }) as const);
    const mounts = [...people, ...pluginMounts(profile, hidden)];
    const { network } = profile;
    return seatbeltCommand(argv, {
      profile: { base: "disk", network, mounts, environment: INHERITED },
      program,
    });
  };
  return { status: { state: "active", means }, confine, confinePlugin, signals: true };
}

/** Runs the self-test. */
async function runSelfTest(
  confine: Confine,
  { paths, env, directory }: BackendOptions,
): Promise<{ code: number; output: string; fault: string | undefined }> {
  const name = `.ally-selftest-${crypto.randomUUID()}`;
  const outside = [paths.home || "/", paths.allyHome].map((place) => join(place, name));
  const profile = buildProfile(
    { write: true, needs: [], sandboxRequired: false },
    { ...paths, roots: () => [directory] },
  );
  const argv = ["/bin/sh", "-c", selfTestScript({ outside })];
  const { code, output } = await runProcess(
    confine(argv, { profile, cwd: directory, leftBehind: "/dev/null" }),
    {
      cwd: directory,
      env,
      signal: AbortSignal.timeout(TRIAL_TIMEOUT_MS),
      maxOutput: 10_000,
    },
  );
  const escaped = outside.filter((path) => kindOf(path) !== undefined);
  for (const path of escaped) Deno.removeSync(path);
  const linux = Deno.build.os === "linux";
  const namespaces = linux ? await namespacesOutside(env) : undefined;
  const fault = evaluateSelfTest(output, { outside, escaped, ...(namespaces && { namespaces }) });
  return { code, output, fault };
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
    ], {
      cwd: "/",
      env,
      signal: AbortSignal.timeout(TRIAL_TIMEOUT_MS),
      maxOutput: 200,
    });
    const [net, pid] = output.split("\n");
    return { net: net || undefined, pid: pid || undefined };
  }
}

async function versionOf(program: string, { env }: BackendOptions): Promise<string> {
  const { output } = await runProcess([program, "--version"], {
    cwd: "/",
    env,
    signal: AbortSignal.timeout(TRIAL_TIMEOUT_MS),
    maxOutput: 200,
  });
  return /\d+(\.\d+)+/.exec(output)?.[0] ?? "";
}

/** Only root needs it: other users' processes are limited by `ulimit`, which does not count root's. */
function needsOwnProcessCount(): boolean {
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
