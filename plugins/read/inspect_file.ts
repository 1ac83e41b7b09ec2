/**
 * A look at a file before it is read: is it there, is it text, what would it cost? Only its first bytes are
 * read, so that an oversized file is refused cheaply.
 */
import { fileTypeOf, formatBytes, type ToolContext, ToolError } from "../../src/api.ts";
import { adviseRange, fittingLines } from "./budget.ts";
import { type Candidate, isWholeFile, type ReadRange } from "./candidate.ts";
import { type Estimate, estimateTokens } from "./render.ts";

/** Bytes from which a file's tokens are estimated. */
const SAMPLE = 10 * 1024;
/** Bytes among which a NUL makes a file binary. */
const BINARY_SAMPLE = 1024;
/** Of UTF-8, and of UTF-16 in both orders. */
const BYTE_ORDER_MARKS = [[0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]];
/** Bytes above which a file is read only with offset or limit. */
const MAX_WHOLE = 5_000_000;
const NO_COST: Estimate = { tokens: 0, tokensPerLine: 0, certain: true };

/** Looks at a file; @throws {ToolError} user: missing, not a regular file, too large to read whole */
export async function inspectFile(
  name: string,
  options: Pick<ToolContext, "files" | "limits" | "media"> & { wanted: ReadRange },
): Promise<Candidate> {
  const { files, limits, media, wanted } = options;
  const path = await files.resolve(name);
  const head = await files.head(path, SAMPLE);
  const info = await files.info(path);
  if (info === undefined) throw new ToolError(`Cannot find ${path.display}.`, { kind: "user" });
  if (isEmpty(head)) {
    // All of it is seen by now; recorded as read, it may be filled.
    await files.lines(path, { offset: 1, limit: 0 });
    return { path, info, notice: "[Empty file]", estimate: NO_COST };
  }
  const type = fileTypeOf(head);
  if (media !== undefined && type !== undefined) {
    return { path, info, type, estimate: NO_COST };
  }
  if (isBinary(head)) {
    return {
      path,
      info,
      notice: "[Binary file - content not displayed]",
      estimate: NO_COST,
    };
  }
  const estimate = estimateTokens(head, { size: info.size, limits });
  if (info.size <= MAX_WHOLE || !isWholeFile(wanted)) return { path, info, estimate };
  const size = formatBytes(info.size);
  throw new ToolError(
    `Cannot read ${path.display} whole: it has ${size}, more than ${formatBytes(MAX_WHOLE)}.`,
    { kind: "user", suggestion: adviseRange(wanted, fittingLines(estimate, limits)) },
  );
}

/** Nothing, or nothing but a byte order mark. */
function isEmpty(head: Uint8Array): boolean {
  return [[], ...BYTE_ORDER_MARKS].some((mark) =>
    mark.length === head.length && mark.every((byte, index) => byte === head[index])
  );
}

/** A NUL among the first bytes, unless a byte order mark says UTF-16. */
function isBinary(head: Uint8Array): boolean {
  const [a, b] = head;
  const utf16 = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
  return !utf16 && head.subarray(0, BINARY_SAMPLE).includes(0);
}
