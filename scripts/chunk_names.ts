/**
 * Finds the chunks of a bundle by their sources, and names them by their content. The bundler's own names depend on
 * where the clone and Deno's cache are, and the same source should give the same bytes everywhere.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";

/** A chunk as the bundler names it: what it is called, and eight letters and digits. */
const CHUNK = /^(.+)-([0-9A-Z]{8})\.js$/;

/** The paths of the chunks in a folder that are made of a source, by its path as the maps name it. */
export async function findChunks(
  folder: string,
  isSource: (path: string) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of Deno.readDirSync(folder)) {
    if (!name.endsWith(".js.map")) continue;
    const { sources } = JSON.parse(await Deno.readTextFile(join(folder, name)));
    if (sources.some(isSource)) found.push(join(folder, name.slice(0, -".map".length)));
  }
  return found;
}

/** Renames the chunks in a folder, and every mention of them. @throws {Error} two chunks cannot be told apart */
export async function nameChunksByContent(folder: string): Promise<void> {
  const texts = new Map<string, string>();
  for (const { name } of Deno.readDirSync(folder)) {
    if (/\.js(\.map)?$/.test(name)) texts.set(name, await Deno.readTextFile(join(folder, name)));
  }
  const chunks = [...texts.keys()].filter((name) => CHUNK.test(name));
  // At first a chunk is what it says beside the names of others; then what it says with their first names counts too.
  let names = new Map(chunks.map((name) => [name, ""]));
  for (let round = 0; round < 3; round++) {
    names = new Map(
      chunks.map((name) => [name, nameOf(name, replaceNames(texts.get(name)!, names))]),
    );
  }
  if (new Set(names.values()).size < chunks.length) {
    throw new Error("Cannot name the chunks of the bundle: two have the same content");
  }
  for (const [name, text] of texts) {
    await Deno.remove(join(folder, name));
    texts.set(name, replaceNames(text, names));
  }
  for (const [name, text] of texts) {
    await Deno.writeTextFile(join(folder, replaceNames(name, names)), text);
  }
}

function nameOf(chunk: string, content: string): string {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 8).toUpperCase();
  return chunk.replace(CHUNK, `$1-${hash}.js`);
}

/**
 * Mentions stand in quotes, after a slash, or after the "=" of a source map's address. Only there a name is looked for:
 * the mappings of a source map are megabytes without one of these characters.
 */
function replaceNames(text: string, names: ReadonlyMap<string, string>): string {
  const mention = /(?<=^|[/\s"'`=])[^/\s"'`=]+-[0-9A-Z]{8}\.js\b/g;
  return text.replace(mention, (name) => names.get(name) ?? name);
}
