/**
 * What servers get from the run they belong to. `cli/` provides it.
 */
import type { ServerConfig } from "./server_config.ts";

/** A command line held by the OS sandbox. */
export interface SandboxedCommand {
  readonly argv: readonly [program: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
  /** To be called when it has ended. */
  readonly done: () => void;
}

/** Everything outside that servers use. */
export interface ServerContext {
  /** Absolute; where servers run if their entry does not say. */
  readonly cwd: string;
  /** ally's own environment: what `${NAME}` in an entry stands for. */
  readonly env: Readonly<Record<string, string>>;
  /** What every child gets: no secrets. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** ally's version. */
  readonly version: string;
  /** Where what is known of servers lies. */
  readonly cacheDirectory: string;
  /** Why a server must not be used in this run, or undefined. */
  blockReason(config: ServerConfig): string | undefined;
  /** Holds a command line in the OS sandbox. @throws {Error} there is none */
  confine(
    argv: readonly [program: string, ...args: string[]],
    options: { cwd: string; network: boolean },
  ): Promise<SandboxedCommand>;
  /** A server's state or tools changed. */
  onChange(): void;
  notice(level: "info" | "warning", text: string): void;
}
