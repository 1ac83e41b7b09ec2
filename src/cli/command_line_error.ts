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
    super(describeParseError(cause), { cause });
    this.code = cause.code;
    this.program = program;
    this.args = args;
  }
}

/** What commander says, in words for people where its own are a parser's. */
function describeParseError({ message }: CommanderError): string {
  return message.replace(/^error: /, "").replace(
    /^command-argument value '(.*)' is invalid for argument '(\w+)'\./s,
    "'$1' is not a possible $2.",
  );
}
