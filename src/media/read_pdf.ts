/**
 * The text of a PDF, by pages.
 */
import { ToolError } from "../core/errors.ts";
import type { MediaJobOptions, PdfPages, PdfRange } from "../core/image.ts";
import { formatBytes, plural, stripControls } from "../lib/text.ts";
import type { PdfJob } from "./pdf_worker.ts";
import { JobFailure } from "./run_job.ts";
import { type ProcessEnv, runProcessJob } from "./run_process.ts";

/** Bytes of the largest file that is looked at. */
export const MAX_PDF_BYTES = 50_000_000;
/** Characters from which on no further page is read. */
const MAX_TEXT = 400_000;
/** Pages that are read at once. */
const MAX_PAGES = 500;
const LIMITS = { timeMs: 30_000, memory: 1_500_000_000 };

/** Reads the text of some pages. @throws {ToolError} user: it cannot be read, or has no such page */
export async function readPdf(
  bytes: Uint8Array<ArrayBuffer>,
  { offset, limit, ...how }: PdfRange & MediaJobOptions & { env: ProcessEnv },
): Promise<PdfPages> {
  if (bytes.length > MAX_PDF_BYTES) {
    const most = formatBytes(MAX_PDF_BYTES);
    throw refusal(`it has more than ${most}`);
  }
  const job = { bytes, offset, limit: Math.min(limit, MAX_PAGES), maxText: MAX_TEXT };
  const pages = await read(job, how);
  if (pages.texts.length > 0) return { ...pages, texts: pages.texts.map(stripControls) };
  throw new ToolError(`It has ${plural(pages.total, "page")}: there is no page ${offset}.`, {
    kind: "user",
  });
}

async function read(
  job: PdfJob,
  how: MediaJobOptions & { env: ProcessEnv },
): Promise<PdfPages> {
  try {
    return await runProcessJob<PdfJob, PdfPages>("pdf_worker.js", { job, limits: LIMITS, ...how });
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    const isLocked = /password/i.test(error.message);
    throw refusal(
      error.limit ?? (isLocked ? "it is locked with a password" : "it is damaged"),
      error,
    );
  }
}

function refusal(why: string, cause?: Error): ToolError {
  return new ToolError(`The PDF cannot be read: ${why}.`, { kind: "user", cause });
}
