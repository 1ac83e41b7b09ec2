/**
 * What every run uses of its process, also one that is a turn in somebody else's program.
 */
import type { SandboxProofs } from "../core/sandbox.ts";
import type { Environment } from "./environment.ts";

/** A permission of the process; Deno's own type lacks the last. */
export type PermissionName = Deno.PermissionName | "import";

/** What every run uses of its process; streams, signals and exit are for the modes alone. */
export interface HostProcess {
  /** Read once, at the first use. */
  readonly env: Environment;
  /** Whether it is not the run's alone: then it gives up nothing, and the policy denies by itself. @default false */
  readonly isShared?: boolean;
  /** What its runs have proven of the sandbox, so that each need not do it anew. @default each does */
  readonly proofs?: SandboxProofs;
  /** Runs a function when the process ends, unless it is killed. */
  onExit(cleanUp: () => void): void;
  /** Gives up a permission for good. @throws {Error} Deno still grants it */
  revokePermission(name: PermissionName): void;
  /**
   * Gives libraries an empty environment from now on. If they may not read the real one, reading it would throw
   * inside them, or make Deno ask at the terminal.
   */
  hideEnvironment(): void;
}
