/**
 * Changes to `mcp.json` that a person asks for: one server added, removed, switched on or off. Everything else in the
 * file, comments included, stays as it is; the file is replaced atomically and is readable by its owner alone.
 */
import { UsageError } from "../core/errors.ts";
import { reasonOf } from "../lib/fs.ts";
import { parseJsonc } from "../lib/jsonc.ts";
import { updateLocked } from "../lib/locked_file.ts";
import { isObject } from "../lib/schema.ts";
import { withBomOf, withoutBom } from "../lib/text.ts";

/** The text of a file, or undefined if there is none. @throws {UsageError} it cannot be read */
export async function readConfigFile(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new UsageError(`Cannot read ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Sets a key of a server's entry, or the whole entry; undefined removes it.
 * @throws {UsageError} the file is not valid JSON, or cannot be written
 */
export async function editServer(
  path: string,
  { name, key, value }: { name: string; key?: string; value: unknown },
): Promise<void> {
  try {
    await updateLocked(path, async (canonicalPath) => {
      const text = await readConfigFile(canonicalPath) ?? "{}\n";
      const keys = [name, ...(key === undefined ? [] : [key])];
      return await editJsonc(text, { path, keys, value });
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Cannot write ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** The text with a value at a path of keys below the servers. @throws {UsageError} it is not valid JSON */
async function editJsonc(
  file: string,
  { path, keys, value }: { path: string; keys: readonly string[]; value: unknown },
): Promise<string> {
  const text = withoutBom(file);
  const parsed = await parseJsonc(text);
  if ("line" in parsed || !isObject(parsed.value)) {
    const line = "line" in parsed ? parsed.line : 1;
    throw new UsageError(`Cannot change ${path}:${line}: it is not valid JSON. Correct it first.`);
  }
  const { mcpServers, servers } = parsed.value;
  const root = !isObject(mcpServers) && isObject(servers) ? "servers" : "mcpServers";
  const { applyEdits, modify } = await import("jsonc-parser");
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" };
  const edited = applyEdits(text, modify(text, [root, ...keys], value, { formattingOptions }));
  return withBomOf(file, edited);
}
