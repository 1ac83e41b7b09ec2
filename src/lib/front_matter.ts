/**
 * The head of a Markdown file: YAML between two lines of `---`, with the line of each field, so that what is
 * wrong can be pointed at.
 */
import { isObject } from "./schema.ts";
import { withoutBom } from "./text.ts";

/** A file's head and the rest of it. */
export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Line of each field in the file, from 1. */
  readonly lines: Readonly<Record<string, number>>;
  /** What follows the head, without blank lines around it. */
  readonly body: string;
}

/** What is wrong with a head; the message is for people and names the line. */
export class FrontMatterError extends Error {
  override readonly name = "FrontMatterError";
  /** The message without the line. */
  readonly what: string;
  /** In the file, from 1. */
  readonly line: number;

  constructor(what: string, line: number, options?: ErrorOptions) {
    super(`line ${line}: ${what}`, options);
    this.what = what;
    this.line = line;
  }
}

/** Reads a file's head; without one there are no fields. @throws {FrontMatterError} it is no YAML object */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const plain = withoutBom(text).replace(/\r\n?/g, "\n");
  const opening = /^---[ \t]*\n/.exec(plain);
  if (!opening) return { fields: {}, lines: {}, body: plain.trim() };
  const rest = plain.slice(opening[0].length);
  const closing = /^(?:---|\.\.\.)[ \t]*$/m.exec(rest);
  if (!closing) throw new FrontMatterError("the head that '---' begins has no end", 1);
  const { fields, lines } = await parseHead(rest.slice(0, closing.index));
  return { fields, lines, body: rest.slice(closing.index + closing[0].length).trim() };
}

/** @throws {FrontMatterError} it refers to itself, or to what is not there */
function plainValue(document: { toJS(options: { maxAliasCount: number }): unknown }): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    throw new FrontMatterError("names that stand for other parts cannot be used", 2, {
      cause: error,
    });
  }
}

async function parseHead(head: string): Promise<Pick<FrontMatter, "fields" | "lines">> {
  const { default: yaml } = await import("yaml");
  const { isMap, isScalar, LineCounter, parseDocument } = yaml;
  const counter = new LineCounter();
  const document = parseDocument(head, { lineCounter: counter });
  // The head begins on the file's second line.
  const lineAt = (offset: number) => counter.linePos(offset).line + 1;
  const [error] = document.errors;
  if (error) {
    const what = error.message.split(/ at line \d+|\n/)[0] ?? "it is not valid YAML";
    throw new FrontMatterError(what, lineAt(error.pos[0]), { cause: error });
  }
  const { contents } = document;
  if (contents === null) return { fields: {}, lines: {} };
  const value = plainValue(document);
  if (!isMap(contents) || !isObject(value)) {
    throw new FrontMatterError("it must be a list of fields, such as 'description: ...'", 2);
  }
  const lines = contents.items.flatMap(({ key }) =>
    isScalar(key) && key.range ? [[String(key.value), lineAt(key.range[0])]] : []
  );
  return { fields: value, lines: Object.fromEntries(lines) };
}
