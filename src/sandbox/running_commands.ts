/**
 * What the commands that run now could do to each other. A pipe counts as a whole: its parts are confined before the
 * first of them runs, so that all of them have ended only with the last.
 */
import { ToolError } from "../core/errors.ts";

/**
 * Which repositories git obeys beside keys: any that it comes upon, those that are known, or of these only the ones
 * that roots lie in.
 */
export type ObeyedRepositories = "any" | "known" | "roots";

/** Which repositories git obeys beside keys. */
export interface GitWithKeys {
  /** The working trees of those that it obeys alone. @default any */
  readonly trees?: readonly string[];
  /** What these are. */
  readonly obeys: ObeyedRepositories;
}

/** What a command can do to others. */
export interface RunningCommand {
  /** What began with it: the same one for all parts of a pipe. */
  readonly list: object;
  /** Of git with the user's keys: which repositories it obeys. */
  readonly gitWithKeys?: ObeyedRepositories;
  /** Whether it may write what it likes: repositories too, where none is known. */
  readonly writesFreely: boolean;
  /** Whether it may put another repository in the place of one that is known, below the roots. */
  readonly movesRepositories: boolean;
  /** Whether it may write in repositories, and is no git with the user's keys. */
  readonly hasRepository: boolean;
  /** Whether it is to make repositories. */
  readonly makesRepositories: boolean;
}

/** What some of the commands can do that run beside a command. */
export type RunningBeside = Omit<RunningCommand, "list" | "gitWithKeys">;

/** What can do all but what only git can. */
const FREE_WRITER = {
  writesFreely: true,
  movesRepositories: true,
  hasRepository: false,
  makesRepositories: false,
} as const;

/** The commands that run now. */
export class RunningCommands {
  readonly #running = new Set<RunningCommand>();

  /** What runs beside a command that has not begun. */
  get beside(): RunningBeside {
    const some = (has: (command: RunningCommand) => boolean) => [...this.#running].some(has);
    return {
      writesFreely: some((one) => one.writesFreely),
      hasRepository: some((one) => one.hasRepository),
      movesRepositories: some((one) => one.movesRepositories),
      makesRepositories: some((one) => one.makesRepositories),
    };
  }

  /** Whether git with the user's keys does. */
  get hasGitWithKeys(): boolean {
    return [...this.#running].some(({ gitWithKeys }) => gitWithKeys !== undefined);
  }

  /** @throws {ToolError} system: a command could change what git obeys that runs already, with the user's keys */
  requireRoom(command: RunningCommand): void {
    const hinders = [...this.#running].some(({ list, gitWithKeys }) =>
      list !== command.list && gitWithKeys !== undefined &&
      (command.hasRepository ||
        (gitWithKeys === "known" && command.movesRepositories) ||
        (gitWithKeys === "any" && command.writesFreely))
    );
    if (!hinders) return;
    throw new ToolError(
      "Cannot run it now: git runs with the user's keys, and this could change what git obeys",
      { kind: "system", suggestion: "Run it again when the other command has ended." },
    );
  }

  /** Counts a command as running until what is returned is called. */
  begin(command: RunningCommand): () => void {
    this.#running.add(command);
    return () => this.#running.delete(command);
  }

  /**
   * The same for a program that is no command and writes in the workspace what it likes.
   * @throws {ToolError} system: it could change what git obeys that runs already, with the user's keys
   */
  beginWriter(): () => void {
    const writer = { ...FREE_WRITER, list: {} };
    this.requireRoom(writer);
    return this.begin(writer);
  }
}
