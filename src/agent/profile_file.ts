/**
 * Reads a profile, the description of an agent: front matter in YAML, then the words that tell it what it is.
 * Wherever it is wrong the error says the line. The YAML library is loaded with the first file there is.
 */
import type { Document, LineCounter } from "yaml";
import type { AccessKind, Targets } from "../core/permission.ts";
import { findName } from "../lib/names.ts";
import { isObject, type JsonObject, violations } from "../lib/schema.ts";
import { cutEnd, splitLines } from "../lib/text.ts";

/** Where a profile comes from. */
type ProfileSource = "built in" | "user" | "project";

/** What an agent may do without a question. */
export interface Approvals {
  readonly allow: Readonly<Partial<Record<AccessKind, Targets>>>;
  /** Each allowance in a few words. */
  readonly labels: readonly string[];
  /** What could not be understood, which allows nothing. */
  readonly problems: readonly string[];
}

/** An agent that can be given tasks. */
export interface Profile {
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** Stands behind the system prompt. */
  readonly instructions: string;
  /** @default the model of the agent above */
  readonly model?: string | undefined;
  /** @default the temperature of the agent above */
  readonly temperature?: number | undefined;
  /** Names of the tools it gets. @default all but those that give tasks to agents */
  readonly tools?: readonly string[] | undefined;
  /** Requests it may make for one task. @default the setting `agent_max_turns` */
  readonly maxTurns?: number | undefined;
  /** What it may do without a question. @default what the agent above may */
  readonly approved?: Approvals | undefined;
  readonly source: ProfileSource;
  /** File that holds it. */
  readonly path?: string | undefined;
}

/** A file that should hold a profile, as it was read. */
export interface ProfileFile {
  readonly path: string;
  readonly text: string;
  readonly source: Exclude<ProfileSource, "built in">;
}

/** A profile, and what of its file is ignored. */
interface ParsedProfile {
  readonly profile: Profile;
  readonly warnings: readonly string[];
}

/** What the front matter may say; the rest is ignored and told. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  name: { type: "string", pattern: "^[A-Za-z][A-Za-z0-9_-]{0,63}$" },
  description: { type: "string", minLength: 1 },
  model: { type: "string", minLength: 1 },
  temperature: { type: "number", minimum: 0, maximum: 2 },
  tools: {
    anyOf: [{ type: "string" }, { type: "array", items: { type: "string", minLength: 1 } }],
  },
  max_turns: { type: "integer", minimum: 1 },
  "allowed-tools": {
    anyOf: [{ type: "string" }, { type: "array", items: { type: "string", minLength: 1 } }],
  },
};

/** What a value must be, in words. */
const MEANINGS: Readonly<Record<string, string>> = {
  name: "letters, digits, - and _, a letter first",
  description: "a line of text",
  model: "the name of a model",
  temperature: "a number from 0 to 2",
  tools: "a list of names of tools",
  max_turns: "a whole number from 1",
  "allowed-tools": "a list such as bash(git status:*), edit",
};

const DESCRIPTION_LENGTH = 200;

/**
 * Reads one file; `tools` are the names of the tools that an agent may have, `approve` reads what it may do without
 * a question.
 * @throws {Error} with path and line: it is no valid front matter, or a value cannot be used
 */
export async function parseProfile(
  file: ProfileFile,
  { tools, approve }: { tools: readonly string[]; approve: (value: unknown) => Approvals },
): Promise<ParsedProfile> {
  const { path, source } = file;
  const { values, lineOf, body } = await parseFrontMatter(file);
  const name = textOf(values.name) ?? nameOf(path);
  if (violations(FIELDS.name!, name).length > 0) {
    throw new Error(`${path}:1: '${name}' is not a valid name: it must be ${MEANINGS.name}`);
  }
  const known = Object.hasOwn(values, "tools")
    ? toolNames(values.tools).map((tool) =>
      requireTool(tool, { tools, place: `${path}:${lineOf("tools")}` })
    )
    : undefined;
  const instructions = body.trim();
  const described = textOf(values.description) ?? firstLine(instructions) ?? "";
  const approved = approve(values["allowed-tools"]);
  const unknown = Object.keys(values).filter((key) => !Object.hasOwn(FIELDS, key));
  return {
    profile: {
      name,
      description: cutEnd(described.replace(/\s+/g, " ").trim(), DESCRIPTION_LENGTH),
      instructions,
      model: textOf(values.model),
      temperature: typeof values.temperature === "number" ? values.temperature : undefined,
      tools: known && [...new Set(known)],
      maxTurns: typeof values.max_turns === "number" ? values.max_turns : undefined,
      ...(approved.labels.length > 0 && { approved }),
      source,
      path,
    },
    warnings: [
      ...unknown.map((key) => `${path}:${lineOf(key)}: '${cutEnd(key, 80)}' is ignored`),
      ...approved.problems.map((text) => `${path}:${lineOf("allowed-tools")}: ${text}`),
    ],
  };
}

interface FrontMatter {
  readonly values: JsonObject;
  /** The line of a key in the file, 1-based. */
  readonly lineOf: (key: string) => number;
  /** What follows it. */
  readonly body: string;
}

/** The values before the text, each as its field wants it. @throws {Error} with path and line */
async function parseFrontMatter(file: ProfileFile): Promise<FrontMatter> {
  const { path } = file;
  const { head, body } = splitFrontMatter(file);
  const { parseDocument, LineCounter } = await import("yaml");
  const lineCounter = new LineCounter();
  const document = parseDocument(head, { lineCounter, prettyErrors: false });
  // The front matter begins below its first line of dashes.
  const [fault] = document.errors;
  if (fault) {
    const line = lineCounter.linePos(fault.pos[0]).line + 1;
    throw new Error(`${path}:${line}: ${fault.message}`);
  }
  const values: unknown = document.toJS() ?? {};
  if (!isObject(values)) throw new Error(`${path}:2: the front matter holds no "key: value" lines`);
  const lineOf = (key: string) => keyLine(document, { key, lineCounter });
  for (const [key, schema] of Object.entries(FIELDS)) {
    if (values[key] === undefined || values[key] === null) continue;
    if (violations(schema, values[key]).length === 0) continue;
    const shown = cutEnd(JSON.stringify(values[key]), 80);
    throw new Error(`${path}:${lineOf(key)}: ${key} must be ${MEANINGS[key]}, not ${shown}`);
  }
  return { values, lineOf, body };
}

/** A tool by its name; one of a server may come later. @throws {Error} there is none */
function requireTool(
  tool: string,
  { tools, place }: { tools: readonly string[]; place: string },
): string {
  const found = findName(tool, tools) ?? (tool.includes("__") ? tool : undefined);
  if (found !== undefined) return found;
  throw new Error(`${place}: there is no tool '${tool}' for agents. There are ${tools.join(", ")}`);
}

/** Front matter and the rest. @throws {Error} it has a beginning and no end */
function splitFrontMatter({ path, text }: ProfileFile): { head: string; body: string } {
  const lines = splitLines(text.replace(/^\uFEFF/, ""));
  if (lines[0]?.trim() !== "---") return { head: "", body: lines.join("\n") };
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === "---");
  if (end < 0) throw new Error(`${path}:1: the front matter has no end: a line of --- is missing`);
  return { head: lines.slice(1, end).join("\n"), body: lines.slice(end + 1).join("\n") };
}

/** The line of a key in the file. */
function keyLine(
  { contents }: Document.Parsed,
  { key, lineCounter }: { key: string; lineCounter: LineCounter },
): number {
  const range = contents?.range;
  const items = contents !== null && "items" in contents ? contents.items : [];
  for (const item of items) {
    if (!("key" in item)) continue;
    const { key: node } = item;
    const named = node !== null && "value" in node && node.value === key;
    if (named && node.range) return lineCounter.linePos(node.range[0]).line + 1;
  }
  return range ? lineCounter.linePos(range[0]).line + 1 : 1;
}

/** A list, or names with commas between them. */
function toolNames(value: unknown): string[] {
  const names = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  return names.map((name) => String(name).trim()).filter((name) => name !== "");
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function nameOf(path: string): string {
  return path.replace(/^.*[/\\]/, "").replace(/\.md$/i, "");
}

function firstLine(text: string): string | undefined {
  return splitLines(text).map((line) => line.replace(/^#+\s*/, "").trim())
    .find((line) => line !== "");
}
