/**
 * How `read` shows files that are no text: an image as itself, with a line that says what it is, and a PDF as the text of
 * its pages, as many as the budget holds. Offset and limit count pages then.
 */
import {
  cutEnd,
  describeImage,
  type Media,
  type PdfPages,
  plural,
  type ToolContext,
} from "../../src/api.ts";
import { type Candidate, isWholeFile, type ReadRange, type Section } from "./candidate.ts";

/** Bytes of the largest file that is handed over; one byte more shows that there are more. */
const MAX_BYTES = 50_000_000;
/** Pages that are read if nobody says how many. */
const PAGES = 100;
/** Characters that a token has at most, on average: of more text nothing would be left. */
const CHARS_PER_TOKEN = 8;

interface MediaOptions extends Pick<ToolContext, "files" | "limits" | "signal"> {
  readonly media: Media;
  readonly wanted: ReadRange;
  /** Tokens that its text may take. */
  readonly left: number;
}

/** Shows an image or a PDF. @throws {ToolError} user: it cannot be used */
export async function renderMedia(candidate: Candidate, options: MediaOptions): Promise<Section> {
  const { path, type } = candidate;
  const { files, media, signal } = options;
  const bytes = await files.head(path, MAX_BYTES + 1);
  if (type === "application/pdf") return await renderPdf(candidate, { ...options, bytes });
  const name = path.display.split(/[/\\]/).at(-1) ?? path.display;
  const image = await media.takeImage({ bytes, name }, { signal });
  return { name: path.display, text: `[${describeImage(image)}]`, tokens: 0, image };
}

async function renderPdf(
  { path }: Candidate,
  { media, limits, wanted, left, bytes, signal }: MediaOptions & { bytes: Uint8Array<ArrayBuffer> },
): Promise<Section> {
  const pages = await media.readPdf(bytes, {
    offset: wanted.offset,
    limit: wanted.limit || PAGES,
    signal,
  });
  const shown: string[] = [];
  let tokens = 0;
  for (const [index, text] of pages.texts.entries()) {
    const page = `--- Page ${wanted.offset + index} ---\n${text.trim() || "[no text on it]"}`;
    const room = left - tokens;
    const cost = limits.countTokens(cutEnd(page, room * CHARS_PER_TOKEN));
    if (cost > room && shown.length > 0) break;
    const fitting = cost > room ? cutPage(page, { room, count: limits.countTokens }) : page;
    shown.push(fitting);
    tokens += limits.countTokens(fitting);
  }
  const text = [describePages(pages, { wanted, shown: shown.length }), ...shown].join("\n\n");
  return { name: path.display, text, tokens };
}

/** The beginning of a page that alone is too long. */
function cutPage(
  page: string,
  { room, count }: { room: number; count: (text: string) => number },
): string {
  let text = cutEnd(page, room * CHARS_PER_TOKEN);
  while (text.length > 1 && count(text) > room) text = cutEnd(text, Math.floor(text.length * 0.8));
  return `${text}\n[Page cut: it is longer than one read may return]`;
}

function describePages(
  { total }: PdfPages,
  { wanted, shown }: { wanted: ReadRange; shown: number },
): string {
  const last = wanted.offset + shown - 1;
  const range = shown === 1 ? `Page ${last}` : `Pages ${wanted.offset}-${last}`;
  const whole = isWholeFile(wanted) && last === total;
  const next = last < total ? `. Next: offset ${last + 1}, which counts pages` : "";
  return whole ? `[PDF, text of ${plural(total, "page")}]` : `[PDF, ${range} of ${total}${next}]`;
}
