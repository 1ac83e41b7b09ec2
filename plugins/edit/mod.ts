/**
 * Finds and replaces text in one file; all edits are applied in order, or none. A match that is not
 * unique is never resolved by guessing. Loaded on the first call of `edit`.
 */
import {
  countChangedLines,
  defineTool,
  type Files,
  findOccurrences,
  type Input,
  plural,
  previewCheck,
  type ReceiptFields,
  receiptFields,
  replaceOccurrences,
  type ResolvedPath,
  ToolError,
} from "../../src/api.ts";
import { definition } from "./definition.ts";
import { describeNearest } from "./nearest.ts";

/** Line numbers listed at most. */
const MAX_LISTED = 20;

type EditInput = Input<typeof definition>;
type Edit = NonNullable<EditInput["edits"]>[number];

/** What only planning knows. */
interface EditDetails extends Readonly<Record<string, unknown>> {
  readonly edits_applied: number;
  readonly lines_added: number;
  readonly lines_removed: number;
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
    for (const [index, edit] of edits.entries()) {
      const place = edits.length === 1 ? "" : ` (edit ${index + 1} of ${edits.length})`;
      after = await apply(after, edit, { path, place, first: index === 0 });
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
    };
    return { changes: [{ path, before, after }], details };
  },

  async run(_input, { files, plan, callId }) {
    const change = plan?.changes[0];
    const details = plan?.details as EditDetails | undefined;
    if (!change || !details) throw new Error("Cannot run edit: it was not planned");
    const receipt = await files.commit([change], { tool: definition.name, callId });
    return {
      ok: true,
      data: {
        ...details,
        file_path: change.path.absolute,
        ...receiptFields(receipt, [change]),
      },
    };
  },

  preview: ({ edits_applied, lines_added, lines_removed, ...fields }) => [
    `${plural(edits_applied, "edit")}, +${lines_added} -${lines_removed}`,
    ...previewCheck(fields),
  ],
});

/** The edits of a call, given as a list or as one at top level. */
function editsOf(input: EditInput): readonly Edit[] {
  const { edits = [], old_string, new_string, replace_all } = input;
  if (edits.length > 0) {
    if (!old_string && !new_string) return edits;
    throw invalid("edits and old_string/new_string are both given", "Put every edit into edits.");
  }
  if (old_string === undefined || new_string === undefined) {
    const missing = old_string === undefined ? "old_string" : "new_string";
    throw invalid(`${missing} is missing`, "Give old_string and new_string, or edits.");
  }
  return [{ old_string, new_string, ...(replace_all === undefined ? {} : { replace_all }) }];
}

function invalid(why: string, suggestion: string): ToolError {
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
  options: { path: ResolvedPath; place: string; first: boolean },
): Promise<string> {
  const { old_string, new_string, replace_all } = edit;
  const what = `Cannot edit ${options.path.display}${options.place}`;
  if (old_string === "" && options.first && new_string !== "") return new_string;
  if (old_string === new_string) {
    throw new ToolError(`${what}: old_string and new_string are the same.`, {
      kind: "validation",
      suggestion: "Give a new_string that differs from old_string.",
    });
  }
  if (old_string === "") {
    throw new ToolError(`${what}: old_string is empty, which only a first edit may be.`, {
      kind: "validation",
      suggestion: "Give the text to replace.",
    });
  }
  const found = findOccurrences(text, old_string);
  if (found.length === 0) {
    throw new ToolError(`${what}: old_string is not in the file.`, {
      kind: "user",
      suggestion: await describeNearest(text, old_string),
    });
  }
  if (found.length > 1 && !replace_all) {
    const lines = found.slice(0, MAX_LISTED).map((occurrence) => occurrence.line).join(", ");
    const more = found.length > MAX_LISTED ? ", ..." : "";
    throw new ToolError(
      `${what}: old_string occurs ${found.length} times, in lines ${lines}${more}.`,
      {
        kind: "user",
        suggestion: "Add surrounding lines until it is unique, or set replace_all to change all.",
      },
    );
  }
  return replaceOccurrences(text, found, new_string);
}
