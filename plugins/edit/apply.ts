/**
 * One edit applied to a text, or the error that says why it cannot be: not there, not unique, nothing to
 * change.
 */
import { substitute, type Substitution, ToolError } from "../../src/api.ts";
import { findMatch, type Match } from "./match_levels.ts";
import { describeNearest } from "./nearest.ts";

/** Line numbers listed at most. */
const MAX_LISTED = 20;

/** One replacement, as the model asks for it. */
export interface Edit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

/** What an edit came to. */
export interface EditOutcome {
  readonly text: string;
  /** How the text found differs from the one wanted, if it does. */
  readonly note?: string;
}

/**
 * Applies an edit whose old_string is not empty; `what` begins its errors.
 * @throws {ToolError} validation: old_string is new_string; user: it is not there, or not unique
 */
export async function applyEdit(
  text: string,
  edit: Edit,
  options: { what: string },
): Promise<EditOutcome> {
  const { what } = options;
  const { old_string: wanted, new_string: next, replace_all: all = false } = edit;
  if (wanted === next) {
    throw new ToolError(`${what}: old_string and new_string are the same.`, {
      kind: "validation",
      suggestion: "Give a new_string that differs from old_string.",
    });
  }
  const match = findMatch(text, { wanted, next }, { apart: all });
  if (match === undefined) {
    throw new ToolError(`${what}: old_string is not in the file.`, {
      kind: "user",
      suggestion: await describeNearest(text, { wanted, next }),
    });
  }
  if (match.places.length > 1 && !all) throw notUniqueError(match, what);
  const note = noteOf(match);
  return { text: substitute(text, match.places), ...(note !== undefined && { note }) };
}

function notUniqueError({ places, difference }: Match, what: string): ToolError {
  const overlooked = difference === undefined ? "" : ` but for ${difference}`;
  return new ToolError(
    `${what}: old_string occurs ${places.length} times${overlooked}, in ${linesOf(places)}.`,
    {
      kind: "user",
      suggestion: "Add surrounding lines until it is unique, or set replace_all to change all.",
    },
  );
}

function noteOf({ places, difference, verify }: Match): string | undefined {
  if (difference === undefined) return undefined;
  return `matched but for ${difference}${verify ? `: verify ${linesOf(places)}` : ""}`;
}

function linesOf(places: readonly Substitution[]): string {
  const lines = [...new Set(places.map((place) => place.line))];
  const listed = lines.slice(0, MAX_LISTED).join(", ");
  const more = lines.length > MAX_LISTED ? ", ..." : "";
  return lines.length === 1 ? `line ${listed}` : `lines ${listed}${more}`;
}
