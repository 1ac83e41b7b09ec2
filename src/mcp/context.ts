/**
 * The port through which servers use the run they belong to.
 */
import type { Review } from "../core/sandbox.ts";
import type { ServerConfig } from "./server_config.ts";

/** A command line that runs in the OS sandbox. */
interface SandboxedCommand {
  readonly argv: readonly [program: string, ...args: string[]];
  /** To be called when it has ended. */
  readonly done: () => Promise<void>;
}

/** What servers get from the run. */
export interface ServerContext {
  /** Absolute: the default working directory of servers. */
  readonly cwd: string;
  /** ally's own environment: what `${NAME}` in an entry stands for. */
  readonly env: Readonly<Record<string, string>>;
  /** What every child gets: no secrets. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** PATH without what projects put on it: for a server that no project names. */
  readonly pathOutside: string;
  /** Milliseconds for a server to initialize, and then to list its tools; the first start may download a package. */
  readonly startMs: number;
  /** ally's version. */
  readonly version: string;
  /** The directory of the files that are kept for each server. */
  readonly cacheDirectory: string;
  /** Why a server must not be used in this run, or undefined. */
  blockReason(config: ServerConfig): string | undefined;
  /** Wraps a command line in the OS sandbox. @throws {Error} there is none */
  confine(
    argv: readonly [program: string, ...args: string[]],
    options: { cwd: string; network: boolean },
  ): Promise<SandboxedCommand>;
  /** Looks after a call at what a server in the sandbox has made; the person is told what is set aside. */
  review: Review;
  /** A server's state or tools changed. */
  onChange(): void;
  notice(level: "info" | "warning", text: string): void;
}
