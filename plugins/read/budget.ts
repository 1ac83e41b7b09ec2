/**
 * The tokens one `read` may return: what is over them is refused, and the error names an offset and a limit
 * that fit.
 */
import { formatBytes, type Limits, ToolError } from "../../src/api.ts";
import type { Candidate, ReadRange } from "./candidate.ts";
import type { Estimate } from "./render.ts";

/** How far over the budget an estimate must be to be believed without reading. */
const CLEARLY_OVER = 2;
/** Share of the budget that a proposed number of lines should fill. */
const MARGIN = 0.9;

/** Thrown where the whole call fails, not one file of it. */
export class OverBudget extends ToolError {
  override name = "OverBudget";
}

/** Refuses whole files without reading them if they are far over the budget by estimate. */
export function refuseClearlyOver(texts: readonly Candidate[], limits: Limits): void {
  const tokens = texts.reduce((sum, one) => sum + one.estimate.tokens, 0);
  const certain = texts.every((one) => one.estimate.certain);
  const [first] = texts;
  if (first === undefined || !certain || tokens <= limits.readTokens * CLEARLY_OVER) return;
  if (texts.length > 1) throw tooManyFilesError(texts, limits);
  const fitting = fittingLines(first.estimate, limits);
  throw tooLongError(first, { tokens, limits, fitting, wanted: { offset: 1, limit: 0 } });
}

/** The lines of a file that fit into the budget, by estimate. */
export function fittingLines({ tokensPerLine }: Estimate, limits: Limits): number {
  return Math.max(1, Math.floor(MARGIN * limits.readTokens / Math.max(1, tokensPerLine)));
}

/** What to ask for instead. */
export function adviseRange({ offset }: ReadRange, fitting: number): string {
  return fitting === 0
    ? "Its lines are too long to be shown; cut them with a command."
    : `Read a part of it: offset ${offset}, limit ${fitting}.`;
}

/** The error for one file that does not fit. */
export function tooLongError(
  { path, info }: Candidate,
  options: { tokens: number; limits: Limits; fitting: number; wanted: ReadRange },
): OverBudget {
  const { tokens, limits, fitting, wanted } = options;
  const what = wanted.limit > 0 || wanted.offset > 1 ? "the lines wanted have" : "it has";
  return new OverBudget(
    `Cannot read ${path.display} (${formatBytes(info.size)}): ${what} about ${tokens} tokens, ` +
      `and one read may return ${limits.readTokens}.`,
    { kind: "user", suggestion: adviseRange(wanted, fitting) },
  );
}

/** The error for several files that do not fit together. */
export function tooManyFilesError(texts: readonly Candidate[], limits: Limits): OverBudget {
  const sizes = texts.map(({ path, estimate }) => `${path.display} ${estimate.tokens}`).join(", ");
  const share = Math.min(...texts.map(({ estimate }) => fittingLines(estimate, limits)));
  const limit = Math.max(1, Math.floor(share / texts.length));
  return new OverBudget(
    `Cannot read ${texts.length} files at once: they have about these tokens: ${sizes}; ` +
      `one read may return ${limits.readTokens}.`,
    {
      kind: "user",
      suggestion: `Read fewer files at once, or only a part of each: limit ${limit}.`,
    },
  );
}
