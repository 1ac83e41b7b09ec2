/**
 * Finds and replaces text in one file; all edits are applied in order, or none. What is not found to the
 * letter is looked for on a ladder of strict rules, and what is not unique is never resolved by guessing.
 */
import {
  commitPlanned,
  countChangedLines,
  defineTool,
  type Files,
  type Input,
  plural,
  previewCheck,
  type ReceiptFields,
  refuseElision,
  type ResolvedPath,
  ToolError,
} from "../../src/api.ts";
import { applyEdit, type Edit, type EditOutcome } from "./apply.ts";
import { definition } from "./definition.ts";

type EditInput = Input<typeof definition>;

/** What only planning knows. */
interface EditDetails extends Readonly<Record<string, unknown>> {
  readonly edits_applied: number;
  readonly lines_added: number;
  readonly lines_removed: number;
  /** How what was found differs from an old_string, if it does. */
  readonly match?: string;
}

/** Fields of a successful result. */
interface EditData extends EditDetails, ReceiptFields {
  /** Absolute. */
  readonly file_path: string;
}

export default defineTool<EditInput, EditData>(definition, {
  describe(input) {
    const count = input.edits?.length || 1;
    return count === 1 ? input.file_path : `${input.file_path} (${plural(count, "edit")})`;
  },

  async plan(input, { files }) {
    const edits = editsOf(input);
    const path = await files.resolve(input.file_path);
    const before = await textBefore(path, { files, edits });
    let after = before ?? "";
    const notes: string[] = [];
    for (const [index, edit] of edits.entries()) {
      const position = edits.length === 1 ? "" : ` (edit ${index + 1} of ${edits.length})`;
      const what = `Cannot edit ${path.display}${position}`;
      refuseElision(edit.new_string, {
        original: before ?? "",
        what,
        argument: "new_string",
        suggestion:
          "Write out all that is to stand there, or replace less: what no old_string names stays.",
      });
      const { text, note } = await apply(after, edit, { what, first: index === 0 });
      after = text;
      if (note !== undefined) notes.push(edits.length === 1 ? note : `edit ${index + 1} ${note}`);
    }
    if (after === before) {
      throw new ToolError(`Cannot edit ${path.display}: the edits change nothing.`, {
        kind: "user",
        suggestion: "Give a new_string that differs from what the file holds.",
      });
    }
    const { added, removed } = await countChangedLines(before ?? "", after);
    const details: EditDetails = {
      edits_applied: edits.length,
      lines_added: added,
      lines_removed: removed,
      ...(notes.length > 0 && { match: notes.join("; ") }),
    };
    return { changes: [{ path, before, after }], details };
  },

  async run(_input, context) {
    const { details, change, fields } = await commitPlanned<EditDetails>(definition.name, context);
    return { ok: true, data: { ...details, file_path: change.path.absolute, ...fields } };
  },

  preview: ({ edits_applied, lines_added, lines_removed, match, ...fields }) => [
    `${plural(edits_applied, "edit")}, +${lines_added} -${lines_removed}`,
    ...(match === undefined ? [] : [match]),
    ...previewCheck(fields),
  ],
});

/** The edits of a call, given as a list or as one at top level. */
function editsOf(input: EditInput): readonly Edit[] {
  const { edits = [], old_string, new_string, replace_all } = input;
  if (edits.length > 0) {
    if (!old_string && !new_string) return edits;
    throw inputError(
      "edits and old_string/new_string are both given",
      "Put every edit into edits.",
    );
  }
  if (old_string === undefined || new_string === undefined) {
    const missing = old_string === undefined ? "old_string" : "new_string";
    throw inputError(`${missing} is missing`, "Give old_string and new_string, or edits.");
  }
  return [{ old_string, new_string, ...(replace_all === undefined ? {} : { replace_all }) }];
}

function inputError(why: string, suggestion: string): ToolError {
  return new ToolError(`Cannot edit: ${why}.`, { kind: "validation", suggestion });
}

/** The file's text, or null if the first edit creates the file. */
async function textBefore(
  path: ResolvedPath,
  options: { files: Files; edits: readonly Edit[] },
): Promise<string | null> {
  const creates = options.edits[0]?.old_string === "";
  if (creates && await options.files.info(path) === undefined) return null;
  const { text } = await options.files.read(path);
  if (!creates || text === "") return text;
  throw new ToolError(`Cannot create ${path.display}: it exists and is not empty.`, {
    kind: "user",
    suggestion: "Give the old_string to replace, or use write to replace the whole file.",
  });
}

async function apply(
  text: string,
  edit: Edit,
  options: { what: string; first: boolean },
): Promise<EditOutcome> {
  if (edit.old_string !== "") return await applyEdit(text, edit, options);
  if (options.first && edit.new_string !== "") return { text: edit.new_string };
  const why = options.first
    ? "old_string and new_string are both empty"
    : "old_string is empty, which only a first edit may be";
  throw new ToolError(`${options.what}: ${why}.`, {
    kind: "validation",
    suggestion: options.first
      ? "Give the text to replace, or a new_string to create the file with."
      : "Give the text to replace.",
  });
}
