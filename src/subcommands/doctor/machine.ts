/**
 * The checks of `ally doctor` that concern the machine: versions, git, ripgrep, the sandbox, the terminal, and the
 * permissions of ally's home.
 */
import { dirname } from "node:path";
import type { Environment } from "../../app/environment.ts";
import { describeInstallation, findInstallation } from "../../app/installation.ts";
import { VERSION } from "../../app/version.ts";
import type { SandboxMode } from "../../core/sandbox.ts";
import { isMissing, reasonOf } from "../../lib/fs.ts";
import { findOwnProgram } from "../../lib/find_program.ts";
import { findRipgrep } from "../../lib/ripgrep.ts";
import { messageOf, quoteWord } from "../../lib/text.ts";
import { mayCreateIn } from "../../sandbox/inspect.ts";
import type { AllyPaths } from "../../store/paths.ts";
import type { Terminal } from "../../ui/terminal.ts";
import { describeGuarantees, type Guarantee, tryGuarantees } from "./guarantees.ts";
import type { Check } from "./report.ts";

/** What is looked at on this machine. */
interface MachineOptions {
  readonly env: Environment;
  readonly paths: AllyPaths;
  readonly terminal: Terminal;
  readonly sandbox: SandboxMode;
  /** The directory in which ally would work. */
  readonly cwd: string;
}

/** Milliseconds that a program may take to print its version. */
const VERSION_TIMEOUT_MS = 5_000;

/** What was found of the machine. */
interface MachineResult {
  readonly checks: readonly Check[];
  /** What holds commands to what is promised; none if it could not be tried. */
  readonly guarantees: readonly Guarantee[];
}

/** Runs all of them at once. Never throws. */
export async function checkMachine(options: MachineOptions): Promise<MachineResult> {
  const [home, git, ripgrep, { check: sandbox, guarantees }] = await Promise.all([
    checkHome(options.paths),
    checkGit(options),
    checkRipgrep(options),
    checkSandbox(options),
  ]);
  const checks = [checkVersions(), home, git, ripgrep, sandbox, checkTerminal(options)];
  return { checks, guarantees };
}

function checkVersions(): Check {
  const { deno } = Deno.version;
  const { os, arch } = Deno.build;
  const how = describeInstallation(findInstallation());
  return { id: "ally", status: "ok", detail: `${VERSION}, Deno ${deno}, ${os} ${arch}, ${how}` };
}

async function checkHome({ home }: AllyPaths): Promise<Check> {
  const id = "home";
  try {
    const { mode } = await Deno.stat(home);
    if (mode !== null && Deno.build.os !== "windows" && (mode & 0o077) !== 0) {
      const octal = (mode & 0o777).toString(8);
      const mend = `Close it: chmod 700 ${quoteWord(home)}`;
      return {
        id,
        status: "warning",
        detail: `other users can read ${home} (mode ${octal})`,
        mend,
      };
    }
    await Deno.remove(await Deno.makeTempFile({ dir: home, prefix: ".probe-" }));
    return { id, status: "ok", detail: home };
  } catch (error) {
    const above = isMissing(error) ? nearestDirectory(home) : undefined;
    if (above !== undefined && mayCreateIn(above)) {
      return { id, status: "ok", detail: `${home} (created when first needed)` };
    }
    const why = above === undefined ? reasonOf(error) : `nothing can be made in ${above}`;
    const detail = `cannot write to ${home}: ${why}`;
    const mend = "Make it writable, or set ALLY_HOME to a directory that is.";
    return { id, status: "failed", detail, mend };
  }
}

/** The nearest directory above that is there. */
function nearestDirectory(path: string): string | undefined {
  const above = dirname(path);
  try {
    return Deno.statSync(above).isDirectory ? above : undefined;
  } catch (error) {
    return isMissing(error) && above !== path ? nearestDirectory(above) : undefined;
  }
}

async function checkGit({ env, cwd }: MachineOptions): Promise<Check> {
  const places = { path: env.get("PATH") ?? "", roots: [cwd] };
  const found = await versionOf(() => findOwnProgram("git", places), env);
  return found === undefined
    ? {
      id: "git",
      status: "warning",
      detail: "not found: what commands change cannot be undone",
      mend: "Install git.",
    }
    : { id: "git", status: "ok", detail: found.replace(/^git version /, "") };
}

async function checkRipgrep({ env }: MachineOptions): Promise<Check> {
  const program = await findRipgrep();
  const found = await versionOf(() => program, env);
  return found === undefined
    ? {
      id: "ripgrep",
      status: "warning",
      detail: "it does not run: ally searches by itself, which is slower",
      mend: "Install ally again, so that the package @vscode/ripgrep is there.",
    }
    : { id: "ripgrep", status: "ok", detail: found.replace(/^ripgrep /, "") };
}

async function checkSandbox(
  { sandbox: mode, cwd, env }: MachineOptions,
): Promise<{ check: Check; guarantees: readonly Guarantee[] }> {
  const id = "sandbox";
  try {
    const { status, guarantees } = await tryGuarantees({ mode, env, cwd });
    const more = describeGuarantees(guarantees);
    const { state, means = "active", why = "there is none", mend, gaps = [] } = status;
    const check: Check = state === "active"
      ? { id, status: "ok", detail: [means, ...gaps].join("; "), more }
      : state === "off"
      ? {
        id,
        status: "warning",
        detail: "switched off: nothing holds a command that runs, and with -A none asks",
        more,
      }
      : {
        id,
        status: "warning",
        detail: `${why}; more commands ask, and nothing holds what -A allows`,
        more,
        mend,
      };
    return { check, guarantees };
  } catch (error) {
    return { check: { id, status: "warning", detail: messageOf(error) }, guarantees: [] };
  }
}

function checkTerminal({ terminal, env }: MachineOptions): Check {
  const id = "terminal";
  if (!terminal.isInteractive) {
    return { id, status: "ok", detail: "none: ally is run by a program" };
  }
  const { columns, rows, unicode, depth, canRedraw } = terminal;
  const colours = depth === "none" ? "no colours" : `${depth} colours`;
  const letters = unicode ? "Unicode" : "ASCII only";
  const detail = `${env.get("TERM") ?? "unknown"}, ${columns} x ${rows}, ${colours}, ${letters}`;
  return canRedraw
    ? { id, status: "ok", detail }
    : { id, status: "warning", detail, mend: "TERM names a terminal that cannot move its cursor." };
}

/** The first line that `--version` prints, or undefined if the program is not found or does not run. */
async function versionOf(
  find: () => string | undefined,
  env: Environment,
): Promise<string | undefined> {
  try {
    const program = find();
    if (program === undefined) return undefined;
    const { success, stdout } = await new Deno.Command(program, {
      args: ["--version"],
      env: env.toObject(),
      clearEnv: true,
      stdin: "null",
      stderr: "null",
      signal: AbortSignal.timeout(VERSION_TIMEOUT_MS),
    }).output();
    return success ? new TextDecoder().decode(stdout).split("\n")[0]?.trim() : undefined;
  } catch {
    return undefined;
  }
}
