/**
 * What a project's own files could do to ally, and the question whether they may. Whoever uses such a file takes it
 * from what is trusted.
 */

/** A file of the project, with the very content that was hashed: nobody reads it a second time. */
export interface ProjectFile {
  /** Relative to the project, with slashes: ".ally/config.json". */
  readonly path: string;
  readonly text: string;
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly hash: string;
}

/** The files of a project that act on ally, as far as they are there. */
export interface ProjectFiles {
  /** `.ally/config.json` */
  readonly config?: ProjectFile;
  /** The project's programs that its hooks run. @default there are none */
  readonly hooks?: readonly ProjectFile[];
  /** `.ally/mcp.json` */
  readonly mcp?: ProjectFile;
  /** `.ally/agents/NAME.md` */
  readonly agents: readonly ProjectFile[];
  /** `.ally/commands/NAME.md`, and in the folders there */
  readonly commands: readonly ProjectFile[];
  /** `SKILL.md` of each skill in `.ally/skills` and `.agents/skills`, up to the root of the repository */
  readonly skills: readonly ProjectFile[];
  /**
   * `ALLY.md`, else `AGENTS.md`, else `CLAUDE.md` of each directory from the root of the repository down;
   * those above the working directory as `../ALLY.md`
   */
  readonly instructions: readonly ProjectFile[];
}

/** One file that a person is asked about. Its texts are as the project wrote them: not safe to draw. */
export interface TrustItem {
  readonly path: string;
  readonly state: "new" | "changed";
  /** What it would do, in plain words, one line each. */
  readonly effects: readonly string[];
  /** Unified diff from what was trusted before. */
  readonly diff?: string;
}

/** What a project's files would do, for a person to judge. */
export interface TrustRequest {
  /** Absolute and canonical. */
  readonly directory: string;
  readonly items: readonly TrustItem[];
}

/** Trust and remember it, go without in this session, or go without until the files change. */
export type TrustAnswer = "trust" | "not_now" | "never";

/** Asks a person; a closed terminal is "not_now". */
export type AskTrust = (request: TrustRequest) => Promise<TrustAnswer>;
