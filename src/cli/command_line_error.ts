/**
 * The error for a command line that cannot be read. It stands alone so that telling it from others loads no parser.
 */
import type { Command, CommanderError } from "commander";
import { UsageError } from "../core/errors.ts";

/** A command line that cannot be read: what is wrong, and of what. */
export class CommandLineError extends UsageError {
  /** As commander names it. */
  readonly code: string;
  readonly program: Command;
  readonly args: readonly string[];

  constructor(
    cause: CommanderError,
    { program, args }: { program: Command; args: readonly string[] },
  ) {
    super(cause.message.replace(/^error: /, ""), { cause });
    this.code = cause.code;
    this.program = program;
    this.args = args;
  }
}
