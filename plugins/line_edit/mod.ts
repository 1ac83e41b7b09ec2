/**
 * Replaces lines of one file by the numbers under which they were last read; all edits are made, or none.
 */
import {
  commitPlanned,
  countChangedLines,
  defineTool,
  type Input,
  plural,
  previewCheck,
  type ReceiptFields,
  ToolError,
} from "../../src/api.ts";
import { checkEdits, rangeOf } from "./check.ts";
import { definition } from "./definition.ts";
import { type LineEdit, replaceLines } from "./replace.ts";

type LineEditInput = Input<typeof definition>;

/** What only planning knows. */
interface LineEditDetails extends Readonly<Record<string, unknown>> {
  readonly edits_applied: number;
  readonly lines_added: number;
  readonly lines_removed: number;
  /** Which lines have other numbers now. */
  readonly note?: string;
}

/** Fields of a successful result. */
interface LineEditData extends LineEditDetails, ReceiptFields {
  /** Absolute. */
  readonly file_path: string;
}

export default defineTool<LineEditInput, LineEditData>(definition, {
  describe({ file_path, edits }) {
    const ranges = edits.map(({ start_line, end_line }) => rangeOf(start_line, end_line));
    return `${file_path} (line ${ranges.join(", ")})`;
  },

  async plan(input, { files }) {
    const path = await files.resolve(input.file_path);
    const { text: before } = await files.read(path);
    const target = { text: before, display: path.display, moved: files.movedLines(path) };
    const edits = checkEdits(input.edits, target);
    const after = replaceLines(before, edits);
    if (after === before) {
      throw new ToolError(`Cannot edit ${path.display}: the lines hold that content already.`, {
        kind: "user",
        suggestion: "Nothing is left to do for these lines.",
      });
    }
    const { added, removed } = await countChangedLines(before, after);
    const note = shiftOf(edits);
    const details: LineEditDetails = {
      edits_applied: edits.length,
      lines_added: added,
      lines_removed: removed,
      ...(note !== undefined && { note }),
    };
    return { changes: [{ path, before, after }], details };
  },

  async run(_input, context) {
    const { details, change, fields } = await commitPlanned<LineEditDetails>(
      definition.name,
      context,
    );
    return { ok: true, data: { ...details, file_path: change.path.absolute, ...fields } };
  },

  preview: ({ edits_applied, lines_added, lines_removed, ...fields }) => [
    `${plural(edits_applied, "edit")}, +${lines_added} -${lines_removed}`,
    ...previewCheck(fields),
  ],
});

/** Says from which line on the numbers are others now. */
function shiftOf(edits: readonly LineEdit[]): string | undefined {
  const shifting = edits
    .filter(({ start, end, lines }) => lines.length !== end - start + 1)
    .toSorted((a, b) => a.end - b.end);
  const first = shifting[0];
  if (first === undefined) return undefined;
  const by = shifting.reduce(
    (sum, { start, end, lines }) => sum + lines.length - (end - start + 1),
    0,
  );
  const how = shifting.length > 1 || by === 0 ? "" : by > 0 ? ` by +${by}` : ` by ${by}`;
  return `Lines behind ${first.end} moved${how}: read again before you number them.`;
}
