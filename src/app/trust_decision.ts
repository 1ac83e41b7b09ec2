/**
 * Asks whether a project's files may act, unless it was decided before for just these contents, and remembers the
 * answer. Loaded only for a project that has such files.
 */
import type { AskTrust, ProjectFile, ProjectFiles, TrustItem } from "../core/project.ts";
import { unifiedDiff } from "../lib/diff.ts";
import { messageOf } from "../lib/text.ts";
import { listFiles } from "../store/project.ts";
import { effectsOf } from "../store/project_effects.ts";
import { type TrustDecision, type TrustDecisions, TrustStore } from "../store/trust.ts";

/** The decision about each of the files. */
export interface TrustOutcome {
  isActive(file: ProjectFile): boolean;
  /** In plain words. */
  why(file: ProjectFile): string;
}

/** Decides by earlier answers, and by one question about the rest. */
export async function decideTrust(
  files: ProjectFiles,
  options: {
    /** Absolute and canonical. */
    directory: string;
    trustPath: string;
    ask: AskTrust;
    warn: (text: string) => void;
  },
): Promise<TrustOutcome> {
  const { directory, ask, warn } = options;
  const store = new TrustStore({ path: options.trustPath });
  const decisions: TrustDecisions = await store.read(directory).catch((error) => {
    warn(messageOf(error));
    return new Map();
  });
  const decided = (file: ProjectFile) => {
    const decision = decisions.get(file.path);
    return decision?.hash === file.hash ? decision : undefined;
  };
  const open = listFiles(files).filter((file) => decided(file) === undefined);
  const settled = (trusted: boolean, why: string): TrustOutcome => ({
    isActive: (file) => decided(file)?.trusted ?? trusted,
    why: (file) => decisionText(decided(file)) ?? why,
  });
  if (open.length === 0) return settled(false, "");
  const items = await Promise.all(open.map((file) => createItem(file, { files, decisions })));
  const answer = await ask({ directory, items });
  if (answer === "not_now") return settled(false, "not trusted; not used in this session");
  const trusted = answer === "trust";
  await store.remember(directory, { trusted, files: open }).catch((error) =>
    warn(`This holds for this session only. ${messageOf(error)}`)
  );
  return settled(trusted, trusted ? "trusted just now" : NOT_TRUSTED);
}

const NOT_TRUSTED = "not trusted; ally asks again when it changes";

function decisionText(decision: TrustDecision | undefined): string | undefined {
  if (decision === undefined) return undefined;
  return decision.trusted ? `trusted on ${decision.decided.slice(0, 10)}` : NOT_TRUSTED;
}

async function createItem(
  file: ProjectFile,
  { files, decisions }: { files: ProjectFiles; decisions: TrustDecisions },
): Promise<TrustItem> {
  const { path, text } = file;
  const effects = await effectsOf(file, files);
  const before = decisions.get(path);
  if (!before?.trusted) return { path, state: "new", effects };
  const diff = await unifiedDiff(before.text, text, { path });
  return { path, state: "changed", effects, diff };
}
