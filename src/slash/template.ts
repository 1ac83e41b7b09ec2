/**
 * A command that somebody wrote as a Markdown file: its head, and its body in which the words after the command
 * take the place of `$ARGUMENTS`, `$1`, `$2`, ...
 */
import type { ToolDefinition } from "../core/tool.ts";
import { FrontMatterError, readFrontMatter } from "../lib/front_matter.ts";
import { splitLines } from "../lib/text.ts";
import { type Approval, readApproval } from "../permission/approved_tools.ts";

/** A command as its file says. */
export interface Template {
  readonly description: string;
  /** What follows the command's name, as help shows it. */
  readonly argumentHint?: string;
  /** For its turn only. */
  readonly model?: string;
  /** For its turn only. */
  readonly approval: Approval;
  readonly body: string;
  /** Line of each field in the file, from 1. */
  readonly lines: Readonly<Record<string, number>>;
  /** Fields that mean nothing here. */
  readonly unknown: readonly string[];
}

const FIELDS = ["description", "argument-hint", "model", "allowed-tools"];
const MAX_DESCRIPTION = 100;

/** Reads a command's file. @throws {FrontMatterError} its head is broken, or it asks for nothing */
export async function readTemplate(
  text: string,
  options: { definitions: readonly ToolDefinition[] },
): Promise<Template> {
  const { fields, lines, body } = await readFrontMatter(text);
  const textOf = (name: string): string | undefined => {
    const value = fields[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string" && value.trim() !== "") return value.trim();
    if (name === "argument-hint" && Array.isArray(value)) return `[${value.join("] [")}]`;
    throw new FrontMatterError(`'${name}' must be a text`, lines[name] ?? 1);
  };
  if (body === "") throw new FrontMatterError("there is no text after the head", 1);
  const argumentHint = textOf("argument-hint");
  const model = textOf("model");
  const first = splitLines(body)[0] ?? "";
  return {
    description: textOf("description") ?? first.replace(/^#+\s*/, "").slice(0, MAX_DESCRIPTION),
    ...(argumentHint !== undefined && { argumentHint }),
    ...(model !== undefined && model !== "inherit" && { model }),
    approval: readApproval(fields["allowed-tools"], options),
    body,
    lines,
    unknown: Object.keys(fields).filter((name) => !FIELDS.includes(name)),
  };
}

/** The body with the words that were typed; a body without a place for them gets them at its end. */
export function expandTemplate(body: string, typed: string): string {
  const words = splitWords(typed);
  let used = false;
  const text = body.replace(/\\\$|\$ARGUMENTS\b|\$(\d)(?!\d)/g, (place, digit?: string) => {
    if (place === "\\$") return "$";
    used = true;
    return digit === undefined ? typed : words[Number(digit) - 1] ?? "";
  });
  return used || typed === "" ? text : `${text}\n\n${typed}`;
}

/** At blanks; quotes round a word hold several together, and one within a word is a letter. */
function splitWords(typed: string): string[] {
  const words = typed.match(/"[^"]*"(?!\S)|'[^']*'(?!\S)|\S+/g) ?? [];
  return words.map((word) => /^(["']).*\1$/s.test(word) ? word.slice(1, -1) : word);
}
