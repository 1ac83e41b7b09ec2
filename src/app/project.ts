/**
 * Which of a project's own files act in this run: those that the user has trusted as they are now. Asks a person if
 * there is one, else warns of what is left out.
 */
import { join } from "node:path";
import type { AskTrust, ProjectFile, ProjectFiles } from "../core/project.ts";
import { messageOf } from "../lib/text.ts";
import { parseConfig } from "../store/config.ts";
import { findInstructions } from "../store/instructions.ts";
import { filterFiles, findProjectFiles, listFiles, NO_PROJECT_FILES } from "../store/project.ts";
import type { SkillPlaces } from "../store/paths.ts";
import { type Config, projectRule } from "../store/settings_table.ts";
import type { IsHidden } from "../store/project_file.ts";
import { TrustStore } from "../store/trust.ts";
import type { Patch } from "../workspace/patch.ts";
import type { TrustOutcome } from "./trust_decision.ts";

/** A file of the project, and whether it acts. */
interface ProjectFileState {
  readonly path: string;
  readonly isActive: boolean;
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

/** What a project's files are looked for and asked about with. */
export interface ProjectOptions {
  /** Absolute and canonical. */
  readonly directory: string;
  /** ally's own home. */
  readonly home: string;
  /** The person's own: a `.ally` that is one of these is no project's. */
  readonly ownFolders: readonly string[];
  /** Where skills are looked for. @default nowhere */
  readonly skillPlaces?: SkillPlaces;
  /** What a project's file may not lead to. @default out of the project alone */
  readonly isHidden?: IsHidden;
  /** File of the decisions. */
  readonly trustPath: string;
  /** `--trust-project`: all that is found acts, in this run. */
  readonly trustAll: boolean;
  /** Absent where nobody can answer. */
  readonly ask?: AskTrust | undefined;
  readonly warn: (text: string) => void;
}

/** Finds the project's files and decides which act. Costs next to nothing where there are none. */
export async function openProject(options: ProjectOptions): Promise<ProjectTrust> {
  const { directory, warn } = options;
  const { files, problems } = await findProjectFiles(directory, options);
  problems.forEach(warn);
  const all = listFiles(files);
  if (all.length === 0) return { files, states: [] };
  if (options.trustAll) {
    return toProjectTrust(files, { isActive: () => true, why: () => "trusted for this run" });
  }
  const { ask } = options;
  if (ask === undefined) {
    warn(
      `Left out, because nobody can be asked whether to trust the project: ${
        all.map(({ path }) => path).join(", ")
      }. Look at what ${all.length === 1 ? "it says, then use it" : "they say, then use them"} ` +
        "with --trust-project.",
    );
    return toProjectTrust(files, { isActive: () => false, why: () => "needs --trust-project" });
  }
  const { decideTrust } = await import("./trust_decision.ts");
  return toProjectTrust(files, await decideTrust(files, { ...options, ask }));
}

/**
 * The project's instructions after one of their files has changed. Trusted are the results of tools, which a person
 * allowed, and content that was in force before. About everything else the person is asked, and until they agree the
 * instructions stay as they were.
 */
export async function refreshInstructions(
  options: ProjectOptions & {
    /** In force until now. */
    readonly before: readonly ProjectFile[];
    /** Whether just this content was in force earlier in this run, as before an undo. */
    readonly wasInForce: (file: ProjectFile) => boolean;
    /** What changed the project's files, the newest first. */
    readonly patches: () => Promise<readonly Patch[]>;
    /** Whether questions may be asked now; if not, they are asked another time. */
    readonly asks: boolean;
  },
): Promise<readonly ProjectFile[]> {
  const { directory, before, ask, warn } = options;
  const { instructions, problems } = await findInstructions(directory, options);
  problems.forEach(warn);
  if (options.trustAll || ask === undefined) return options.trustAll ? instructions : before;
  const known = (file: ProjectFile) => before.find(({ path }) => path === file.path);
  const changed = instructions.filter((file) => known(file)?.hash !== file.hash);
  const patches = changed.length === 0 ? [] : await options.patches();
  const allowed = changed.filter((file) =>
    options.wasInForce(file) || isMadeByTools(file, { directory, from: known(file)?.hash, patches })
  );
  if (allowed.length > 0) {
    const store = new TrustStore({ path: options.trustPath });
    await store.remember(directory, { trusted: true, files: allowed })
      .catch((error) => warn(`This holds for this session only. ${messageOf(error)}`));
  }
  const rest = instructions.filter((file) => !allowed.includes(file));
  const acting = options.asks ? await askWhichAreActive(rest, { ...options, ask }) : [];
  return instructions.flatMap((file) => {
    const acts = allowed.includes(file) || acting.includes(file);
    const old = known(file);
    return acts ? [file] : old === undefined ? [] : [old];
  });
}

/** Those of the instructions that the person trusts, or has trusted before. */
async function askWhichAreActive(
  instructions: readonly ProjectFile[],
  options: ProjectOptions & { ask: AskTrust },
): Promise<readonly ProjectFile[]> {
  const { decideTrust } = await import("./trust_decision.ts");
  const outcome = await decideTrust({ ...NO_PROJECT_FILES, instructions }, options);
  return instructions.filter((file) => outcome.isActive(file));
}

/** Whether tools' changes lead from trusted content, or from nothing, to what a file holds now. */
function isMadeByTools(
  file: ProjectFile,
  { directory, from, patches }: {
    directory: string;
    /** Hash of what is trusted; undefined if nothing is. */
    from: string | undefined;
    patches: readonly Patch[];
  },
): boolean {
  const path = join(directory, file.path);
  let hash = file.hash;
  for (const patch of patches) {
    const change = patch.changes.find((one) => one.path === path);
    if (change === undefined) continue;
    const { before, after } = change;
    if (patch.command !== undefined || after?.kind !== "file" || after.hash !== hash) return false;
    if (before === null) return true;
    if (before.kind !== "file" || before.hash === undefined) return false;
    hash = before.hash;
    if (hash === from) return true;
  }
  return false;
}

/** Files with the decision about each. */
function toProjectTrust(files: ProjectFiles, settled: TrustOutcome): ProjectTrust {
  return {
    files: filterFiles(files, (file) => settled.isActive(file)),
    states: listFiles(files).map((file) => ({
      path: file.path,
      isActive: settled.isActive(file),
      why: settled.why(file),
    })),
  };
}

/** The settings of the project's file, if it acts. @throws {UsageError} it cannot be understood */
export async function projectConfig(
  { files: { config } }: ProjectTrust,
  warn: (text: string) => void,
): Promise<Config> {
  if (config === undefined) return {};
  const read = await parseConfig(config.path, config.text);
  const never = Object.keys(read.config).filter((key) => projectRule(key) === "never")
    .map((key) => `${config.path}: '${key}' is ignored: only your own configuration can set it`);
  [...read.warnings, ...never].forEach(warn);
  return read.config;
}

/** One line a file, for `/permissions` and its like: what acts, what does not, and why. */
export function describeProject({ states }: ProjectTrust): string[] {
  return states.map(({ path, isActive, why }) =>
    `${path} ${isActive ? "acts" : "does not act"}: ${why}`
  );
}
