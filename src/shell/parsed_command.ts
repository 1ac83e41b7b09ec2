/**
 * What a command comes down to: every simple command in it, wherever it stands.
 */
import type { ShellWord } from "./words.ts";

/** Thrown where a script cannot be understood, or does what nobody can judge; the message says why. */
export class NotUnderstoodError extends Error {
  override name = "NotUnderstood";
}

/** An assignment before a command or by itself. */
export interface ShellAssignment {
  readonly name: string;
  /** Undefined if only running it shows the value; arrays count as such. */
  readonly value: ShellWord | undefined;
}

/** A redirection of a command. */
export interface ShellRedirection {
  readonly operator: string;
  readonly target: ShellWord;
}

/** What a command finds on its standard input: text that is known, a file, another command's output. */
export type StdinSource =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly target: ShellWord }
  /** Also within a function: whatever its caller has. */
  | { readonly kind: "unknown" }
  | undefined;

/** A command with its words, without lists and pipes. */
export interface SimpleCommand {
  /** As written. */
  readonly text: string;
  readonly assignments: readonly ShellAssignment[];
  /** The name first; empty if there are only assignments or redirections. */
  readonly words: readonly ShellWord[];
  readonly redirections: readonly ShellRedirection[];
  readonly input?: StdinSource;
  /** Commands of one chain: each runs only if all before it in the chain succeeded. */
  readonly chain: number;
  /** The shells below that of the script that it runs in, outermost first: subshells, substitutions, the background. */
  readonly shells: readonly number[];
  /** What follows in its chain does not show what it did to its shell (such as `cd`): it stands in a pipe, or behind `!`. */
  readonly isolated: boolean;
  /** May run more than once. */
  readonly repeated: boolean;
  /** Where the part of the script begins that it belongs to: characters from the beginning of the text. */
  readonly at: number;
  /** The function it is part of. */
  readonly inFunction?: string;
}

/** A script, parsed: its simple commands and what it does to its own state. */
export interface ParsedCommand {
  /** In the order of the text. */
  readonly commands: readonly SimpleCommand[];
  /** Every value that the script itself gives to a variable; undefined is what only running it shows. */
  readonly assignedValues: ReadonlyMap<string, readonly (ShellWord | undefined)[]>;
  readonly functions: ReadonlySet<string>;
}
