// deno-lint-ignore-file no-console
/**
 * Packs ally for npm: the bundle, its types, what starts it, completions, and a dependency on npm's Deno of the pinned
 * version. The same source gives the same bytes. Run by `deno task pack`.
 */
import { Command } from "commander";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../deno.json" with { type: "json" };
import { NPM_PACKAGE } from "../src/app/installation.ts";
import { VERSION } from "../src/app/version.ts";
import { ASSETS_FOLDER } from "../src/lib/assets.ts";
import { formatBytes, quoteWord } from "../src/lib/text.ts";
import { bundle, LIBRARY } from "./bundle.ts";
import { declareTypes, SCHEMA_TYPES } from "./declarations.ts";
import { listFiles } from "./install_bundle.ts";
import { PINNED_DENO } from "./pinned_deno.ts";
import { npmBin, START_BUNDLE } from "./shim.ts";
import { type ArchiveFile, packFiles } from "./tarball.ts";

const CLONE = join(dirname(fileURLToPath(import.meta.url)), "..");
const RIPGREP = "@vscode/ripgrep";
/** The systems for which npm has a Deno, but Windows: there npm's shims cannot start a shell script. */
const SYSTEMS = { os: ["darwin", "linux"], cpu: ["arm64", "x64"] } as const;
/** Where the types of the library are, laid out as the source is. */
const TYPES = "types";
/** Files that make a shell complete ally, by the shell's name. */
const COMPLETIONS = { bash: "ally.bash", zsh: "_ally", fish: "ally.fish" } as const;

if (import.meta.main) {
  const { repository } = new Command("deno task pack")
    .description(`Write dist/${NPM_PACKAGE}-${VERSION}.tgz, which npm install -g takes.`)
    .option("--repository <URL>", "where the source is, for the package to name")
    .parse(Deno.args, { from: "user" })
    .opts<{ repository?: string }>();
  const path = await pack({ directory: join(CLONE, "dist"), repository });
  console.log(`Packed ${path} (${formatBytes((await Deno.stat(path)).size)})`);
  console.log(`Install it with: npm install -g ${quoteWord(path)}`);
}

/** Writes the package to a directory; returns its path. */
export async function pack(
  { directory, repository }: { directory: string; repository?: string | undefined },
): Promise<string> {
  const scratch = await Deno.makeTempDir({ prefix: "ally-pack-" });
  try {
    await bundle(scratch);
    const bytes = await packBundle(scratch, repository);
    await Deno.mkdir(directory, { recursive: true });
    const path = join(directory, `${NPM_PACKAGE}-${VERSION}.tgz`);
    await Deno.writeFile(path, bytes);
    return path;
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

/** The package of a bundle. */
export async function packBundle(
  bundle: string,
  repository?: string | undefined,
): Promise<Uint8Array> {
  const text = (content: string) => new TextEncoder().encode(content);
  const documents = ["README.md", "LICENSE"].map((name) => join(CLONE, name));
  // The bundle's own ripgrep is that of this machine; in the package it is a dependency.
  const chunks = (await listFiles(bundle)).filter((file) =>
    !/^rg(\.exe)?$/.test(file.slice(ASSETS_FOLDER.length + 1))
  );
  const files: ArchiveFile[] = [
    { path: "package.json", bytes: text(`${JSON.stringify(packageJson(repository), null, 2)}\n`) },
    { path: "bin/ally", bytes: text(await npmBin()), executable: true },
    ...await Promise.all(chunks.map(async (file) => ({
      path: `bundle/${file}`,
      bytes: await Deno.readFile(join(bundle, file)),
    }))),
    ...declareTypes().map(({ path, text: types }) => ({
      path: `${TYPES}/${path}`,
      bytes: text(types),
    })),
    ...await Promise.all(documents.map(async (file) => ({
      path: basename(file),
      bytes: await Deno.readFile(file),
    }))),
    ...await Promise.all(
      Object.entries(COMPLETIONS).map(async ([shell, name]) => ({
        path: `completions/${name}`,
        bytes: await completions(bundle, shell),
      })),
    ),
  ];
  return await packFiles(files.map((file) => ({ ...file, path: `package/${file.path}` })));
}

function packageJson(repository: string | undefined): Record<string, unknown> {
  const { os, cpu } = SYSTEMS;
  const ripgrep = versionOf(RIPGREP);
  const platforms = os.flatMap((system) => cpu.map((one) => `${RIPGREP}-${system}-${one}`));
  return {
    name: NPM_PACKAGE,
    version: VERSION,
    description: "A coding agent for the terminal, for any OpenAI-compatible model server",
    keywords: ["agent", "ai", "cli", "coding", "llm", "ollama", "terminal"],
    license: manifest.license,
    ...(repository !== undefined && {
      repository: { type: "git", url: `git+${repository}.git` },
      homepage: `${repository}#readme`,
      bugs: `${repository}/issues`,
    }),
    type: "module",
    bin: { ally: "bin/ally" },
    exports: {
      ".": { types: `./${TYPES}/ally.d.ts`, default: `./bundle/${LIBRARY}` },
      "./package.json": "./package.json",
    },
    files: ["bin", "bundle", "completions", TYPES],
    os,
    cpu,
    // npm needs Node to install it; ally itself runs without.
    engines: { node: ">=18" },
    dependencies: { deno: PINNED_DENO, [SCHEMA_TYPES]: versionOf(SCHEMA_TYPES) },
    optionalDependencies: Object.fromEntries(platforms.map((name) => [name, ripgrep])),
  };
}

function versionOf(name: keyof typeof manifest.imports): string {
  return manifest.imports[name].split("@").at(-1)!;
}

async function completions(bundle: string, shell: string): Promise<Uint8Array> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...START_BUNDLE, join(bundle, "main.js"), "completions", shell],
    stdin: "null",
  }).output();
  if (!success) throw new Error(`Cannot make completions: ${new TextDecoder().decode(stderr)}`);
  return stdout;
}
