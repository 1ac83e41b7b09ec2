/**
 * Changes to `mcp.json` that a person asks for: one server added, removed, switched. What else is in the file, its
 * comments too, stays as it is; the file is replaced atomically, for its owner's eyes alone. Called by the commands.
 */
import { basename, dirname, join } from "node:path";
import { UsageError } from "../core/errors.ts";
import { replaceFile } from "../lib/fs.ts";
import { isObject } from "../lib/schema.ts";
import { messageOf } from "../lib/text.ts";

/** The text of a file, or undefined if there is none. @throws {UsageError} it cannot be read */
export async function readConfigFile(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new UsageError(`Cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Sets the value at a path below a server's name (none: the whole entry); undefined removes it.
 * @throws {UsageError} the file is not valid JSON, or cannot be written
 */
export async function editServer(
  path: string,
  { name, key, value }: { name: string; key?: string; value: unknown },
): Promise<void> {
  const { applyEdits, modify, parse } = await import("jsonc-parser");
  const text = await readConfigFile(path) ?? "{}\n";
  const faults: { offset: number }[] = [];
  const content: unknown = parse(text, faults as never, { allowTrailingComma: true });
  const [fault] = faults;
  if (fault !== undefined || !isObject(content)) {
    const line = text.slice(0, fault?.offset ?? 0).split("\n").length;
    throw new UsageError(`Cannot change ${path}:${line}: it is not valid JSON. Correct it first.`);
  }
  const root = !isObject(content.mcpServers) && isObject(content.servers)
    ? "servers"
    : "mcpServers";
  const place = key === undefined ? [root, name] : [root, name, key];
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" };
  const edited = applyEdits(text, modify(text, place, value, { formattingOptions }));
  try {
    await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const real = await Deno.realPath(path).catch(async () =>
      join(await Deno.realPath(dirname(path)), basename(path))
    );
    await replaceFile(real, new TextEncoder().encode(edited), { mode: 0o600 });
  } catch (error) {
    throw new UsageError(`Cannot write ${path}: ${messageOf(error)}`, { cause: error });
  }
}
