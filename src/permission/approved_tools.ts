/**
 * The field `allowed-tools` of a command or an agent, made rules: what need not be asked about while it runs. Both
 * spellings in use are read, `run=git status` and `bash(git status:*)`; what is not clear allows nothing.
 */
import { ACCESS_KINDS, type AccessKind } from "../core/access.ts";
import type { Targets } from "../core/permission.ts";
import type { Effect, ToolDefinition } from "../core/tool.ts";
import { findName } from "../lib/names.ts";
import { HIDDEN_CHARACTER, oneLine } from "../lib/text.ts";
import type { Rules } from "./rules.ts";

/**
 * The kind of access that each effect asks for, the harmless first: the name of a tool that can do more than one
 * (a search that can also replace) approves the least. The other effects never ask.
 */
const KIND_OF: readonly (readonly [effect: Effect, kind: AccessKind])[] = [
  ["read", "read"],
  ["net", "net"],
  ["write", "write"],
  ["exec", "run"],
];

/** What a file approves beforehand. */
export interface Approval {
  readonly allow: Rules["allow"];
  /** As rules read, one each: "run=git status". */
  readonly labels: readonly string[];
  /** Entries that are left out, and why. */
  readonly problems: readonly string[];
}

/** One thing that is approved; no targets means the whole kind. */
interface ApprovedAccess {
  readonly kind: AccessKind;
  readonly targets: Targets;
}

/** Reads the field: a text with commas, or a list. `definitions` are the tools there are. */
export function readApproval(
  value: unknown,
  { definitions }: { definitions: readonly ToolDefinition[] },
): Approval {
  const problems: string[] = [];
  const allow = new Map<AccessKind, Targets>();
  for (const text of entriesOf(value, problems)) {
    const entry = requirePlain(text, readEntry(text, definitions));
    if (typeof entry === "string") problems.push(`'${oneLine(text)}' is left out: ${entry}`);
    else if (entry !== undefined) allow.set(entry.kind, mergeTargets(allow.get(entry.kind), entry));
  }
  const labels = [...allow].flatMap(([kind, targets]) =>
    targets === true ? [kind] : targets.map((target) => `${kind}=${target}`)
  );
  return { allow: Object.fromEntries(allow), labels, problems };
}

function mergeTargets(before: Targets | undefined, { targets }: ApprovedAccess): Targets {
  if (before === true || targets === true) return true;
  return [...new Set([...before ?? [], ...targets])];
}

function entriesOf(value: unknown, problems: string[]): string[] {
  if (value === undefined || value === null) return [];
  const texts = Array.isArray(value) ? value : [value];
  return texts.flatMap((text) => {
    if (typeof text === "string") return splitEntries(text);
    problems.push(`${JSON.stringify(text)} is left out: it is not a text`);
    return [];
  });
}

/** At commas outside parentheses; what follows `kind=` without a word of its own belongs to it. */
function splitEntries(text: string): string[] {
  const parts = text.split(/,(?![^(]*\))/).map((part) => part.trim()).filter((part) => part !== "");
  const entries: string[] = [];
  for (const part of parts) {
    const last = entries.at(-1);
    const goesOn = last !== undefined && /^\w+=/.test(last) && !/^[\w-]+(?:=|\(|$)/.test(part);
    if (goesOn) entries[entries.length - 1] = `${last},${part}`;
    else entries.push(part);
  }
  return entries;
}

/** Characters by which a command line is more than one program with its words. */
const NOT_A_WORD = /[;|&<>`]|\$[({]/;

/** What was read of an entry, or why it could be taken for something else than it is. */
function requirePlain(
  text: string,
  entry: ReturnType<typeof readEntry>,
): ReturnType<typeof readEntry> {
  if (typeof entry !== "object") return entry;
  if (/\n/.test(text) || HIDDEN_CHARACTER.test(text)) {
    return "it has line ends, or characters that are not seen";
  }
  const { kind, targets } = entry;
  const isMore = kind === "run" && targets !== true &&
    targets.some((target) => NOT_A_WORD.test(target));
  return isMore ? "a command is one program with its words" : entry;
}

/** An entry, nothing if it allows what never asks, or why it is not understood. */
function readEntry(
  text: string,
  definitions: readonly ToolDefinition[],
): ApprovedAccess | string | undefined {
  const rule = /^(\w+)=(.*)$/s.exec(text);
  const ruled = ACCESS_KINDS.find((kind) => kind === rule?.[1]);
  if (ruled && rule) {
    const targets = (rule[2] ?? "").split(",").map((one) => one.trim()).filter((one) => one !== "");
    return targets.length === 0 ? "it names nothing after '='" : { kind: ruled, targets };
  }
  const call = /^([A-Za-z][\w-]*)(?:\((.*)\))?$/s.exec(text);
  if (!call?.[1]) return "write it as run=git status, or as bash(git status:*)";
  const [, name, pattern] = call;
  const bare = ACCESS_KINDS.find((kind) => kind === name);
  const found = findName(name, definitions.map((one) => one.name));
  const definition = definitions.find((one) => one.name === found);
  if (!definition && !bare) return `there is no tool '${name}'`;
  const kind = definition
    ? KIND_OF.find(([effect]) => definition.effects.includes(effect))?.[1]
    : bare;
  if (kind === undefined) return undefined;
  return pattern === undefined ? { kind, targets: true } : readPattern(pattern.trim(), kind);
}

function readPattern(pattern: string, kind: AccessKind): ApprovedAccess | string {
  if (pattern === "*" || pattern === "**") return { kind, targets: true };
  if (kind === "run") {
    const prefix = /^(.*?)(?::\*| \*)$/.exec(pattern)?.[1]?.trim();
    if (!prefix || /[*?]/.test(prefix)) {
      return "a command is allowed with whatever follows it: write bash(git status:*)";
    }
    return { kind, targets: [prefix] };
  }
  const target = pattern.replace(/^domain:/, "").replace(/\/\*\*$/, "");
  if (target === "" || /[*?[\]{}]/.test(target)) {
    return kind === "net" ? "name a host" : "name a file or a folder, without wildcards";
  }
  return { kind, targets: [target] };
}
