/**
 * What a sandbox has to know of a machine to confine a command.
 */
import type { MachinePlaces } from "./machine_places.ts";
import type { GitWithKeys } from "./running_commands.ts";
import type { Homes } from "./secret_files.ts";

/** What commands see that may be somebody else's, beside programs; absolute and canonical. */
export interface ForeignPlaces {
  /** The directory of the scratch copy: their workspace, and the repository that it lies in. */
  readonly copy: string;
  /** What the user has named for them to read. */
  readonly readable: readonly string[];
}

/** Where things are; all absolute and canonical. */
export interface SandboxPaths extends Homes {
  /** The working directory and each added directory, at this moment. */
  readonly roots: () => readonly string[];
  /** Whole outputs of commands, which the model is told of. */
  readonly outputs: string;
  /** Folders of skills, to be read. @default none */
  readonly skills?: readonly string[];
  /** Set if the commands may be somebody else's. @default they are the user's own */
  readonly foreign?: ForeignPlaces | undefined;
  /** What commands of this session find as `/tmp`. */
  readonly tmp: string;
  /** The caches of this project's commands. */
  readonly cache: string;
  /** The same of those that get the user's logins or keys: what others write is not to run with these. */
  readonly keyedCache: string;
  /** Directories of PATH. */
  readonly pathDirectories: readonly string[];
  /** Socket of the user's ssh agent, or "". */
  readonly sshAgent: string;
  /** Repositories below the roots: of each its `.git`, or itself if it is bare. */
  readonly nested: () => readonly string[];
  /** Where the machine keeps what is shown and what is hidden. */
  readonly places: MachinePlaces;
  /** The environment that commands begin with. */
  readonly env: Readonly<Record<string, string>>;
}

/** What is known of a command beside what it may do. */
export interface ProfileOptions {
  /** Which repositories git obeys in it. @default it is no git that has keys */
  readonly gitWithKeys?: GitWithKeys | undefined;
  /** Whether repositories below the roots stay where they are. @default they may be moved */
  readonly isPinned?: boolean | undefined;
  /** Directories of the workspace in which git looks for hooks, as settings name them. @default those of a repository itself */
  readonly hooksPaths?: readonly string[] | undefined;
}
