/**
 * The process around a run, as one argument: environment, directory, streams, signals, exit. `system_io.ts` wraps
 * the real process; tests make one in memory, so that a run is a function call.
 */
import type { TerminalHost } from "../ui/terminal.ts";
import type { Environment } from "./environment.ts";

/** Standard output or standard error. */
export interface OutputStream {
  isTerminal(): boolean;
  /** Writes what it can and returns how many bytes that were. @throws {Error} it takes no more */
  writeSync(bytes: Uint8Array): number;
}

/** Standard input. */
export interface InputStream {
  isTerminal(): boolean;
  /** What feeds it; "none" for a terminal, a device and a closed stream. */
  kind(): "none" | "socket" | "pipe";
  /** Reads into the buffer; null at the end. */
  read(buffer: Uint8Array): Promise<number | null>;
  /** Delivers each key at once, without echo. @throws {Error} the terminal is gone */
  setRaw(raw: boolean): void;
}

/** A permission of the process; Deno's own type lacks the last. */
export type PermissionName = Deno.PermissionName | "import";

/** What every run uses of its process; streams, signals and exit are for the modes alone. */
export interface HostProcess {
  /** Read once, at the first use. */
  readonly env: Environment;
  /** Whether it is not the run's alone: then it gives up nothing, and the policy denies by itself. @default false */
  readonly isShared?: boolean;
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

/** The process around a run. */
export interface Io extends HostProcess, TerminalHost {
  readonly env: Environment;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** The working directory. @throws {Error} it is gone */
  cwd(): string;
  /** Ends the process at once; no code may rely on running after it. */
  exit(code: number): void;
}
