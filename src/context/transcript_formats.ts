/**
 * The formats in which a conversation can be written to a file, and which of them a file's name means.
 */
import { extname } from "node:path";
import { UsageError } from "../core/errors.ts";
import type { ImagePart } from "../core/image.ts";
import { imagesOf } from "../core/message.ts";
import { jsonLine } from "../lib/text.ts";
import { renderTranscript, type TranscriptHead } from "./transcript.ts";
import type { TalkToExport } from "./transcript_html.ts";

/** Characters of the data URLs of one document; further images are named only. */
const MAX_URLS = 20_000_000;

/** A format, by its name on the command line. */
export type TranscriptFormat = "md" | "json" | "html";

const BY_END: ReadonlyMap<string, TranscriptFormat> = new Map([
  ["", "md"],
  [".md", "md"],
  [".markdown", "md"],
  [".txt", "md"],
  [".json", "json"],
  [".html", "html"],
  [".htm", "html"],
]);

/** The format that a file's name means. @throws {UsageError} it promises another one */
export function formatOf(file: string): TranscriptFormat {
  const end = extname(file);
  const format = BY_END.get(end.toLowerCase());
  if (format !== undefined) return format;
  throw new UsageError(
    `Cannot export to ${file}: a conversation is written as Markdown, HTML or JSON, not ` +
      `as ${end}. Name it ${file.slice(0, -end.length)}.md, .html or .json.`,
  );
}

/** What is made a document, and the data URLs of its images. */
interface Exported {
  readonly talk: Omit<TalkToExport, "imageUrls">;
  readonly head: TranscriptHead;
  /** Undefined if the bytes of an image are gone. */
  readonly imageUrlOf: (image: ImagePart) => Promise<string | undefined>;
}

/** The conversation in a format; secrets must be masked already. */
export async function renderAs(
  format: TranscriptFormat,
  { talk, head, imageUrlOf }: Exported,
): Promise<string> {
  const { messages } = talk;
  if (format === "md") return renderTranscript(messages, head);
  if (format === "json") {
    const { id, title, cwd, created } = head;
    return `${jsonLine({ id, title, cwd, created, messages })}\n`;
  }
  const { renderTranscriptHtml } = await import("./transcript_html.ts");
  const imageUrls = await readImageUrls(messages.flatMap(imagesOf), imageUrlOf);
  return await renderTranscriptHtml({ ...talk, imageUrls }, head);
}

/** The data URLs by the hashes of their images, as far as there is room. */
async function readImageUrls(
  images: readonly ImagePart[],
  imageUrlOf: Exported["imageUrlOf"],
): Promise<ReadonlyMap<string, string>> {
  const urls = new Map<string, string>();
  let left = MAX_URLS;
  for (const image of images) {
    const url = urls.has(image.hash) ? undefined : await imageUrlOf(image);
    if (url === undefined || url.length > left) continue;
    urls.set(image.hash, url);
    left -= url.length;
  }
  return urls;
}
