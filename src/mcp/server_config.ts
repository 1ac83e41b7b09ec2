/**
 * Servers as `mcp.json` lists them, in the format that other clients use: each is checked, with the line of what is
 * wrong, and brought to one shape. Variables are replaced only when a server is started.
 */
import { MAX_TIMER_MS } from "../lib/async.ts";
import { unlessTooDeep } from "../lib/json_text.ts";
import { parseJsonc } from "../lib/jsonc.ts";
import { createCheck, isObject, type JsonObject, type Violation } from "../lib/schema.ts";
import { positionAt, withoutBom } from "../lib/text.ts";
import { hashShortText } from "../lib/text_hash.ts";

/** Seconds for one call, unless the entry has a timeout. */
const DEFAULT_CALL_SECONDS = 60;
/** A `timeout` of this much or more means milliseconds, as other clients write it. */
const MIN_MILLISECONDS = 1000;

const STRING_MAP = { type: "object", additionalProperties: { type: "string" } } as const;

const SCHEMA = {
  type: "object",
  properties: {
    type: { enum: ["stdio", "http", "streamable-http", "streamableHttp", "sse"] },
    command: { type: "string", minLength: 1 },
    args: { type: "array", items: { type: "string" } },
    env: STRING_MAP,
    cwd: { type: "string", minLength: 1 },
    url: {
      type: "string",
      pattern: "^(https?://|\\$\\{)",
      patternErrorMessage: "It must be a URL that begins with http:// or https://.",
    },
    headers: STRING_MAP,
    disabled: { type: "boolean" },
    timeout: { type: "number", minimum: 1 },
    sandbox: { enum: [true, false, "network"] },
  },
} as const;

/** A program that is started and reached through its standard input and output. */
export interface StdioConfig {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** @default the working directory */
  readonly cwd?: string;
  /** Whether it runs in the OS sandbox, without or with the network. */
  readonly sandbox: false | "closed" | "network";
}

/** A server that is reached over HTTP. */
export interface HttpConfig {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** It supports only the older transport: one stream of events, and messages posted beside it. */
  readonly older?: true;
}

/** One server as a file lists it; its variables are not replaced yet. */
export interface ServerConfig {
  /** As in the file. */
  readonly name: string;
  /** The form used in names of tools: letters, digits, `-` and `_`. */
  readonly slug: string;
  /** Whose it is; the client's is an editor's that brings it along. */
  readonly source: "user" | "project" | "client";
  /** The file, absolute; what a client brings is in none. */
  readonly file: string;
  readonly transport: StdioConfig | HttpConfig;
  readonly disabled: boolean;
  /** Milliseconds that one call may take without progress. */
  readonly callMs: number;
}

/** What a file contains. */
interface ParsedConfigs {
  readonly configs: readonly ServerConfig[];
  /** What cannot be used, each with its line and what to do. */
  readonly problems: readonly string[];
}

/** Reads the text of a file; comments and trailing commas are allowed. Never throws. */
export async function parseServerConfigs(
  written: string,
  from: { file: string; source: ServerConfig["source"] },
): Promise<ParsedConfigs> {
  const text = withoutBom(written);
  const parsed = await parseJsonc(text);
  const { file } = from;
  if ("line" in parsed) {
    const { line, column } = parsed;
    return { configs: [], problems: [`${file}:${line}:${column}: not valid JSON. Correct it.`] };
  }
  const servers = isObject(parsed.value)
    ? parsed.value.mcpServers ?? parsed.value.servers
    : undefined;
  if (!isObject(servers)) {
    const problem = 'there is no "mcpServers". It must be like ' +
      '{"mcpServers": {"name": {"command": "npx", "args": ["-y", "package"]}}}.';
    return { configs: [], problems: [`${file}: ${problem}`] };
  }
  const configs: ServerConfig[] = [];
  const problems: string[] = [];
  const slugs = new Set<string>();
  const check = createEntryCheck();
  for (const [name, value] of Object.entries(servers)) {
    const entry = parseServerConfig(name, value, { ...from, check });
    const slug = slugOf(name);
    const wrong = typeof entry === "string"
      ? entry
      : slugs.has(slug)
      ? `another server is called '${slug}' too. Give it another name.`
      : undefined;
    if (wrong === undefined && typeof entry !== "string") {
      slugs.add(slug);
      configs.push(entry);
    } else {
      const line = await lineOf(text, ["mcpServers", name]) ??
        await lineOf(text, ["servers", name]);
      problems.push(`${file}:${line ?? 1}: server '${name}' is left out: ${wrong}`);
    }
  }
  return { configs, problems };
}

/** A name as part of a tool's name. */
export function slugOf(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 40);
}

/** Identifies a server: a hash of its whole command line or address, with all that it is given. */
export function hashOfConfig({ transport }: Pick<ServerConfig, "transport">): string {
  return hashShortText(JSON.stringify(transport)).slice(0, 16);
}

/** A server's command line or address. */
export function targetOf({ transport }: Pick<ServerConfig, "transport">): string {
  return transport.kind === "http"
    ? transport.url
    : [transport.command, ...transport.args].join(" ");
}

function createEntryCheck(): (entry: unknown) => Violation[] {
  return createCheck(SCHEMA as unknown as JsonObject);
}

/** The entry, or what is wrong with it; `check` is given where there are more of them. */
export function parseServerConfig(
  name: string,
  value: unknown,
  { file, source, check = createEntryCheck() }: {
    file: string;
    source: ServerConfig["source"];
    check?: (entry: unknown) => Violation[];
  },
): ServerConfig | string {
  if (name.trim() === "" || slugOf(name) === "") return "its name is empty. Name it.";
  if (!isObject(value)) return "it is not an object.";
  const [wrong] = check(value);
  if (wrong) {
    return `'${wrong.path}' is ${JSON.stringify(valueAt(value, wrong.path))}. ${wrong.message}`;
  }
  const transport = parseTransport(value as RawConfig);
  if (typeof transport === "string") return transport;
  const { disabled = false, timeout = DEFAULT_CALL_SECONDS } = value as RawConfig;
  const callMs = Math.min(timeout >= MIN_MILLISECONDS ? timeout : timeout * 1000, MAX_TIMER_MS);
  return { name, slug: slugOf(name), source, file, transport, disabled, callMs };
}

/** An entry that the schema accepted. */
interface RawConfig {
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

function parseTransport(raw: RawConfig): StdioConfig | HttpConfig | string {
  const { command, args = [], env = {}, cwd, url, headers = {}, sandbox = false } = raw;
  if (command !== undefined && url !== undefined) {
    return "it has a 'command' and a 'url'. Keep one.";
  }
  // Absent rather than false, so that entries approved earlier keep their hash.
  const older = raw.type === "sse" ? { older: true } as const : {};
  if (url !== undefined) return { kind: "http", url, headers, ...older };
  if (command === undefined) return "it has neither a 'command' nor a 'url'. Give one.";
  const profile = sandbox === true ? "closed" : sandbox;
  return { kind: "stdio", command, args, env, ...(cwd !== undefined && { cwd }), sandbox: profile };
}

function valueAt(value: Record<string, unknown>, path: string): unknown {
  return value[path.split(/[.[]/)[0] ?? ""];
}

/** The line on which a value of a file begins. */
async function lineOf(text: string, path: readonly string[]): Promise<number | undefined> {
  const { findNodeAtLocation, parseTree } = await import("jsonc-parser");
  const root = unlessTooDeep(() => parseTree(text));
  const node = root && findNodeAtLocation(root, [...path]);
  return node && positionAt(text, node.offset).line;
}
