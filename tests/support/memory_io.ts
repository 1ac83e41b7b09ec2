/**
 * A process in memory, as a run sees it: what goes in is given, what comes out is kept, and nothing that a run does
 * to its process reaches the process of the tests.
 */
import { createEnvironment } from "../../src/app/environment.ts";
import type { PermissionName } from "../../src/app/host_process.ts";
import type { InputStream, Io, OutputStream } from "../../src/app/io.ts";
import { PROOFS } from "./confined.ts";
import type { MemoryTerminal } from "./memory_terminal.ts";

/** What a process in memory is made with. */
export interface MemoryIoOptions {
  /** @default no variable at all */
  readonly env?: Readonly<Record<string, string>>;
  /** @default "/" */
  readonly cwd?: string;
  /** What is piped in; without it nothing is. */
  readonly input?: string;
  /** A person sits at this terminal, which is standard input and both outputs. */
  readonly terminal?: MemoryTerminal;
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
  /** Types at the terminal; what is typed at once is read at once, by itself. */
  type(text: string): void;
  /** Gives the terminal another size. */
  resize(columns: number, rows: number): void;
  /** Takes the terminal away: a signal says so, and nothing more can be read. */
  hangUp(): void;
  /** Ends the process: does what was to be done at its very end. */
  end(): void;
}

/** Makes one. */
export function createMemoryIo(options: MemoryIoOptions = {}): MemoryIo {
  const { terminal } = options;
  const stdin = createInput(options);
  const stdout = createOutput(terminal);
  const stderr = createOutput(terminal);
  const listeners = new Map<Deno.Signal, Set<() => void>>();
  const cleanUps: (() => void)[] = [];
  const revoked: PermissionName[] = [];
  let exitCode: number | undefined;
  let isEnvironmentHidden = false;
  const signal = (name: Deno.Signal) => {
    for (const listener of [...listeners.get(name) ?? []]) listener();
  };
  return {
    env: createEnvironment(options.env ?? {}),
    proofs: PROOFS,
    stdin,
    stdout,
    stderr,
    cwd: () => options.cwd ?? "/",
    windowSize() {
      if (terminal) return terminal;
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
    signal,
    type: (text) => stdin.add(text),
    resize(columns, rows) {
      terminal?.resize(columns, rows);
      signal("SIGWINCH");
    },
    hangUp() {
      signal("SIGHUP");
      stdin.end();
    },
    end() {
      for (const cleanUp of cleanUps.splice(0)) cleanUp();
    },
  };
}

function createInput(
  { input, terminal }: MemoryIoOptions,
): InputStream & { add(text: string): void; end(): void } {
  const encoder = new TextEncoder();
  let rest = input === undefined ? [] : [encoder.encode(input)];
  let more = Promise.withResolvers<void>();
  let hasEnded = terminal === undefined;
  return {
    isTerminal: () => terminal !== undefined,
    kind: () => input === undefined ? "none" : "pipe",
    async read(buffer) {
      if (rest.length === 0 && !hasEnded) await more.promise;
      const [bytes, ...others] = rest;
      if (bytes === undefined) return null;
      const part = bytes.subarray(0, buffer.length);
      buffer.set(part);
      rest = part.length < bytes.length ? [bytes.subarray(part.length), ...others] : others;
      return part.length;
    },
    setRaw(raw) {
      if (terminal) terminal.raw = raw;
    },
    add(text) {
      rest.push(encoder.encode(text));
      more.resolve();
      more = Promise.withResolvers();
    },
    end() {
      hasEnded = true;
      more.resolve();
    },
  };
}

function createOutput(terminal: MemoryTerminal | undefined): OutputStream & { text(): string } {
  const decoder = new TextDecoder();
  let text = "";
  return {
    isTerminal: () => terminal !== undefined,
    writeSync(bytes) {
      const part = decoder.decode(bytes, { stream: true });
      text += part;
      terminal?.control(part);
      return bytes.length;
    },
    text: () => text,
  };
}
