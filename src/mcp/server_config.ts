/**
 * Servers as `mcp.json` names them, in the format that other clients use: read, checked one by one with the line of
 * what is wrong, and brought to one shape. Nothing is started, and no variable is put in, before a server is needed.
 */
import { createHash } from "node:crypto";
import { isObject, type JsonObject, violations } from "../lib/schema.ts";

/** Seconds one call may take, unless the entry says otherwise. */
const CALL_SECONDS = 60;
/** From this number on a `timeout` means milliseconds, as other clients write it. */
const LEAST_MILLISECONDS = 1000;

const TEXTS = { type: "object", additionalProperties: { type: "string" } } as const;

const SCHEMA = {
  type: "object",
  properties: {
    type: { enum: ["stdio", "http", "streamable-http", "streamableHttp", "sse"] },
    command: { type: "string", minLength: 1 },
    args: { type: "array", items: { type: "string" } },
    env: TEXTS,
    cwd: { type: "string", minLength: 1 },
    url: { type: "string", pattern: "^(https?://|\\$\\{)" },
    headers: TEXTS,
    disabled: { type: "boolean" },
    timeout: { type: "number", minimum: 1 },
    sandbox: { enum: [true, false, "network"] },
  },
} as const;

/** A program that is started and spoken to over its standard input and output. */
export interface StdioEntry {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** @default the working directory */
  readonly cwd?: string;
  /** Held by the OS sandbox, without or with the network. */
  readonly sandbox: false | "closed" | "network";
}

/** A server somewhere, spoken to over HTTP. */
export interface HttpEntry {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** It knows the older way only: one stream of events, and messages posted beside it. */
  readonly older?: true;
}

/** One server as a file names it; variables stand in it as written. */
export interface ServerEntry {
  /** As in the file. */
  readonly name: string;
  /** As it stands in names of tools: letters, digits, `-` and `_`. */
  readonly slug: string;
  readonly source: "user" | "project";
  /** The file, absolute. */
  readonly file: string;
  readonly how: StdioEntry | HttpEntry;
  readonly disabled: boolean;
  /** Milliseconds that one call may take without a sign of progress. */
  readonly callMs: number;
}

/** What a file came to. */
export interface ReadEntries {
  readonly entries: readonly ServerEntry[];
  /** What cannot be used, each with its place and what to do. */
  readonly problems: readonly string[];
}

/** Reads the text of a file; comments and trailing commas are passed over. Never throws. */
export async function readEntries(
  text: string,
  from: { file: string; source: ServerEntry["source"] },
): Promise<ReadEntries> {
  const parsed = await parse(text);
  const { file } = from;
  if ("line" in parsed) {
    return {
      entries: [],
      problems: [`${file}:${parsed.line}:${parsed.column}: not valid JSON. Correct it.`],
    };
  }
  const servers = isObject(parsed.value)
    ? parsed.value.mcpServers ?? parsed.value.servers
    : undefined;
  if (!isObject(servers)) {
    const problem = 'there is no "mcpServers". It must be like ' +
      '{"mcpServers": {"name": {"command": "npx", "args": ["-y", "package"]}}}.';
    return { entries: [], problems: [`${file}: ${problem}`] };
  }
  const entries: ServerEntry[] = [];
  const problems: string[] = [];
  const slugs = new Set<string>();
  for (const [name, value] of Object.entries(servers)) {
    const entry = readEntry(name, value, from);
    const slug = slugOf(name);
    const wrong = typeof entry === "string"
      ? entry
      : slugs.has(slug)
      ? `another server is called '${slug}' too. Give it another name.`
      : undefined;
    if (wrong === undefined && typeof entry !== "string") {
      slugs.add(slug);
      entries.push(entry);
    } else {
      const line = await lineOf(text, ["mcpServers", name]) ??
        await lineOf(text, ["servers", name]);
      problems.push(`${file}:${line ?? 1}: server '${name}' is left out: ${wrong}`);
    }
  }
  return { entries, problems };
}

/** A name as part of a tool's name. */
export function slugOf(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 40);
}

/** What makes a server another one: its whole command line, or its address, with what it is given. */
export function hashOfEntry({ how }: Pick<ServerEntry, "how">): string {
  return createHash("sha256").update(JSON.stringify(how)).digest("hex").slice(0, 16);
}

/** Where a server is, on one line: its command or its address. */
export function placeOf({ how }: Pick<ServerEntry, "how">): string {
  return how.kind === "http" ? how.url : [how.command, ...how.args].join(" ");
}

/** The entry, or what is wrong with it. */
export function readEntry(
  name: string,
  value: unknown,
  { file, source }: { file: string; source: ServerEntry["source"] },
): ServerEntry | string {
  if (name.trim() === "" || slugOf(name) === "") return "its name is empty. Name it.";
  if (!isObject(value)) return "it is not an object.";
  const [wrong] = violations(SCHEMA as unknown as JsonObject, value);
  if (wrong) return `'${wrong.path}' is ${JSON.stringify(at(value, wrong.path))}. ${wrong.message}`;
  const how = howOf(value as RawEntry);
  if (typeof how === "string") return how;
  const { disabled = false, timeout = CALL_SECONDS } = value as RawEntry;
  const callMs = timeout >= LEAST_MILLISECONDS ? timeout : timeout * 1000;
  return { name, slug: slugOf(name), source, file, how, disabled, callMs };
}

/** As the schema has let it pass. */
interface RawEntry {
  readonly type?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly disabled?: boolean;
  readonly timeout?: number;
  readonly sandbox?: boolean | "network";
}

function howOf(raw: RawEntry): StdioEntry | HttpEntry | string {
  const { command, args = [], env = {}, cwd, url, headers = {}, sandbox = false } = raw;
  if (command !== undefined && url !== undefined) {
    return "it has a 'command' and a 'url'. Keep one.";
  }
  // Absent where it is not so: what was approved before is the same entry.
  const older = raw.type === "sse" ? { older: true } as const : {};
  if (url !== undefined) return { kind: "http", url, headers, ...older };
  if (command === undefined) return "it has neither a 'command' to start nor a 'url' to speak to.";
  const held = sandbox === true ? "closed" : sandbox;
  return { kind: "stdio", command, args, env, ...(cwd !== undefined && { cwd }), sandbox: held };
}

function at(value: Record<string, unknown>, path: string): unknown {
  return value[path.split(/[.[]/)[0] ?? ""];
}

async function parse(text: string): Promise<{ value: unknown } | { line: number; column: number }> {
  try {
    return { value: JSON.parse(text) };
  } catch {
    const { parse: parseJson } = await import("jsonc-parser");
    const faults: { offset: number }[] = [];
    const value: unknown = parseJson(text, faults as never, { allowTrailingComma: true });
    const [fault] = faults;
    if (fault === undefined) return { value };
    const before = text.slice(0, fault.offset).split("\n");
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}

/** The line on which a value of a file begins. */
async function lineOf(text: string, path: readonly string[]): Promise<number | undefined> {
  const { findNodeAtLocation, parseTree } = await import("jsonc-parser");
  const root = parseTree(text);
  const node = root && findNodeAtLocation(root, [...path]);
  return node && text.slice(0, node.offset).split("\n").length;
}
