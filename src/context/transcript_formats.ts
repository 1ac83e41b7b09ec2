/**
 * The formats in which a conversation can be written to a file, and which of them a file's name means.
 */
import { extname } from "node:path";
import { jsonLine } from "../lib/text.ts";
import { renderTranscript, type TranscriptHead } from "./transcript.ts";
import type { TalkToExport } from "./transcript_html.ts";

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

/** The format that a file's name means; undefined if it promises another one. */
export function formatOf(file: string): TranscriptFormat | undefined {
  return BY_END.get(extname(file).toLowerCase());
}

/** The conversation in a format; secrets must be masked already. */
export async function renderAs(
  format: TranscriptFormat,
  { talk, head }: { talk: TalkToExport; head: TranscriptHead },
): Promise<string> {
  const { messages } = talk;
  if (format === "md") return renderTranscript(messages, head);
  if (format === "json") {
    const { id, title, cwd, created } = head;
    return `${jsonLine({ id, title, cwd, created, messages })}\n`;
  }
  const { renderTranscriptHtml } = await import("./transcript_html.ts");
  return await renderTranscriptHtml(talk, head);
}
