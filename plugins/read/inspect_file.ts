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
  return head.length === markLength(head);
}

/** Bytes of the byte order mark: 3 of UTF-8, 2 of UTF-16, 0 where there is none. */
function markLength([a, b, c]: Uint8Array): 0 | 2 | 3 {
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return 2;
  return a === 0xef && b === 0xbb && c === 0xbf ? 3 : 0;
}

/** A NUL among the first bytes, unless a byte order mark says UTF-16. */
function isBinary(head: Uint8Array): boolean {
  return markLength(head) !== 2 && head.subarray(0, BINARY_SAMPLE).includes(0);
}
