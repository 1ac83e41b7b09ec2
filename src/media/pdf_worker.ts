/**
 * The process in which the text of a PDF is read: one that hangs, takes all memory or breaks harms nothing but this
 * process, which has no permissions.
 */
import { safeStart } from "../lib/excerpt.ts";
import { getDocumentProxy } from "unpdf";
import type { PdfPages } from "../core/image.ts";
import { serveJob } from "./serve_job.ts";

/** What is asked of the worker. */
export interface PdfJob {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** 1-based. */
  readonly offset: number;
  /** Pages at most. */
  readonly limit: number;
  /** Characters from which on no further page is read. */
  readonly maxText: number;
}

async function readText({ bytes, offset, limit, maxText }: PdfJob): Promise<PdfPages> {
  const document = await getDocumentProxy(bytes, { verbosity: 0 });
  const texts: string[] = [];
  const last = Math.min(document.numPages, offset + limit - 1);
  let length = 0;
  for (let number = offset; number <= last && length < maxText; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = safeStart(
      items.map((item) => "str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")
        .join(""),
      maxText,
    );
    page.cleanup();
    texts.push(text);
    length += text.length;
  }
  return { texts, total: document.numPages };
}

// This module is the entry of a process of its own, or of a worker: others import its types only.
await serveJob(readText);
