// deno-lint-ignore-file no-console
/**
 * Bundles ally to `dist/bundle`: `main.js` and, for programs that import ally, `ally.js`, with chunks that load when
 * they are first used; and the files that are read or started instead of imported in `assets`. Run by `deno task bundle [DIRECTORY]`.
 */
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { assetPath, ASSETS, ASSETS_FOLDER } from "../src/lib/assets.ts";
import { findRipgrep } from "../src/lib/ripgrep.ts";
import { nameChunksByContent } from "./chunk_names.ts";
import { deferModules, DEFERRED } from "./deferred_modules.ts";
import { importLazily } from "./lazy_builtins.ts";
import { minifyModules } from "./minify.ts";
import { keepOnlyChat } from "./openai_chat.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Where the bundle is written unless something else is said. */
export const BUNDLE = join(ROOT, "dist", "bundle");

/** What other programs import; no part of the program itself. */
export const LIBRARY = "ally.js";

/** What the bundler writes for packages in CommonJS: it would load a module of Node's at every start. */
const REQUIRE =
  /^import \{ createRequire as (\w+) \} from "node:module";\nvar __require = \1\(import\.meta\.url\);$/m;
/**
 * All packages are in the bundle, so what is still required is a module of Node's: loaded when it is used. A package that
 * asks for one which it can do without is told that it is not there.
 */
const LAZY_REQUIRE = "var __require =\n  (name) => globalThis.process.getBuiltinModule(name) ?? " +
  "(() => { throw new Error(`Cannot find module '${name}'`); })();";

/** What the bundler writes of a package's path: relative to where it ran, through Deno's cache. */
const CACHED_PACKAGE = /(?:\.\.\/)+[^"\n]*?\/registry\.npmjs\.org\//g;

/** Writes the bundle to a directory; what lay there is replaced when all is written. */
export async function bundle(directory: string): Promise<void> {
  await Deno.mkdir(dirname(directory), { recursive: true });
  const fresh = await Deno.makeTempDir({ dir: dirname(directory), prefix: ".bundle-" });
  try {
    await Deno.chmod(fresh, 0o755);
    const entries = ["main.ts", "src/ally.ts", ...DEFERRED].map((name) => join(ROOT, name));
    await runBundler(["--code-splitting", "--outdir", fresh, ...entries]);
    await moveLibrary(fresh);
    await keepOnlyChat(fresh);
    await writeAssets(join(fresh, ASSETS_FOLDER));
    await adaptFiles(fresh);
    await importBuiltinsLazily(fresh);
    await deferModules(fresh);
    await minifyModules(fresh);
    await nameChunksByContent(fresh);
    await Deno.remove(directory, { recursive: true }).catch(() => {});
    await Deno.rename(fresh, directory);
  } catch (error) {
    await Deno.remove(fresh, { recursive: true }).catch(() => {});
    throw error;
  }
}

/** The bundler puts what comes from a folder into a folder; the assets are beside the chunks. */
async function moveLibrary(folder: string): Promise<void> {
  const written = join(folder, "src");
  const text = await Deno.readTextFile(join(written, LIBRARY));
  await Deno.writeTextFile(join(folder, LIBRARY), text.replaceAll('"../', '"./'));
  await Deno.rename(join(written, `${LIBRARY}.map`), join(folder, `${LIBRARY}.map`));
  await Deno.remove(written, { recursive: true });
}

async function writeAssets(folder: string): Promise<void> {
  await Deno.mkdir(folder);
  await Promise.all([
    ...ASSETS.map((name) => writeAsset(assetPath(name), join(folder, name))),
    copyRipgrep(folder),
  ]);
}

/** A module becomes one file that imports nothing; anything else is copied. */
async function writeAsset(source: string, output: string): Promise<void> {
  if (source.endsWith(".ts")) await runBundler(["--output", output, source]);
  else await Deno.copyFile(source, output);
}

/** Where npm has none for this machine, ally searches by itself. */
async function copyRipgrep(folder: string): Promise<void> {
  const program = await findRipgrep();
  if (program !== undefined) await Deno.copyFile(program, join(folder, basename(program)));
}

async function runBundler(args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      "--platform=deno",
      "--sourcemap=external",
      `--config=${join(ROOT, "deno.json")}`,
      ...args,
    ],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`Cannot bundle ally:\n${new TextDecoder().decode(stderr)}`);
}

/** Adapts what the bundler wrote, in a folder and below. */
async function adaptFiles(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) await adaptFiles(path);
    else if (name.endsWith(".js")) await rewrite(path, adaptModule);
    else if (name.endsWith(".js.map")) await rewrite(path, (text) => adaptMap(text, folder));
  }
}

/** In the chunks of ally itself: the assets start processes of their own, in which others' code runs. */
async function importBuiltinsLazily(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".js")) await rewrite(join(folder, name), importLazily);
  }
}

async function rewrite(
  path: string,
  change: (text: string) => string | Promise<string>,
): Promise<void> {
  await Deno.writeTextFile(path, await change(await Deno.readTextFile(path)));
}

/** Makes `require` lazy, and leaves paths of this machine out. */
function adaptModule(text: string): string {
  return text.replace(CACHED_PACKAGE, "npm/").replace(REQUIRE, LAZY_REQUIRE);
}

/**
 * Names the sources as they are in the project: by it `--debug` names the lines of stack traces, which say
 * `src/cli/run.ts` below the bundle. The text of the sources is left out.
 */
function adaptMap(text: string, folder: string): string {
  const { sourcesContent: _, sources, ...map } = JSON.parse(text);
  const names = sources.map((source: string) => sourceName(join(folder, source)));
  return JSON.stringify({ ...map, sources: names });
}

/** A path in the project, or in npm's packages. */
function sourceName(path: string): string {
  const inPackage = path.split("/registry.npmjs.org/")[1];
  return inPackage === undefined ? relative(ROOT, path) : `npm/${inPackage}`;
}

if (import.meta.main) {
  const directory = Deno.args[0] ?? BUNDLE;
  await bundle(directory);
  console.log(`Bundled ${join(directory, "main.js")}`);
}
