/**
 * What a call wants to do, one thing each.
 */
import type { Power, TextSpan } from "./sandbox.ts";

/** What can be allowed and denied, in the order in which it is listed. */
export const ACCESS_KINDS = ["read", "write", "run", "net", "env"] as const;

/** One of them. */
export type AccessKind = (typeof ACCESS_KINDS)[number];

/** One thing a call wants to do. */
export interface Access {
  /** What is accessed. */
  readonly kind: AccessKind;
  /** Absolute path, command line, host or variable name. */
  readonly target: string;
  /** For paths: as people and the model know it. @default the target */
  readonly display?: string;
  /** For paths: inside the workspace. For hosts: false if rules that do not name it do not cover it. */
  readonly inside?: boolean;
  /** For command lines: where it would run. @default the working directory */
  readonly cwd?: string;
  /** For hosts: set if the user's configuration names it, which may then be of this machine or a private network. */
  readonly named?: boolean;
  /** Hash of what is behind the target: "Always" holds for nothing else under the same name. */
  readonly pin?: string;
  /** For command lines: what it gets beside what it names, because a first run failed for want of it. */
  readonly powers?: readonly Power[];
  /** The part of the command line that gets them, which is all that is judged then. @default all of it */
  readonly span?: TextSpan;
  /** Why it is extremely sensitive, whatever its kind. */
  readonly extremeReason?: string;
  /** Set if a person agreed to it when they allowed a plugin: only a rule against it counts. */
  readonly consented?: boolean;
  /** For what a plugin runs: its tool. The target is then no command line of a shell. */
  readonly tool?: string;
}
