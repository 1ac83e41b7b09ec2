/**
 * What a sandbox's profile is made of, in words of no system.
 */

/** One place. "empty" shows nothing and takes nothing, "blank" is that for a file. */
export interface Mount {
  readonly kind: "writable" | "readonly" | "empty" | "blank";
  readonly path: string;
  /** Where its content comes from. @default the path itself */
  readonly source?: string;
}

/** How one command is confined. */
export interface ConfineOptions {
  readonly profile: SandboxProfile;
  /** Absolute. */
  readonly cwd: string;
  /** Path, as the command sees it, of a file that is made if it leaves processes running. */
  readonly leftBehind: string;
}

/** What a command sees. */
export interface SandboxProfile {
  /** Whether the machine's network is shared. */
  readonly network: boolean;
  readonly mounts: readonly Mount[];
}
