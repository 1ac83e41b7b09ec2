/**
 * What "Always" leaves behind: a rule that allows one exact command, or one path, host or variable, for a
 * session, a project or everywhere.
 */
import type { AccessKind, GrantScope } from "./permission.ts";

/** One part of a command that a rule allows: this and nothing else. */
export interface GrantedPart {
  /** A program with its arguments, or a redirection with its target. */
  readonly does: "run" | "redirect";
  readonly argv: readonly string[];
  /** What it finds on its standard input: `text:HASH`, `file:NAME` or `pipe`. @default nothing */
  readonly stdin?: string;
  /** Absolute directory in which it runs. */
  readonly cwd: string;
  /** What its script sets before it, which can change what its words mean. */
  readonly assignments: readonly string[];
  /** Files of the workspace that decide what it does: absolute path and hash of the content. */
  readonly files: Readonly<Record<string, string>>;
}

/** What an answer of "Always" allows. */
export interface Grant {
  readonly kind: AccessKind;
  /** For people, as it was shown: `run=deno test`. */
  readonly text: string;
  /** The path (absolute), host or variable; absent for commands. */
  readonly target?: string;
  /** The parts of a command that asked; absent for other kinds. */
  readonly parts?: readonly GrantedPart[];
}

/** A grant that was given. */
export interface Rule extends Grant {
  /** Unique among stored rules: "1", "2"; "s1" for a rule of the session. */
  readonly id: string;
  readonly scope: GrantScope;
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
