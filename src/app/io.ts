/**
 * What a run has of the process it runs in, as one argument: environment, directory, streams, signals, exit.
 * `system_io.ts` takes it from the real process; tests make one in memory, so that a run is a function call.
 */
import type { TerminalHost } from "../ui/terminal.ts";
import type { Environment } from "./environment.ts";

/** Where lines go. */
export interface OutputStream {
  isTerminal(): boolean;
  /** Writes what it can and returns how many bytes that were. @throws {Error} it takes no more */
  writeSync(bytes: Uint8Array): number;
}

/** Where a prompt, keys or commands come from. */
export interface InputStream {
  isTerminal(): boolean;
  /** What is behind it; "none" for a terminal, a device and a stream that is closed. */
  kind(): "none" | "socket" | "pipe";
  /** Reads into the buffer; null at the end. */
  read(buffer: Uint8Array): Promise<number | null>;
  /** Gives each key at once, unechoed. @throws {Error} the terminal is gone */
  setRaw(raw: boolean): void;
}

/** What can be taken from a process; Deno's own type lacks the last. */
export type PermissionName = Deno.PermissionName | "import";

/** What a run has of its process. */
export interface Io extends TerminalHost {
  /** As it was when it was first looked at. */
  readonly env: Environment;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** The working directory. @throws {Error} it is gone */
  cwd(): string;
  /** Ends the process at once; nothing that should happen may follow. */
  exit(code: number): void;
  /** Has something done at the very end, however the process ends, short of a kill. */
  onExit(cleanUp: () => void): void;
  /** Takes a permission from the process, for good. @throws {Error} the runtime keeps it */
  revokePermission(name: PermissionName): void;
  /**
   * Gives libraries an empty environment from now on: where they may not read the real one, looking would throw in
   * the midst of them, or at a terminal make Deno ask.
   */
  hideEnvironment(): void;
}
