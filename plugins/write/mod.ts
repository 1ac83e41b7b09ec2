/**
 * Writes a whole file. What it overwrites keeps its encoding, byte order mark and line ends; the final
 * newline is as given.
 */
import {
  commitPlanned,
  defineTool,
  dominantLineEnd,
  type Input,
  plural,
  previewCheck,
  type ReceiptFields,
  refuseElision,
  type ResolvedPath,
  splitLines,
  ToolError,
  withLineEnds,
} from "../../src/api.ts";
import { definition } from "./definition.ts";

/** A new file without content is an empty one. */
type WriteInput = Omit<Input<typeof definition>, "content"> & { readonly content?: string };

/** Fields of a successful result. */
interface WriteData extends ReceiptFields {
  /** Absolute. */
  readonly file_path: string;
  readonly bytes_written: number;
  readonly created: boolean;
  /** Said if no content was given. */
  readonly note?: string;
}

export default defineTool<WriteInput, WriteData>(definition, {
  describe: ({ file_path, content = "" }) =>
    `${file_path} (${plural(splitLines(content).length, "line")})`,

  async plan({ file_path, content }, { files }) {
    const path = await files.resolve(file_path);
    const info = await files.info(path);
    if (info === undefined) {
      refuseIncomplete(content ?? "", { path, before: "" });
      return { changes: [{ path, before: null, after: content ?? "" }] };
    }
    if (info.kind === "directory") {
      throw new ToolError(`Cannot write ${path.display}: it is a directory.`, {
        kind: "user",
        suggestion: "Name a file inside it.",
      });
    }
    if (content === undefined) throw missingContentError();
    const { text } = await files.read(path);
    refuseIncomplete(content, { path, before: text });
    const lineEnd = dominantLineEnd(text);
    const after = lineEnd === undefined ? content : withLineEnds(content, lineEnd);
    if (after === text) {
      throw new ToolError(`Cannot write ${path.display}: it has exactly this content already.`, {
        kind: "user",
        suggestion: "Nothing is left to do for this file.",
      });
    }
    return { changes: [{ path, before: text, after }] };
  },

  async run({ content }, context) {
    const { change, bytesWritten, fields } = await commitPlanned(definition.name, context);
    const data = {
      file_path: change.path.absolute,
      bytes_written: bytesWritten,
      ...fields,
      created: change.before === null,
      ...content === undefined && { note: "No content was given: the file is empty." },
    };
    return { ok: true, data };
  },

  preview: ({ created, bytes_written, ...fields }) => [
    `${created ? "created" : "replaced"}, ${plural(bytes_written, "byte")}`,
    ...previewCheck(fields),
  ],
});

/** What is there is not emptied for want of an argument. */
function missingContentError(): ToolError {
  return new ToolError("Missing required parameter 'content' for write", {
    kind: "validation",
    suggestion: 'Give the whole content; content="" empties the file.',
  });
}

function refuseIncomplete(
  content: string,
  { path, before }: { path: ResolvedPath; before: string },
): void {
  refuseElision(content, {
    original: before,
    what: `Cannot write ${path.display}`,
    suggestion: "Give the whole content, or use edit to change a part of the file.",
  });
}
