/**
 * Changes keys of a configuration file and leaves the rest as its owner wrote it: order, formatting and keys that
 * are not known. A file that cannot be understood is never written to.
 */
import type { ModificationOptions } from "jsonc-parser";
import { UsageError } from "../core/errors.ts";
import { isMissing, reasonOf } from "../lib/fs.ts";
import { updateLocked } from "../lib/locked_file.ts";
import { cutEnd, withBomOf, withoutBom } from "../lib/text.ts";
import { parseConfig, parseObject, suggestSetting, validateSetting } from "./config.ts";
import { parseSettingText } from "./setting_text.ts";
import { SETTING_TABLE } from "./settings_table.ts";

/**
 * What a person typed as the value of a key, by the key's type: `on` is true, `a,b` a list, JSON is JSON.
 * @throws {UsageError} there is no such key, or the value does not fit it
 */
export function parseSettingValue(key: string, text: string): unknown {
  const setting = SETTING_TABLE.get(key);
  if (setting === undefined) throw unknownKeyError(key);
  const value = parseSettingText(setting.schema, text);
  const wrong = validateSetting(key, value);
  if (wrong !== undefined) throw new UsageError(`Nothing was set: ${wrong}`);
  return value;
}

/** The error for a key that is not known, with the nearest one. */
export function unknownKeyError(key: string): UsageError {
  const [whole = ""] = key.split(".");
  const near = SETTING_TABLE.has(whole) && whole !== key
    ? `'${whole}' is one setting: give all of it as JSON.`
    : suggestSetting(key) || "ally config list shows them all.";
  return new UsageError(`There is no setting '${cutEnd(key, 200)}'. ${near}`);
}

/**
 * Makes changes, by key, all or none; undefined takes a key out. The file is made if need be, for its owner alone.
 * Returns whether any value was another one before.
 * @throws {UsageError} the file is not valid, or cannot be written; it is then as it was
 */
export async function changeConfig(
  path: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  let changed = false;
  try {
    await updateLocked(path, async (canonicalPath) => {
      const after = await editConfigText(await readConfigText(path, canonicalPath), {
        path,
        changes,
      });
      changed = after !== undefined;
      return after;
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Cannot write ${path}: ${reasonOf(error)}. It is as it was.`, {
      cause: error,
    });
  }
  return changed;
}

/** The text with its keys changed; undefined if all of them are so already. */
async function editConfigText(
  file: string,
  { path, changes }: { path: string; changes: Readonly<Record<string, unknown>> },
): Promise<string | undefined> {
  const text = withoutBom(file);
  const before = await parseObject(path, text);
  const options = detectFormatting(text);
  const { applyEdits, modify } = await import("jsonc-parser");
  const changed = Object.entries(changes)
    .filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value));
  if (changed.length === 0) return undefined;
  const after = changed.reduce(
    (edited, [key, value]) => applyEdits(edited, modify(edited, [key], value, options)),
    text,
  );
  await parseConfig(path, after);
  return withBomOf(file, after);
}

/** The text at a place, which errors name as the path that the person knows. */
async function readConfigText(path: string, target: string): Promise<string> {
  try {
    const text = await Deno.readTextFile(target);
    return text.trim() === "" ? "{}\n" : text;
  } catch (error) {
    if (isMissing(error)) return "{}\n";
    throw new UsageError(`Cannot read ${path}: ${reasonOf(error)}.`, { cause: error });
  }
}

/** The indentation and line ends that the file has. */
function detectFormatting(text: string): ModificationOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  return {
    formattingOptions: {
      insertSpaces: !indent.startsWith("\t"),
      tabSize: indent.startsWith("\t") ? 4 : indent.length,
      eol: text.includes("\r\n") ? "\r\n" : "\n",
    },
  };
}
