/**
 * The user's own agents on disk, one Markdown file each: found at start, made by `/agents new`.
 */
import { join } from "node:path";
import { isMissing, readSmallFile, reasonOf, requireWrite } from "../lib/fs.ts";

/** Bytes that one file may have, and files that are looked at. */
const MAX_BYTES = 250_000;
const MAX_FILES = 200;

/** What a folder holds. */
interface AgentFiles {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Files that could not be read, each with why. */
  readonly problems: readonly string[];
}

/** The Markdown files of a folder, by name; none if there is no folder. Never throws. */
export async function readAgentFiles(directory: string): Promise<AgentFiles> {
  const names: string[] = [];
  try {
    for await (const { name } of Deno.readDir(directory)) {
      if (name.endsWith(".md") && !name.startsWith(".")) names.push(name);
    }
  } catch (error) {
    if (isMissing(error) || error instanceof Deno.errors.NotCapable) {
      return { files: [], problems: [] };
    }
    return {
      files: [],
      problems: [`The agents in ${directory} are left out: ${reasonOf(error)}`],
    };
  }
  const files: { path: string; text: string }[] = [];
  const problems: string[] = [];
  for (const name of names.sort().slice(0, MAX_FILES)) {
    const path = join(directory, name);
    try {
      files.push({ path, text: await readSmallFile(path, { maxBytes: MAX_BYTES }) });
    } catch (error) {
      problems.push(`${path}: ${reasonOf(error)}`);
    }
  }
  return { files, problems };
}

/** Makes the file of a new agent, and says where. @throws {Error} there is one, or it cannot be written */
export async function createAgentFile(
  directory: string,
  { name, text }: { name: string; text: string },
): Promise<string> {
  const path = join(directory, `${name}.md`);
  try {
    requireWrite(path);
    await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
    await Deno.writeTextFile(path, text, { createNew: true, mode: 0o600 });
    return path;
  } catch (error) {
    const why = error instanceof Deno.errors.AlreadyExists
      ? "it is there already. Edit it, or choose another name"
      : reasonOf(error);
    throw new Error(`Cannot make ${path}: ${why}.`, { cause: error });
  }
}
