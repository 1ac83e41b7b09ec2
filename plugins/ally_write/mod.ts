/**
 * Keeps notes in the ALLY.md of the working directory, one section at a time. It needs no prior read,
 * because it changes nothing but its section; the change is planned, shown, asked about and undoable like
 * any other.
 */
import {
  commitPlanned,
  defineTool,
  dominantLineEnd,
  type Files,
  type Input,
  plural,
  type ReceiptFields,
  splitLines,
  ToolError,
  withLineEnds,
} from "../../src/api.ts";
import { definition } from "./definition.ts";
import { bodyOf, strayHeading, withBody } from "./sections.ts";

const FILE = "ALLY.md";

type WriteInput = Input<typeof definition>;

/** What only planning knows. */
interface WriteDetails extends Readonly<Record<string, unknown>> {
  readonly section: string;
  readonly action: "created" | "appended" | "replaced" | "removed";
}

/** Fields of a successful result. */
interface WriteData extends WriteDetails, ReceiptFields {
  /** Absolute. */
  readonly file_path: string;
  readonly bytes_written: number;
}

export default defineTool<WriteInput, WriteData>(definition, {
  describe: ({ section, content, mode = "append" }) =>
    `${FILE}: ${mode} ${titleOf(section)} (${plural(splitLines(content).length, "line")})`,

  async plan(input, { files }) {
    const title = titleOf(input.section);
    const content = withLineEnds(input.content, "\n").trim();
    requireValid(title, content);
    const path = await files.resolve(FILE);
    const before = await textOf(path, files);
    const text = withLineEnds(before ?? "# Notes\n", "\n");
    const body = bodyOf(text, title);
    const next = nextBody({ title, content, body, mode: input.mode ?? "append" });
    const lineEnd = dominantLineEnd(before ?? "") ?? "\n";
    const after = withLineEnds(withBody(text, title, next.body), lineEnd);
    const details: WriteDetails = { section: title, action: next.action };
    return { changes: [{ path, before, after }], details };
  },

  async run(_input, context) {
    const done = await commitPlanned<WriteDetails>(definition.name, context);
    const { details, change, bytesWritten, fields } = done;
    const file_path = change.path.absolute;
    return { ok: true, data: { ...details, file_path, bytes_written: bytesWritten, ...fields } };
  },

  preview: ({ section, action }) => [`${action} section ${section}`],
});

/** A section's name on one line, without the marks of a heading. */
function titleOf(section: string): string {
  return section.replace(/\s+/g, " ").replace(/^[\s#]+|[\s#]+$/g, "");
}

function requireValid(title: string, content: string): void {
  if (title === "") throw inputError("the section has no name", 'Give one, such as "Testing".');
  const stray = strayHeading(content);
  if (stray === undefined) return;
  throw inputError(
    `the content holds the heading '${stray}', which would end its section`,
    "Use ### and lower headings, or call ally_write once for each section.",
  );
}

async function textOf(
  path: Awaited<ReturnType<Files["resolve"]>>,
  files: Files,
): Promise<string | null> {
  return await files.info(path) === undefined ? null : (await files.read(path)).text;
}

/** The section's new body, null to remove it, and what that is called. */
function nextBody({ title, content, body, mode }: {
  title: string;
  content: string;
  body: string | undefined;
  mode: "append" | "replace";
}): { body: string | null; action: WriteDetails["action"] } {
  if (content === "") {
    if (mode === "append") throw inputError("there is nothing to append", "Give some content.");
    if (body !== undefined) return { body: null, action: "removed" };
    throw inputError(`there is no section '${title}' to remove`, "Nothing is left to do for it.");
  }
  if (body === undefined) return { body: content, action: "created" };
  if (body === content || (mode === "append" && `\n${body}\n`.includes(`\n${content}\n`))) {
    throw inputError(
      `section '${title}' holds exactly this already`,
      "Nothing is left to do for it.",
    );
  }
  if (mode === "replace") return { body: content, action: "replaced" };
  const tight = isListItem(body.split("\n").at(-1)) && isListItem(content.split("\n")[0]);
  return { body: `${body}${tight ? "\n" : "\n\n"}${content}`, action: "appended" };
}

function isListItem(line = ""): boolean {
  return /^\s*([-*+]|\d+[.)])\s/.test(line);
}

function inputError(why: string, suggestion: string): ToolError {
  return new ToolError(`Cannot write notes to ${FILE}: ${why}.`, { kind: "user", suggestion });
}
