/**
 * Which of a project's own files act in this run: those that the user has trusted as they are now. Asks where
 * somebody can answer, says what is left out where nobody can. Called by the composition root, before settings.
 */
import type { Fact } from "../core/event.ts";
import type { AskTrust, ProjectFile, ProjectFiles, TrustItem } from "../core/project.ts";
import { unifiedDiff } from "../lib/diff.ts";
import { messageOf } from "../lib/text.ts";
import { type Config, parseConfig, projectRule } from "../store/config.ts";
import { filterFiles, findProjectFiles, listed } from "../store/project.ts";
import { effectsOf } from "../store/project_effects.ts";
import { type Decision, type Decisions, TrustStore } from "../store/trust.ts";

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
  for (const text of refused) notice(options, "warning", text);
  const all = listed(files);
  if (all.length === 0) return { files, states: [] };
  if (options.trustAll) {
    return outcome(files, { acts: () => true, why: () => "trusted for this run" });
  }
  const { ask } = options;
  if (ask === undefined) {
    notice(
      options,
      "warning",
      `Left out, because nobody can be asked whether to trust the project: ${
        all.map(({ path }) => path).join(", ")
      }. Look at what they say, then use them with --trust-project.`,
    );
    return outcome(files, { acts: () => false, why: () => "needs --trust-project" });
  }
  return await settleByAsking(files, { ...options, ask });
}

async function settleByAsking(
  files: ProjectFiles,
  options: ProjectOptions & { ask: AskTrust },
): Promise<ProjectTrust> {
  const { directory, ask } = options;
  const store = new TrustStore({ path: options.trustPath });
  const decisions: Decisions = await store.read(directory).catch((error) => {
    notice(options, "warning", messageOf(error));
    return new Map();
  });
  const decided = (file: ProjectFile) => {
    const decision = decisions.get(file.path);
    return decision?.hash === file.hash ? decision : undefined;
  };
  const open = listed(files).filter((file) => decided(file) === undefined);
  const settled = (trusted: boolean, why: string) =>
    outcome(files, {
      acts: (file) => decided(file)?.trusted ?? trusted,
      why: (file) => decisionText(decided(file)) ?? why,
    });
  if (open.length === 0) return settled(false, "");
  const items = await Promise.all(open.map((file) => itemFor(file, { files, decisions })));
  const answer = await ask({ directory, items });
  if (answer === "not_now") return settled(false, "not trusted; not used in this session");
  const trusted = answer === "trust";
  await store.remember(directory, { trusted, files: open }).catch((error) =>
    notice(options, "warning", `This holds for this session only. ${messageOf(error)}`)
  );
  return settled(trusted, trusted ? "trusted just now" : REFUSED);
}

const REFUSED = "not trusted; ally asks again when it changes";

function decisionText(decision: Decision | undefined): string | undefined {
  if (decision === undefined) return undefined;
  return decision.trusted ? `trusted on ${decision.decided.slice(0, 10)}` : REFUSED;
}

function outcome(
  files: ProjectFiles,
  how: { acts: (file: ProjectFile) => boolean; why: (file: ProjectFile) => string },
): ProjectTrust {
  return {
    files: filterFiles(files, how.acts),
    states: listed(files).map((file) => ({
      path: file.path,
      acts: how.acts(file),
      why: how.why(file),
    })),
  };
}

async function itemFor(
  file: ProjectFile,
  { files, decisions }: { files: ProjectFiles; decisions: Decisions },
): Promise<TrustItem> {
  const { path, text } = file;
  const effects = await effectsOf(file, files);
  const before = decisions.get(path);
  if (!before?.trusted) return { path, state: "new", effects };
  const diff = await unifiedDiff(before.text, text, { path });
  return { path, state: "changed", effects, diff };
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

function notice(options: ProjectOptions, level: "info" | "warning", text: string): void {
  options.emit({ type: "notice", level, text });
}
