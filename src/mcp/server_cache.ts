/**
 * What is remembered of a server between runs, one file each: the command line and the tools that were approved, and
 * its last known tools and prompts, so that a run knows them without starting it. A file that cannot be read counts as
 * missing; one that cannot be written is no reason to stop.
 */
import { join } from "node:path";
import { isObject } from "../lib/schema.ts";
import { hashShortText } from "../lib/text_hash.ts";
import { isSameTool, type McpPrompt, type McpTool } from "./capabilities.ts";
import type { ServerConfig } from "./server_config.ts";
import { readServerFile, writeServerFile } from "./server_file.ts";

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
  /** Its last known tools and prompts; absent if it never answered. */
  readonly offer?: Capabilities;
  /** By name: what was approved. */
  readonly approved: readonly McpTool[];
}

/** How a tool compares with what was approved. */
type ApprovalState = "approved" | "changed" | "new";

/** Compares an offered tool with the approved one of its name. */
export function approvalStateOf(tool: McpTool, { approved }: ServerRecord): ApprovalState {
  const before = approved.find(({ name }) => name === tool.name);
  if (before === undefined) return "new";
  return isSameTool(before, tool) ? "approved" : "changed";
}

/** The path of a file that is kept for one server. */
export function cachePath(
  { file, name, slug }: Pick<ServerConfig, "name" | "slug" | "file">,
  { directory, kind }: { directory: string; kind: ".json" | ".login.json" },
): string {
  const key = hashShortText(`${file}\0${name}`);
  return join(directory, `${slug}-${key.slice(0, 10)}${kind}`);
}

/** Reads and writes the record of one server. */
export class ServerCache {
  readonly #path: string;

  /** `directory` holds the files of all servers; it is made when first needed. */
  constructor(entry: Pick<ServerConfig, "name" | "slug" | "file">, directory: string) {
    this.#path = cachePath(entry, { directory, kind: ".json" });
  }

  /** What is known, or undefined if this server was never used. */
  read(): ServerRecord | undefined {
    const record = readServerFile(this.#path, "known");
    return isServerRecord(record) ? record : undefined;
  }

  /** Keeps the record; false if it could not be written. */
  async write(record: ServerRecord): Promise<boolean> {
    try {
      await writeServerFile(this.#path, { known: record });
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

function isServerRecord(value: unknown): value is ServerRecord {
  return isObject(value) && typeof value.entry === "string" && typeof value.place === "string" &&
    Array.isArray(value.approved) && value.approved.every(isNamed) &&
    (value.offer === undefined ||
      isObject(value.offer) && Array.isArray(value.offer.tools) &&
        value.offer.tools.every(isNamed) && Array.isArray(value.offer.prompts));
}

function isNamed(value: unknown): boolean {
  return isObject(value) && typeof value.name === "string";
}
