/**
 * The process around a run, as one argument: environment, directory, streams, signals, exit. `system_io.ts` wraps
 * the real process; tests make one in memory, so that a run is a function call.
 */
import type { TerminalHost } from "../ui/terminal.ts";
import type { Environment } from "./environment.ts";
import type { HostProcess } from "./host_process.ts";

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
