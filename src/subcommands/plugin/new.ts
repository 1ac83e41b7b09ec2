/**
 * `ally plugin new`: creates a working plugin, in the folder where ally finds it or in one of the author's.
 */
import { join, resolve } from "node:path";
import { UsageError } from "../../core/errors.ts";
import { reasonOf } from "../../lib/fs.ts";
import { quoteWord } from "../../lib/text.ts";
import { readManifest } from "../../plugin_host/manifest.ts";
import type { AllyPaths } from "../../store/paths.ts";
import type { PluginRequest } from "./command.ts";
import { createSkeleton } from "./skeleton.ts";

/** Creates the folder and its files; returns what to do next. @throws {UsageError} why it cannot */
export async function newPlugin(
  { name, directory, language }: Extract<PluginRequest, { what: "new" }>,
  { cwd, paths }: { cwd: string; paths: AllyPaths },
): Promise<string> {
  const folder = directory === undefined ? join(paths.plugins, name) : resolve(cwd, directory);
  const files = createSkeleton(name, language);
  const reading = await readManifest(files["plugin.json"] ?? "", { folder });
  if (!reading.ok) {
    throw new UsageError(
      `Cannot name a plugin '${name}': use at most 40 lower-case letters, digits, - and _, a letter first.`,
    );
  }
  await makeFolder(folder);
  for (const [path, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(folder, path), text, { createNew: true, mode: 0o600 });
  }
  const found = directory === undefined ? "" : ` --plugin-dir ${quoteWord(directory)}`;
  const tool = reading.plugin.tools[0]?.name ?? "";
  return [
    `Made the plugin ${name} in ${folder}`,
    "",
    ...Object.keys(files).map((path) => `  ${path}`),
    "",
    "Next:",
    `  ally plugin test ${quoteWord(directory === undefined ? name : folder)}`,
    `  ally${found} "count the words of: one two three"    ally asks before ${tool} runs`,
    `  ally plugin check ${quoteWord(folder)}`,
  ].join("\n");
}

/** Makes the folder; an existing one must be empty. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    for await (const { name } of Deno.readDir(folder)) {
      throw new UsageError(
        `${folder} is not empty: it holds ${name}. Choose another name or folder.`,
      );
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`Cannot make ${folder}: ${reasonOf(error)}.`, { cause: error });
  }
}
