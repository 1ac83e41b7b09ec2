/**
 * What judging a command must know of the machine it would run on. All answers are synchronous, so that a
 * judgement is one moment; only what a rule would be bound to is looked up later.
 */

/** Where a path leads. */
export interface PathLocation {
  /** Absolute and canonical: links of every existing part are resolved. */
  readonly absolute: string;
  /** Whether the object it finally names lies inside the workspace. */
  readonly inside: boolean;
  /** Whether a variable says that it holds secrets, which in the workspace are the project's. @default none does */
  readonly isNamedSecret?: boolean;
}

/** What a file holds, as text. */
export interface FileText {
  readonly text: string;
  /** Whether that is all of it. */
  readonly whole: boolean;
}

/** The fingerprint of a file that is not there. */
export const ABSENT = "absent";

/** Whether a fingerprint is that of a regular file. */
export function isFile(fingerprint: string | undefined): boolean {
  return fingerprint !== undefined && fingerprint !== ABSENT;
}

/** Directories for what is temporary, on Linux; elsewhere they are links, and no sandbox has others in their place. */
export const TEMPORARY = ["/tmp", "/var/tmp"];

/** Whether a canonical path lies below such a directory. */
export function isTemporary(path: string): boolean {
  return TEMPORARY.some((one) => path.startsWith(`${one}/`));
}

/** What is known of the machine's paths. */
export interface PathFacts {
  /** Working directory, absolute and canonical. */
  readonly cwd: string;
  /** The user's home directory, or "" if it is not known. */
  readonly home: string;
  /** Whether the shell that runs commands may know nothing but the standard's syntax: there is no bash. */
  readonly posix: boolean;
  /** Judges an absolute path, `..` and links included. Never throws. */
  locate(path: string): PathLocation;
  /**
   * What a canonical path holds that the sandbox hides: it is a secret place to which a link leads, or one of
   * ally's own files. Never throws.
   */
  secretAt(path: string): string | undefined;
  /** The secret places that are there, canonical: the sandbox hides them. Never throws. */
  secretPlaces(): readonly string[];
  /** Whether what lies below a canonical directory holds secrets of the user's. Never throws. */
  hasSecretsBelow(directory: string): boolean;
  /**
   * Those of canonical paths that the repository in which a directory lies tracks, themselves or something below; all
   * that lie in it, if that cannot be found out. Never rejects.
   */
  trackedPaths(paths: readonly string[], directory: string): Promise<readonly string[]>;
  /**
   * The working trees elsewhere, canonical, that settings name of the repository in which a directory lies: paths may be
   * meant from there. Undefined if it cannot be told which they are. Never rejects.
   */
  namedTrees(directory: string): Promise<readonly string[] | undefined>;
  /**
   * Whether words name commits, each for itself, in the repository in which a directory lies; false if that cannot be
   * found out. Never rejects.
   */
  areCommits(words: readonly string[], directory: string): Promise<boolean>;
  /**
   * Whose own a canonical path of the workspace is by what lies around it, whatever it is called: git's, where it is or
   * makes a repository, ally's, or the user's, where it holds keys or is obeyed wherever they work. Never rejects.
   */
  ownerOf(path: string): Promise<"git" | "ally" | "user" | undefined>;
  /** Whether a canonical path lies in what commands in the sandbox find as a `/tmp` of their own. @default none does */
  isTemporary?(path: string): boolean;
  /** Whether a canonical path lies in the workspace, or in a repository around it, whose history may hold it. Never throws. */
  mayBeInHistory(path: string): boolean;
  /**
   * The top of the working tree in which a canonical directory lies, if the workspace is only a part of that. Never
   * rejects.
   */
  outerTree(directory: string): Promise<string | undefined>;
  /** Whether there is something at an absolute path. Never throws. */
  exists(path: string): boolean;
  /** Whether a canonical path is that of a skill's file, wherever skills are kept. @default none is */
  isSkillFile?(path: string): boolean;
  /** Files of the workspace, absolute, that decide what git runs beside its own work. Never rejects. */
  gitHooks(): Promise<readonly string[]>;
  /**
   * A hash of what a file of the workspace holds, `ABSENT` if it is missing; what is no regular file has none. Never
   * throws.
   */
  fingerprint(path: string): string | undefined;
  /**
   * The text of a regular file, cut at a MiB; undefined if there is none. Only for what a rule is bound to, never for
   * judging. Never throws.
   */
  read(path: string): FileText | undefined;
  /** The names in a directory; none if there is none. Never throws. */
  entries(path: string): readonly string[];
}
