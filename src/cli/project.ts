/**
 * Which of a project's own files act in this run: those that the user has trusted as they are now. Asks where
 * somebody can answer, says what is left out where nobody can. Called by the composition root, before settings.
 */
import { cutToTokens } from "../context/tokens.ts";
import type { Fact } from "../core/event.ts";
import type { AskTrust, ProjectFile, ProjectFiles } from "../core/project.ts";
import { type Config, parseConfig, projectRule } from "../store/config.ts";
import { filterFiles, findProjectFiles, listed } from "../store/project.ts";
import type { Settled } from "./trust_decision.ts";

/** A file of the project, and whether it acts. */
export interface ProjectFileState {
  readonly path: string;
  readonly acts: boolean;
  /** "trusted", "trusted for this run", "not trusted", "changed since it was trusted", ... */
  readonly why: string;
}

/** The project as far as it acts. */
export interface ProjectTrust {
  /** The contents that were shown and trusted: they are used as they stand here, and not read again. */
  readonly files: ProjectFiles;
  /** All files found, for a person who asks; empty for most projects. */
  readonly states: readonly ProjectFileState[];
}

export interface ProjectOptions {
  /** Absolute and canonical. */
  readonly directory: string;
  /** ally's own home: a `.ally` that is this is no project's. */
  readonly home: string;
  /** File of the decisions. */
  readonly trustPath: string;
  /** `--trust-project`: all that is found acts, in this run. */
  readonly trustAll: boolean;
  /** Absent where nobody can answer. */
  readonly ask?: AskTrust | undefined;
  readonly emit: (fact: Fact) => void;
}

/** Looks at the project's files and settles which act. Costs next to nothing where there are none. */
export async function openProject(options: ProjectOptions): Promise<ProjectTrust> {
  const { directory, home } = options;
  const { files, refused } = await findProjectFiles(directory, { home });
  const warn = (text: string) => options.emit({ type: "notice", level: "warning", text });
  refused.forEach(warn);
  const all = listed(files);
  if (all.length === 0) return { files, states: [] };
  if (options.trustAll) {
    return outcome(files, { acts: () => true, why: () => "trusted for this run" });
  }
  const { ask } = options;
  if (ask === undefined) {
    warn(
      `Left out, because nobody can be asked whether to trust the project: ${
        all.map(({ path }) => path).join(", ")
      }. Look at what they say, then use them with --trust-project.`,
    );
    return outcome(files, { acts: () => false, why: () => "needs --trust-project" });
  }
  const { settleByAsking } = await import("./trust_decision.ts");
  return outcome(files, await settleByAsking(files, { ...options, ask, warn }));
}

/** Files with what was settled for each. */
function outcome(files: ProjectFiles, settled: Settled): ProjectTrust {
  return {
    files: filterFiles(files, (file) => settled.acts(file)),
    states: listed(files).map((file) => ({
      path: file.path,
      acts: settled.acts(file),
      why: settled.why(file),
    })),
  };
}

/** The settings of the project's file, if it acts. @throws {UsageError} it cannot be understood */
export async function projectConfig(
  { files: { config } }: ProjectTrust,
  emit: (fact: Fact) => void,
): Promise<Config> {
  if (config === undefined) return {};
  const read = await parseConfig(config.path, config.text);
  const never = Object.keys(read.config).filter((key) => projectRule(key) === "never")
    .map((key) => `${config.path}: '${key}' is ignored: only your own configuration can set it`);
  for (const text of [...read.warnings, ...never]) emit({ type: "notice", level: "warning", text });
  return read.config;
}

/** One line a file, for `/permissions` and its like: what acts, what does not, and why. */
export function describeProject({ states }: ProjectTrust): string[] {
  return states.map(({ path, acts, why }) => `${path} ${acts ? "acts" : "does not act"}: ${why}`);
}

/** The project's notes as the model gets them: at most a quarter of its window. */
export function notesFor(notes: ProjectFile | undefined, contextSize: number) {
  return notes && { path: notes.path, text: cutToTokens(notes.text, Math.floor(contextSize / 4)) };
}
