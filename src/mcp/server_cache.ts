/**
 * What is remembered of a server between runs, one file each: the command line and the tools that were approved, and
 * what it offered last, so that a run knows its tools without starting it. A file that cannot be read counts as none;
 * one that cannot be written is no reason to stop. Called by `server.ts`.
 */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { replaceFile } from "../lib/fs.ts";
import { isObject } from "../lib/schema.ts";
import { type McpPrompt, type McpTool, pinOf } from "./capabilities.ts";
import { hashOfConfig, type ServerConfig } from "./server_config.ts";

const VERSION = 1;

/** What a server offers. */
export interface Capabilities {
  readonly tools: readonly McpTool[];
  readonly prompts: readonly McpPrompt[];
}

/** What is known of one server. */
export interface ServerRecord {
  /** Hash of the entry that was approved. */
  readonly entry: string;
  /** The command line or address that was approved, for people. */
  readonly place: string;
  /** What it offered last; absent if it never answered. */
  readonly offer?: Capabilities;
  /** By name: what was approved. */
  readonly approved: readonly McpTool[];
  /** Nothing was approved: it was only too slow to tell what it offers. */
  readonly slow?: boolean;
}

/** How a tool stands to what was approved. */
export type ApprovalState = "approved" | "changed" | "new";

/** Compares an offered tool with the approved one of its name. */
export function approvalStateOf(tool: McpTool, { entry, approved }: ServerRecord): ApprovalState {
  const before = approved.find(({ name }) => name === tool.name);
  if (before === undefined) return "new";
  return pinOf(entry, before) === pinOf(entry, tool) ? "approved" : "changed";
}

/** The file in which something is kept of one server. */
export function cachePath(
  { file, name, slug }: Pick<ServerConfig, "name" | "slug" | "file">,
  { directory, kind }: { directory: string; kind: ".json" | ".login.json" },
): string {
  const key = createHash("sha256").update(`${file}\0${name}`).digest("hex");
  return join(directory, `${slug}-${key.slice(0, 10)}${kind}`);
}

/** Reads and writes what is known of one server. */
export class ServerCache {
  readonly #path: string;

  /** `directory` is where all of them lie; made when first needed. */
  constructor(entry: Pick<ServerConfig, "name" | "slug" | "file">, directory: string) {
    this.#path = cachePath(entry, { directory, kind: ".json" });
  }

  /** What is known, or undefined if this server was never used. */
  async read(): Promise<ServerRecord | undefined> {
    try {
      const value: unknown = JSON.parse(await Deno.readTextFile(this.#path));
      if (!isObject(value) || value.version !== VERSION || !isObject(value.known)) return undefined;
      return value.known as unknown as ServerRecord;
    } catch {
      return undefined;
    }
  }

  /** Keeps what is known; false if it holds for this run only. */
  async write(record: ServerRecord): Promise<boolean> {
    try {
      const directory = dirname(this.#path);
      await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
      const path = join(await Deno.realPath(directory), this.#path.slice(directory.length + 1));
      const text = JSON.stringify({ version: VERSION, known: record });
      await replaceFile(path, new TextEncoder().encode(text), { mode: 0o600 });
      return true;
    } catch {
      return false;
    }
  }

  /** Forgets the server. */
  async remove(): Promise<void> {
    await Deno.remove(this.#path).catch(() => {});
  }
}

/** Whether an entry is the one that was approved. */
export function isSameConfig(config: ServerConfig, record: ServerRecord): boolean {
  return hashOfConfig(config) === record.entry;
}
