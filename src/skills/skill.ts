/**
 * Reads a `SKILL.md` as the Agent Skills standard describes it: front matter in YAML, then instructions. What cannot be
 * used is left out; what is only against the standard is told to those who check a skill.
 */
import type { ToolDefinition } from "../core/tool.ts";
import { FrontMatterError, readFrontMatter } from "../lib/front_matter.ts";
import { isObject } from "../lib/schema.ts";
import { cutSafely } from "../lib/excerpt.ts";
import { formatBytes, messageOf, oneLine } from "../lib/text.ts";
import { type Approval, readApproval } from "../permission/approved_tools.ts";

/** What is read of a skill's folder. */
export interface SkillSource {
  /** The text of its `SKILL.md`. */
  readonly text: string;
  readonly hash: string;
  /** As people know the file. */
  readonly path: string;
  /** Name of its folder. */
  readonly folderName: string;
  /** The folder, absolute and canonical. */
  readonly folder: string;
  readonly source: "user" | "project";
}

/** A skill that can be used. */
export interface Skill extends Omit<SkillSource, "text" | "folderName"> {
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** Its instructions. */
  readonly body: string;
  /** What it may do without a question in the turn in which it is loaded. */
  readonly approval: Approval;
  /** Whether the model may load it; of others it is not told. */
  readonly isForModel: boolean;
}

/** Something about a skill that is not as it should be. */
export interface SkillProblem {
  /** In its file, from 1. */
  readonly line: number;
  readonly text: string;
  /** Whether the skill cannot be used for it. @default false */
  readonly isFatal?: true;
}

/** What was made of a file. */
export interface ParsedSkill {
  /** Undefined if one of the problems is fatal. */
  readonly skill: Skill | undefined;
  readonly problems: readonly SkillProblem[];
}

/** Characters that the standard allows. */
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;
/** Characters of front matter that are read at all. */
const MAX_HEAD = 16_384;
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** The standard's, and the one that says that a skill is for people alone. */
const FIELDS = [
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
  "disable-model-invocation",
];

/** Whether a text can be the name of a skill. */
export function isSkillName(name: string): boolean {
  return name.length <= MAX_NAME && NAME.test(name);
}

/** Reads one file. `definitions` are the tools there are. Never throws. */
export async function parseSkill(
  { text, folderName, ...place }: SkillSource,
  { definitions }: { definitions: readonly ToolDefinition[] },
): Promise<ParsedSkill> {
  try {
    requireShortHead(text);
    const { fields, lines, body } = await readFrontMatter(text);
    const problems = new Problems(lines);
    const name = nameIn(fields, { folderName, problems });
    const description = descriptionIn(fields, problems);
    const approval = readApproval(splitAllowedTools(fields["allowed-tools"]), { definitions });
    for (const why of approval.problems) problems.add("allowed-tools", `allowed-tools: ${why}`);
    checkRest(fields, problems);
    const isUsable = name !== undefined && description !== undefined && body !== "";
    if (body === "") problems.addFatal("name", "there are no instructions after the head");
    const isForModel = fields["disable-model-invocation"] !== true;
    return {
      skill: isUsable ? { ...place, name, description, body, approval, isForModel } : undefined,
      problems: problems.all,
    };
  } catch (error) {
    const line = error instanceof FrontMatterError ? error.line : 1;
    const what = error instanceof FrontMatterError ? error.what : messageOf(error);
    return { skill: undefined, problems: [{ line, text: what, isFatal: true }] };
  }
}

/** Collects problems with the lines of the fields that have them. */
class Problems {
  readonly all: SkillProblem[] = [];
  readonly #lines: Readonly<Record<string, number>>;

  constructor(lines: Readonly<Record<string, number>>) {
    this.#lines = lines;
  }

  add(field: string, text: string): void {
    this.all.push({ line: this.#lines[field] ?? 1, text });
  }

  addFatal(field: string, text: string): void {
    this.all.push({ line: this.#lines[field] ?? 1, text, isFatal: true });
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** @throws {FrontMatterError} the head is far longer than any that means well */
function requireShortHead(text: string): void {
  if (!/^\ufeff?---[ \t]*\r?\n/.test(text)) {
    throw new FrontMatterError("it does not begin with a head: '---', name, description, '---'", 1);
  }
  if (/^(?:---|\.\.\.)[ \t]*\r?$/m.test(text.slice(4, MAX_HEAD))) return;
  throw new FrontMatterError(`its head has no end within ${formatBytes(MAX_HEAD)}`, 1);
}

/** The name that the file says, else its folder's; undefined if neither can be one. */
function nameIn(
  { name }: Fields,
  { folderName, problems }: { folderName: string; problems: Problems },
): string | undefined {
  const said = typeof name === "string" ? name.trim() : undefined;
  const isValid = said !== undefined && isSkillName(said);
  if (said === undefined || said === "") problems.add("name", "name is missing");
  else if (!isValid) {
    const shown = oneLine(cutSafely(said, 80));
    problems.add("name", `'${shown}' is not a valid name: ${NAME_RULE}`);
  } else if (said !== folderName) {
    problems.add("name", `the name '${said}' is not that of its folder, '${folderName}'`);
  }
  if (isValid) return said;
  if (isSkillName(folderName)) return folderName;
  problems.addFatal("name", `it has no name by which it can be called: ${NAME_RULE}`);
  return undefined;
}

const NAME_RULE =
  `up to ${MAX_NAME} lower-case letters and digits, with single hyphens between them`;

function descriptionIn({ description }: Fields, problems: Problems): string | undefined {
  const text = typeof description === "string" ? oneLine(description) : "";
  if (text === "") {
    problems.addFatal("description", "description is missing: it says when to use the skill");
    return undefined;
  }
  if (text.length <= MAX_DESCRIPTION) return text;
  problems.add("description", `description is longer than ${MAX_DESCRIPTION} characters`);
  return cutSafely(text, MAX_DESCRIPTION);
}

function checkRest(fields: Fields, problems: Problems): void {
  const { compatibility, metadata, license } = fields;
  const off = fields["disable-model-invocation"];
  if (compatibility !== undefined) {
    const isShort = typeof compatibility === "string" && compatibility.length <= MAX_COMPATIBILITY;
    if (!isShort) {
      problems.add("compatibility", `compatibility must be text of ${MAX_COMPATIBILITY} or less`);
    }
  }
  if (license !== undefined && typeof license !== "string") {
    problems.add("license", "license must be text");
  }
  if (metadata !== undefined && !isObject(metadata)) {
    problems.add("metadata", "metadata must be a list of names and texts");
  }
  if (off !== undefined && typeof off !== "boolean") {
    problems.add("disable-model-invocation", "disable-model-invocation must be true or false");
  }
  for (const field of Object.keys(fields).filter((one) => !FIELDS.includes(one))) {
    problems.add(field, `'${oneLine(cutSafely(field, 80))}' has no meaning here`);
  }
}

/**
 * The standard puts blanks between the entries of `allowed-tools`, custom commands put commas. A text is only split at
 * blanks where each part is the name of a tool, with a pattern in parentheses or without: nothing is made wider.
 */
function splitAllowedTools(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const parts = value.match(/[^\s()]+(?:\([^()]*\))?/g) ?? [];
  const isList = parts.every((part) => /^[A-Za-z][\w-]*(?:\([^()]*\))?$/.test(part)) &&
    value.replace(/\s/g, "") === parts.join("").replace(/\s/g, "");
  return isList ? parts : value;
}
