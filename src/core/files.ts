/**
 * The port through which tools see the user's files. `workspace/` implements it; nothing else reads or
 * writes them. An editing tool *plans* changes and commits the plan: what was shown is what is written.
 */

/** A path after resolution. */
export interface ResolvedPath {
  /** Absolute and canonical: links of every existing part are resolved. */
  readonly absolute: string;
  /** For people and the model: relative to the working directory where inside, else absolute. */
  readonly display: string;
  /** Whether the file it finally names lies inside the workspace. */
  readonly inside: boolean;
}

/** What one call has resolved, by the words it used: what it was judged by is what it opens, whatever links became. */
export type ResolvedPaths = Map<string, Promise<ResolvedPath>>;

/** What a path names. */
export type FileKind = "file" | "directory" | "other";

/** Facts about what a path names. */
export interface FileInfo {
  /** What it is, links followed. */
  readonly kind: FileKind;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Permission bits, e.g. 0o644. */
  readonly mode: number;
}

/** A text file as read. */
export interface FileText {
  /** Where it is. */
  readonly path: ResolvedPath;
  /** Decoded text without a byte order mark; line ends are as on disk. */
  readonly text: string;
  /** Name of the encoding as WHATWG spells it, e.g. "utf-8". */
  readonly encoding: string;
  /** Bytes on disk. */
  readonly size: number;
}

/** One entry of a directory. */
export interface DirectoryEntry extends FileInfo {
  /** Its last part. */
  readonly name: string;
  /** Where it is. */
  readonly path: ResolvedPath;
  /** Whether it is a link. */
  readonly link: boolean;
}

/** One planned change of one text file; `null` before means create, `null` after means delete. */
export interface Change {
  /** The file. */
  readonly path: ResolvedPath;
  /** Decoded text as read, with its own line ends; what the file must still hold at commit. */
  readonly before: string | null;
  /** Decoded text as it shall be. */
  readonly after: string | null;
}

/** What an editing tool intends to do. */
export interface EditPlan {
  /** In the order in which they are made. */
  readonly changes: readonly Change[];
  /** Fields for the result record that only planning knows. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Whose change it is. */
export interface Committer {
  /** Name of the tool. */
  readonly tool: string;
  /** The call that makes it. */
  readonly callId: string;
  /** The model knows only that the files changed, not what they hold now. @default false */
  readonly unseen?: boolean;
}

/** One new error in a changed file. */
export interface FileCheckError {
  /** 1-based. */
  readonly line: number;
  /** What is wrong, in the checker's words. */
  readonly message: string;
  /** The line itself; of a long one the part around the error. */
  readonly source: string;
  /** White space and a `^` that stands below the error in `source`. */
  readonly marker: string;
}

/** What the check of a changed file found, as results show it. */
export interface FileCheck {
  /** The language. */
  readonly checker: string;
  /** Whether the change brought no new error. */
  readonly passed: boolean;
  /** Only errors that were not there before, at most 10. */
  readonly errors: readonly FileCheckError[];
  /** How many more there are. */
  readonly additional_errors?: number;
  /** What the model should know of the check itself. */
  readonly message?: string;
}

/** What a commit did. */
export interface CommitResult {
  /** Number of the undo patch that covers all changes of this commit. */
  readonly patchNumber: number;
  /** Bytes written to each file, in the order of the changes. */
  readonly bytesWritten: readonly number[];
  /** Display paths changed last in this session, newest first, at most 5. */
  readonly recentlyModified: readonly string[];
  /** One for each change, in order; undefined if its kind of file is not checked. */
  readonly fileChecks: readonly (FileCheck | undefined)[];
}

/** A slice of a text file's lines, for files too large to hold. */
export interface LineRange {
  /** First line wanted, 1-based. */
  readonly offset: number;
  /** How many lines; 0 means all that follow. */
  readonly limit: number;
}

/** Some consecutive lines, 1-based and inclusive; `last` is Infinity for all that follow. */
export interface LineSpan {
  /** The first one. */
  readonly first: number;
  /** The last one. */
  readonly last: number;
}

/** Lines of a text file as read. */
export interface FileLines {
  /** The file. */
  readonly path: ResolvedPath;
  /** Without line ends. */
  readonly lines: readonly string[];
  /** Number of the first line returned, 1-based. */
  readonly first: number;
  /** Lines in the whole file, or undefined if the end was not reached. */
  readonly total: number | undefined;
}

/** The user's files. */
export interface Files {
  /** Working directory, absolute and canonical. */
  readonly cwd: string;
  /** Whether changes planned by earlier calls of the reply are seen here that are not on disk yet. */
  readonly pending: boolean;
  /**
   * Resolves a path as the model wrote it; nothing is expanded.
   * @throws {ToolError} validation: empty, NUL or control characters
   */
  resolve(path: string): Promise<ResolvedPath>;
  /** Facts about what a path names, links followed, or undefined if nothing is there. */
  info(path: ResolvedPath): Promise<FileInfo | undefined>;
  /**
   * A whole text file, seen through the changes already planned in the same reply.
   * Records the read, so that the file may be changed, unless the model does not get to see the text.
   * @throws {ToolError} user: missing (with similar names), a directory, not a regular file, binary
   */
  read(path: ResolvedPath, options?: { unseen?: boolean }): Promise<FileText>;
  /** Some lines of a text file, read in a stream; records the read. @throws as `read` */
  lines(path: ResolvedPath, range: LineRange): Promise<FileLines>;
  /** Lines that changes may have given other numbers since `lines` read the file last, if any. */
  movedLines(path: ResolvedPath): LineSpan | undefined;
  /** The first bytes of a regular file: at most `length`. */
  head(path: ResolvedPath, length: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Bytes of a regular file from `start` on: at most `length`. */
  bytes(
    path: ResolvedPath,
    range: { readonly start: number; readonly length: number },
  ): Promise<Uint8Array<ArrayBuffer>>;
  /** Entries of a directory in no order; @throws {ToolError} user: missing, not a directory */
  list(path: ResolvedPath): Promise<DirectoryEntry[]>;
  /** Why a file may not be changed yet (never read, or changed since), or undefined if it may. */
  staleness(path: ResolvedPath): Promise<{ message: string; suggestion: string } | undefined>;
  /**
   * Writes all changes or none: atomically, keeping mode, link target, encoding, byte order mark.
   * A change that the model does not see makes its last read of the file out of date.
   * @throws {ToolError} user: the file is no longer what the change was planned on
   */
  commit(changes: readonly Change[], by: Committer): Promise<CommitResult>;
  /**
   * Whether a search in one absolute path leaves out another: the user forbids reading it, or it lies in a place of
   * secrets and what is searched does not.
   */
  isLeftOut(path: string, searched: string): boolean;
  /** Names near a missing path, best first, at most 3, as display paths. */
  similar(path: ResolvedPath): Promise<string[]>;
}

/** The user's files as a call sees them: through changes planned but not yet made, its paths resolved as they were. */
export type ViewFiles = (pending: readonly Change[], resolved?: ResolvedPaths) => Files;
