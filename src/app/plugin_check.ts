/**
 * Checks a plugin's folder without running anything of it, for `ally plugin check` and before an installation.
 */
import { delimiter, isAbsolute, join } from "node:path";
import { isMissing } from "../lib/fs.ts";
import { messageOf, positionAt } from "../lib/text.ts";
import { hashFolder } from "../plugin_host/folder_hash.ts";
import { readManifest } from "../plugin_host/manifest.ts";
import type { Plugin } from "../plugin_host/plugin.ts";

/** One thing wrong. */
interface PluginProblem {
  /** Relative to the plugin's folder; "" for the folder itself. */
  readonly file: string;
  /** 1-based; absent if it concerns the whole file. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** The result of a check; a plugin with problems is there as far as it could be read. */
export interface PluginCheck {
  readonly plugin?: Plugin;
  /** Of all its files; absent if they cannot be read. */
  readonly hash?: string;
  readonly problems: readonly PluginProblem[];
}

/** Checks a plugin's folder (absolute); `path` is the PATH on which programs are looked up. */
export async function checkPlugin(
  folder: string,
  { path }: { path: string },
): Promise<PluginCheck> {
  let text: string;
  let real: string;
  try {
    real = await Deno.realPath(folder);
    text = await Deno.readTextFile(join(real, "plugin.json"));
  } catch (error) {
    const message = isMissing(error) ? "there is no plugin.json" : messageOf(error);
    return { problems: [{ file: "plugin.json", message }] };
  }
  const reading = await readManifest(text, { folder: real });
  if (!reading.ok) {
    return { problems: reading.problems.map((one) => ({ file: "plugin.json", ...one })) };
  }
  const { plugin } = reading;
  const { repeatedKeys } = await import("../plugin_host/manifest_lines.ts");
  const keys = repeatedKeys(text).map((one) => ({ file: "plugin.json", ...one }));
  const problems = [...keys, ...await findMissingPrograms(plugin, { text, path })];
  try {
    return { plugin, hash: await hashFolder(real), problems };
  } catch (error) {
    return { plugin, problems: [...problems, { file: "", message: messageOf(error) }] };
  }
}

/** "plugin.json:12:5: ..." */
export function formatProblem({ file, line, column, message }: PluginProblem): string {
  const position = [file, line, column].filter((one) => one !== undefined && one !== "").join(":");
  return position === "" ? message : `${position}: ${message}`;
}

/** Modules that do not exist, and programs that are not installed. */
async function findMissingPrograms(
  { folder, tools }: Plugin,
  { text, path }: { text: string; path: string },
): Promise<PluginProblem[]> {
  const problems: PluginProblem[] = [];
  for (const { name, program } of tools) {
    const target = program.kind === "module" ? program.module : program.command;
    const own = program.kind === "module" || (target.includes("/") && !isAbsolute(target));
    const there = own
      ? await isFile(join(folder, target))
      : isAbsolute(target)
      ? await isFile(target)
      : await isAnyFile(path.split(delimiter).map((one) => join(one, target)));
    if (there) continue;
    const what = own ? `there is no file ${target}` : `there is no program ${target} here`;
    problems.push({ file: "plugin.json", ...lineOf(text, target), message: `${name}: ${what}` });
  }
  return problems;
}

/** The line of a name in the manifest; the first one, if there are several. */
function lineOf(text: string, name: string): { line?: number } {
  const index = text.indexOf(JSON.stringify(name));
  return index < 0 ? {} : { line: positionAt(text, index).line };
}

async function isFile(path: string): Promise<boolean> {
  return await Deno.stat(path).then((stats) => stats.isFile, () => false);
}

async function isAnyFile(paths: readonly string[]): Promise<boolean> {
  for (const path of paths) if (await isFile(path)) return true;
  return false;
}
