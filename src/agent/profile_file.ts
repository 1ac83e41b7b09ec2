/**
 * Reads a profile, the description of an agent: front matter in YAML, then the words that tell it what it is.
 * Wherever it is wrong the error says the line.
 */
import { type Effort, EFFORTS } from "../core/model.ts";
import type { AccessKind, Targets } from "../core/permission.ts";
import { type FrontMatter, FrontMatterError, readFrontMatter } from "../lib/front_matter.ts";
import { findName } from "../lib/names.ts";
import { violations } from "../lib/schema.ts";
import { cutSafely } from "../lib/excerpt.ts";
import { oneLine, splitLines } from "../lib/text.ts";
import type { SpendingLimits } from "./spending.ts";

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
  /** Takes over where the model's server is overloaded or fails. @default that of the agent above */
  readonly fallbackModel?: string | undefined;
  /** @default the temperature of the agent above */
  readonly temperature?: number | undefined;
  /** @default the effort of the agent above */
  readonly effort?: Effort | undefined;
  /** Names of the tools it gets. @default all but those that give tasks to agents */
  readonly tools?: readonly string[] | undefined;
  /** Requests it may make for one task. @default the setting `agent_max_turns` */
  readonly maxTurns?: number | undefined;
  /** What one task may spend. @default what the run may */
  readonly limits?: SpendingLimits | undefined;
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
  fallback_model: { type: "string", minLength: 1 },
  temperature: { type: "number", minimum: 0, maximum: 2 },
  effort: { enum: EFFORTS },
  tools: {
    anyOf: [{ type: "string" }, { type: "array", items: { type: "string", minLength: 1 } }],
  },
  max_turns: { type: "integer", minimum: 1 },
  max_tokens_total: { type: "integer", minimum: 1 },
  max_cost: { type: "number", exclusiveMinimum: 0 },
  max_time: { type: "number", exclusiveMinimum: 0 },
  "allowed-tools": {
    anyOf: [{ type: "string" }, { type: "array", items: { type: "string", minLength: 1 } }],
  },
};

/** What a value must be, in words. */
const MEANINGS: Readonly<Record<string, string>> = {
  name: "letters, digits, - and _, a letter first",
  description: "a line of text",
  model: "the name of a model",
  fallback_model: "the name of a model",
  temperature: "a number from 0 to 2",
  effort: EFFORTS.join(", "),
  tools: "a list of names of tools",
  max_turns: "a whole number from 1",
  max_tokens_total: "a whole number from 1",
  max_cost: "a number above 0",
  max_time: "a number of seconds above 0",
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
  const { fields, lines, body: instructions } = await parseFrontMatter(file);
  const positionOf = (key: string) => `${path}:${lines[key] ?? 1}`;
  const name = textOf(fields.name) ?? nameOf(path);
  if (violations(FIELDS.name!, name).length > 0) {
    throw new Error(`${path}:1: '${name}' is not a valid name: it must be ${MEANINGS.name}`);
  }
  const known = Object.hasOwn(fields, "tools")
    ? toolNames(fields.tools).map((tool) =>
      requireTool(tool, { tools, position: positionOf("tools") })
    )
    : undefined;
  const described = textOf(fields.description) ?? firstLine(instructions) ?? "";
  const approved = approve(fields["allowed-tools"]);
  const unknown = Object.keys(fields).filter((key) => !Object.hasOwn(FIELDS, key));
  return {
    profile: {
      name,
      description: cutSafely(oneLine(described), DESCRIPTION_LENGTH),
      instructions,
      model: textOf(fields.model),
      fallbackModel: textOf(fields.fallback_model),
      temperature: typeof fields.temperature === "number" ? fields.temperature : undefined,
      effort: EFFORTS.find((one) => one === fields.effort),
      tools: known && [...new Set(known)],
      maxTurns: typeof fields.max_turns === "number" ? fields.max_turns : undefined,
      limits: limitsOf(fields),
      ...(approved.labels.length > 0 && { approved }),
      source,
      path,
    },
    warnings: [
      ...unknown.map((key) => `${positionOf(key)}: '${cutSafely(key, 80)}' is ignored`),
      ...approved.problems.map((text) => `${positionOf("allowed-tools")}: ${text}`),
    ],
  };
}

function limitsOf(fields: FrontMatter["fields"]): SpendingLimits | undefined {
  const number = (value: unknown) => typeof value === "number" ? value : undefined;
  const [tokens, cost, seconds] = [fields.max_tokens_total, fields.max_cost, fields.max_time]
    .map(number);
  const isLimited = tokens !== undefined || cost !== undefined || seconds !== undefined;
  return isLimited ? { tokens, cost, seconds } : undefined;
}

/** The fields before the text, each as its field wants it. @throws {Error} with path and line */
async function parseFrontMatter({ path, text }: ProfileFile): Promise<FrontMatter> {
  const head = await readFrontMatter(text).catch((error) => {
    if (!(error instanceof FrontMatterError)) throw error;
    throw new Error(`${path}:${error.line}: ${error.what}`, { cause: error });
  });
  for (const [key, schema] of Object.entries(FIELDS)) {
    const value = head.fields[key];
    if (value === undefined || value === null || violations(schema, value).length === 0) continue;
    const shown = cutSafely(JSON.stringify(value), 80);
    throw new Error(
      `${path}:${head.lines[key] ?? 1}: ${key} must be ${MEANINGS[key]}, not ${shown}`,
    );
  }
  return head;
}

/** A tool by its name; one of a server may come later. @throws {Error} there is none */
function requireTool(
  tool: string,
  { tools, position }: { tools: readonly string[]; position: string },
): string {
  const found = findName(tool, tools) ?? (tool.includes("__") ? tool : undefined);
  if (found !== undefined) return found;
  throw new Error(
    `${position}: there is no tool '${tool}' for agents. There are ${tools.join(", ")}`,
  );
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
