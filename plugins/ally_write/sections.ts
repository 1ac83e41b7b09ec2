/**
 * Sections of a Markdown text: where one begins and ends, and the text with one of them changed. Lines in
 * fenced code are no headings. Pure.
 */

/** The part of a text under one heading. */
interface Section {
  /** Index of the heading's line. */
  readonly heading: number;
  /** Index of the line behind the last one. */
  readonly end: number;
}

interface Heading {
  readonly line: number;
  readonly level: number;
  readonly title: string;
}

/** Level of headings that are made for new sections. */
const LEVEL = 2;

/** The highest heading that content may hold without ending its own section; its text, or undefined. */
export function strayHeading(content: string): string | undefined {
  return headingsOf(content.split("\n")).find(({ level }) => level <= LEVEL)?.title;
}

/** The text of a section without its heading, or undefined if there is none; lines end in `\n`. */
export function bodyOf(text: string, title: string): string | undefined {
  const lines = text.split("\n");
  const section = findSection(lines, title);
  return section && lines.slice(section.heading + 1, section.end).join("\n").trim();
}

/** The text with a section's body replaced; a new section comes last, and null removes it. */
export function withBody(text: string, title: string, body: string | null): string {
  const lines = text.split("\n");
  const section = findSection(lines, title);
  if (section === undefined) return joinBlocks([text, `## ${title}`, body ?? ""]);
  const before = lines.slice(0, section.heading).join("\n");
  const after = lines.slice(section.end).join("\n");
  if (body === null) return joinBlocks([before, after]);
  return joinBlocks([before, lines[section.heading] ?? "", body, after]);
}

/** Blocks with an empty line between them. */
function joinBlocks(blocks: readonly string[]): string {
  const filled = blocks.map((block) => block.replace(/^(\s*\n)+|\s+$/g, ""))
    .filter((block) => block !== "");
  return filled.length === 0 ? "" : `${filled.join("\n\n")}\n`;
}

function findSection(lines: readonly string[], title: string): Section | undefined {
  const headings = headingsOf(lines);
  const wanted = title.toLowerCase();
  const at = headings.findIndex((one) => one.title.toLowerCase() === wanted);
  const found = headings[at];
  if (found === undefined) return undefined;
  // The sections below the title of the whole text are no part of its own.
  const ending = Math.max(found.level, LEVEL);
  const next = headings.slice(at + 1).find(({ level }) => level <= ending);
  return { heading: found.line, end: next?.line ?? lines.length };
}

function headingsOf(lines: readonly string[]): Heading[] {
  const headings: Heading[] = [];
  let fence: string | undefined;
  for (const [line, text] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && text.trim() === mark) fence = undefined;
      continue;
    }
    fence = mark;
    const found = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/.exec(text);
    if (found) headings.push({ line, level: found[1]!.length, title: found[2]!.trim() });
  }
  return headings;
}
