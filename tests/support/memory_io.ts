/**
 * A process in memory, as a run sees it: what goes in is given, what comes out is kept, and nothing that a run does
 * to its process reaches the process of the tests.
 */
import { createEnvironment } from "../../src/app/environment.ts";
import type { InputStream, Io, OutputStream, PermissionName } from "../../src/app/io.ts";

/** What a process in memory is made with. */
export interface MemoryIoOptions {
  /** @default no variable at all */
  readonly env?: Readonly<Record<string, string>>;
  /** @default "/" */
  readonly cwd?: string;
  /** What is piped in; without it nothing is. */
  readonly input?: string;
}

/** A process in memory, with what came of it. */
export interface MemoryIo extends Io {
  /** What was written by now. */
  readonly output: string;
  readonly errors: string;
  /** Permissions that the run gave up. */
  readonly revoked: readonly PermissionName[];
  /** Whether the run hid the environment from libraries. */
  readonly isEnvironmentHidden: boolean;
  /** How many listeners for signals there are. */
  readonly listeners: number;
  /** The code of a run that ended its process itself. */
  readonly exitCode: number | undefined;
  /** Sends a signal to the run. */
  signal(name: Deno.Signal): void;
  /** Ends the process: does what was to be done at its very end. */
  end(): void;
}

/** Makes one. */
export function createMemoryIo(options: MemoryIoOptions = {}): MemoryIo {
  const stdout = createOutput();
  const stderr = createOutput();
  const listeners = new Map<Deno.Signal, Set<() => void>>();
  const cleanUps: (() => void)[] = [];
  const revoked: PermissionName[] = [];
  let exitCode: number | undefined;
  let isEnvironmentHidden = false;
  return {
    env: createEnvironment(options.env ?? {}),
    stdin: createInput(options.input),
    stdout,
    stderr,
    cwd: () => options.cwd ?? "/",
    windowSize() {
      throw new Error("There is no terminal");
    },
    onSignal(name, listener) {
      const known = listeners.get(name) ?? new Set();
      listeners.set(name, known.add(listener));
      return () => known.delete(listener);
    },
    suspend: () => {},
    exit: (code) => exitCode ??= code,
    onExit: (cleanUp) => cleanUps.push(cleanUp),
    revokePermission: (name) => revoked.push(name),
    hideEnvironment: () => isEnvironmentHidden = true,
    get output() {
      return stdout.text();
    },
    get errors() {
      return stderr.text();
    },
    revoked,
    get isEnvironmentHidden() {
      return isEnvironmentHidden;
    },
    get listeners() {
      return [...listeners.values()].reduce((sum, { size }) => sum + size, 0);
    },
    get exitCode() {
      return exitCode;
    },
    signal(name) {
      for (const listener of [...listeners.get(name) ?? []]) listener();
    },
    end() {
      for (const cleanUp of cleanUps.splice(0)) cleanUp();
    },
  };
}

function createInput(input: string | undefined): InputStream {
  let rest = new TextEncoder().encode(input ?? "");
  return {
    isTerminal: () => false,
    kind: () => input === undefined ? "none" : "pipe",
    read(buffer) {
      if (rest.length === 0) return Promise.resolve(null);
      const n = Math.min(rest.length, buffer.length);
      buffer.set(rest.subarray(0, n));
      rest = rest.subarray(n);
      return Promise.resolve(n);
    },
    setRaw: () => {},
  };
}

function createOutput(): OutputStream & { text(): string } {
  const decoder = new TextDecoder();
  let text = "";
  return {
    isTerminal: () => false,
    writeSync(bytes) {
      text += decoder.decode(bytes, { stream: true });
      return bytes.length;
    },
    text: () => text,
  };
}
