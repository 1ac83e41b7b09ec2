/**
 * What a sandbox has to know of a machine to confine a command.
 */
import type { MachinePlaces } from "./machine_places.ts";
import type { Homes } from "./secret_files.ts";

/** Where things are; all absolute and canonical. */
export interface SandboxPaths extends Homes {
  /** The working directory and each added directory, at this moment. */
  readonly roots: () => readonly string[];
  /** Whole outputs of commands, which the model is told of. */
  readonly outputs: string;
  /** Folders of skills, to be read. @default none */
  readonly skills?: readonly string[];
  /** What commands of this session find as `/tmp`. */
  readonly tmp: string;
  /** The caches of this project's commands. */
  readonly cache: string;
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
