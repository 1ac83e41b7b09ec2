/**
 * What "Always" leaves behind: a rule that allows one exact command, one path, host or variable, or, if the person
 * chose so, a program with any arguments or a whole kind; for a session, a project or everywhere.
 */
import type { AccessKind, Breadth, RuleScope } from "./permission.ts";
import type { Need } from "./sandbox.ts";

/** One part of a command that a rule allows. */
export interface GrantedPart {
  /** A program with its arguments, or a redirection with its target. */
  readonly does: "run" | "redirect";
  readonly argv: readonly string[];
  /** Whether further arguments may follow. @default false: the arguments are all */
  readonly anyArguments?: true;
  /** What it gets beyond the workspace; further arguments may not bring more. @default nothing */
  readonly needs?: readonly Need[];
  /** Whether it reads what lies outside of the workspace; further arguments may not bring that. @default false */
  readonly readsOutside?: true;
  /** What it finds on its standard input: `text:HASH`, `file:NAME` or `pipe`. @default nothing */
  readonly stdin?: string;
  /** Absolute directory in which it runs. */
  readonly cwd: string;
  /** What its script sets before it, which can change what its words mean. */
  readonly assignments: readonly string[];
  /** Files of the workspace that decide what it does: absolute path and hash of the content. */
  readonly files: Readonly<Record<string, string>>;
  /** Whether it may run others too, of which nothing is known. @default false */
  readonly runsUnknown?: true;
  /** Whether no sandbox held it: then nothing but a rule for its exact words allows it. @default false */
  readonly unconfined?: true;
}

/** What an answer of "Always" allows. */
export interface Grant {
  readonly kind: AccessKind;
  /** @default "exact" */
  readonly breadth?: Breadth;
  /** For people, as it was shown: `run=deno test`. */
  readonly text: string;
  /** The path (absolute), host or variable; absent for commands and for a whole kind. */
  readonly target?: string;
  /** The parts of a command that asked; absent for other kinds, and for all commands. */
  readonly parts?: readonly GrantedPart[];
}

/** What a question could store, by how much it allows. */
export type GrantOffers = Readonly<Partial<Record<Breadth, Grant>>> & {
  /** Of a command of which some parts stay in the sandbox: the exact words of those that do not. Never stored. */
  readonly beyond?: Grant;
};

/** A grant that was given. */
export interface Rule extends Grant {
  /** Unique among stored rules: "1", "2"; "s1" for a rule of the session. */
  readonly id: string;
  readonly scope: RuleScope;
  /** Absolute directory to which a rule of scope "project" belongs. */
  readonly project?: string;
  /** ISO 8601. */
  readonly made: string;
  /** ISO 8601, to the minute; absent if it was never used. */
  readonly used?: string;
}

/** The port through which rules outlive the process. */
export interface RuleStore {
  /** The rules of this project and the user's, read anew if the file changed; none if it cannot be read. */
  list(): Promise<readonly Rule[]>;
  /** Keeps a grant. @throws {Error} it cannot be stored; the message is for people */
  add(grant: Grant, scope: "project" | "user"): Promise<Rule>;
  /** Records that rules were used just now. Never throws: a rule holds without its date. */
  recordUse(ids: readonly string[]): Promise<void>;
  /** Removes rules and returns those that were there. @throws {Error} as `add` */
  remove(ids: readonly string[]): Promise<readonly Rule[]>;
}
