/**
 * The OS sandbox of a session: tried before the first command, then every judged command is started in it,
 * with a `/tmp` and caches that commands share and nobody else uses.
 */
import { join } from "node:path";
import { ToolError } from "../../core/errors.ts";
import type {
  Need,
  SandboxMode,
  SandboxPolicy,
  SandboxProgram,
  SandboxStatus,
} from "../../core/sandbox.ts";
import { requireWrite } from "../../lib/fs.ts";
import { isAlive } from "../../lib/process.ts";
import type { SandboxBackend } from "./backend.ts";
import { isAbsentOrEmpty, isEmpty, kindOf } from "./inspect.ts";
import type { SandboxPaths } from "./sandbox_paths.ts";

/** Whether commands are confined, and around which directories. */
interface SandboxOptions {
  readonly mode: SandboxMode;
  /** Whether the commands may be somebody else's: then they get nothing beyond the workspace. @default false */
  readonly foreign?: boolean;
  readonly paths: Omit<SandboxPaths, "tmp" | "cache" | "env">;
  /** A directory of the project's own; made when first needed, and what is in it belongs to this class. */
  readonly directory: string;
  /** The environment that commands get. */
  readonly env: Readonly<Record<string, string>>;
}

/** A command as it is to be started. */
export interface ConfinedCommand {
  readonly argv: readonly [program: string, ...args: string[]];
  /** Whether the program started ignores SIGTERM and leaves it to the command. */
  readonly shield: boolean;
  /** To be called when it has ended; says whether it left processes running, which are ended. */
  readonly finish: () => { leftBehind: boolean };
}

/** Confines commands. */
export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #paths: SandboxPaths;
  /** What only this session uses. */
  readonly #sessionDirectory: string;
  #backend: Promise<SandboxBackend> | undefined;
  #running = 0;
  /** Of all commands so far. */
  #count = 0;
  /** Empty directories that keep anything else from being made in their place while commands run. */
  readonly #placeholders = new Set<string>();

  constructor(options: SandboxOptions) {
    this.#options = options;
    const { directory, paths } = options;
    this.#sessionDirectory = join(directory, `${Deno.pid}-${crypto.randomUUID().slice(0, 8)}`);
    this.#paths = {
      ...paths,
      env: options.env,
      tmp: join(this.#sessionDirectory, "tmp"),
      cache: join(directory, "cache"),
    };
  }

  /** What is known of it; the first question finds out, which takes a few processes. */
  async status(): Promise<SandboxStatus> {
    const { status } = await this.#getBackend();
    return status;
  }

  /**
   * A command within what it may do; undefined if there is no sandbox and none was asked for.
   * @throws {ToolError} system: there is none, and the command must not run without
   */
  async confine(
    argv: readonly [program: string, ...args: string[]],
    { policy: judged, cwd }: { policy: SandboxPolicy; cwd: string },
  ): Promise<ConfinedCommand | undefined> {
    const policy = this.#options.foreign ? withoutReach(judged) : judged;
    const { status, confine, signals } = await this.#getBackend();
    if (!confine) {
      if (this.#options.mode !== "required" && !policy.sandboxRequired) return undefined;
      throw new ToolError(`Cannot run it: there is no sandbox (${status.why ?? "it is off"})`, {
        kind: "system",
        suggestion: status.mend ?? "The user can allow commands without one by --no-sandbox.",
      });
    }
    const [{ buildProfile }, { absentPointers }] = await Promise.all([
      import("./profile.ts"),
      import("./repository.ts"),
    ]);
    const roots = this.#paths.roots();
    const profile = buildProfile(policy, this.#paths);
    const placeholders = profile.mounts.filter(({ kind, path }) =>
      kind === "empty" && path.endsWith("/.git")
    );
    for (const { path } of placeholders) this.#placeholders.add(path);
    const pointers = policy.needs.includes("repository") ? absentPointers(roots) : [];
    this.#running++;
    const mark = `.left-${++this.#count}`;
    return {
      argv: confine(argv, {
        profile,
        cwd,
        ...(policy.write && { leftBehind: `/tmp/${mark}` }),
      }),
      shield: signals && Deno.build.os === "linux",
      finish: () => this.#finish(pointers, join(this.#paths.tmp, mark)),
    };
  }

  /** A command within what it may do. @throws {ToolError} system: there is no sandbox */
  async confineAlways(
    argv: readonly [program: string, ...args: string[]],
    { policy, cwd }: { policy: SandboxPolicy; cwd: string },
  ): Promise<ConfinedCommand> {
    return (await this.confine(argv, { policy: { ...policy, sandboxRequired: true }, cwd }))!;
  }

  /**
   * A plugin's program in a sandbox of its own.
   * @throws {ToolError} system: a sandbox is required and there is none
   */
  readonly confinePlugin: SandboxProgram = async (argv, options) => {
    const { status, confinePlugin } = await this.#getBackend();
    if (confinePlugin) {
      const placeholders = options.profile.unwritable.filter(isAbsentOrEmpty);
      const command = confinePlugin(argv, options);
      if (placeholders.length === 0) return { argv: command, release: () => {} };
      for (const path of placeholders) this.#placeholders.add(path);
      this.#running++;
      return { argv: command, release: () => this.#endCommand() };
    }
    if (this.#options.mode !== "required") return undefined;
    throw new ToolError(`Cannot run it: there is no sandbox (${status.why ?? "it is off"})`, {
      kind: "system",
      ...(status.mend !== undefined && { suggestion: status.mend }),
    });
  };

  /** Tries again before the next command: what worked before has failed. */
  invalidate(): void {
    this.#backend = undefined;
  }

  /** Removes what only this session's commands used. */
  close(): void {
    this.#removePlaceholders();
    if (this.#backend === undefined) return;
    remove(this.#sessionDirectory);
  }

  #getBackend(): Promise<SandboxBackend> {
    return this.#backend ??= this.#findBackend();
  }

  async #findBackend(): Promise<SandboxBackend> {
    if (this.#options.mode === "off") {
      return { status: { state: "off", why: "switched off by the user" }, signals: false };
    }
    const paths = this.#paths;
    const trial = join(this.#sessionDirectory, "trial");
    try {
      requireWrite(trial);
      removeStaleSessions(this.#options.directory);
      for (const path of [paths.tmp, paths.cache, trial]) {
        Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
      }
    } catch (error) {
      const why = `its directory cannot be made: ${error instanceof Error ? error.message : error}`;
      return { status: { state: "unavailable", why }, signals: false };
    }
    const { findBackend } = await import("./backend.ts");
    return await findBackend({ paths, env: this.#options.env, directory: trial });
  }

  #finish(pointers: readonly string[], mark: string): { leftBehind: boolean } {
    const leftBehind = kindOf(mark) !== undefined;
    if (leftBehind) remove(mark);
    for (const path of pointers) if (kindOf(path) !== undefined) remove(path);
    this.#endCommand();
    return { leftBehind };
  }

  #endCommand(): void {
    if (--this.#running === 0) this.#removePlaceholders();
  }

  /** Only what is still empty: whatever is in it now is somebody's. */
  #removePlaceholders(): void {
    for (const path of this.#placeholders) if (isEmpty(path)) remove(path);
    this.#placeholders.clear();
  }
}

/** What a command of somebody else's may do, whatever it was judged to need. */
function withoutReach(policy: SandboxPolicy): SandboxPolicy {
  const stays: readonly Need[] = ["repository", "repository_config"];
  return { ...policy, needs: policy.needs.filter((need) => stays.includes(need)) };
}

function remove(path: string): void {
  try {
    requireWrite(path);
    Deno.removeSync(path, { recursive: !path.endsWith("/.git") });
  } catch {
    // It is gone, or stays as an empty directory that nobody takes for more.
  }
}

/** Removes what a killed ally left. */
function removeStaleSessions(directory: string): void {
  if (kindOf(directory) !== "directory") return;
  for (const { name } of Deno.readDirSync(directory)) {
    const pid = /^\d+(?=-)/.exec(name)?.[0];
    if (pid !== undefined && !isAlive(Number(pid))) remove(join(directory, name));
  }
}
