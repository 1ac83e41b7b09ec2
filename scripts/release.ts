// deno-lint-ignore-file no-console
/**
 * Makes everything a release has, of the version in `deno.json`: the npm package, an executable for each system, their
 * checksums, and the notes from the changelog. What cannot be made is named with the reason, and the rest is made.
 * Run by `deno task release`.
 */
import { Command } from "commander";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { NPM_PACKAGE } from "../src/app/installation.ts";
import { VERSION } from "../src/app/version.ts";
import { sha256 } from "../src/lib/fs.ts";
import { formatBytes, messageOf } from "../src/lib/text.ts";
import { bundle } from "./bundle.ts";
import { findSection } from "./changelog.ts";
import { compileBundle } from "./compile.ts";
import { packBundle } from "./pack.ts";
import { packFiles } from "./tarball.ts";

const CLONE = join(dirname(fileURLToPath(import.meta.url)), "..");
/** Systems that get an executable, as `rustc` names them. */
const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
] as const;
const NPM_FILE = `${NPM_PACKAGE}-${VERSION}.tgz`;
const SUMS_FILE = "SHA256SUMS";
const NOTES_FILE = "NOTES.md";

/** A file of the release: how it is made, or why it was not. */
interface Artifact {
  readonly name: string;
  make(): Promise<Uint8Array>;
}

interface ReleaseFlags {
  readonly out: string;
  readonly tag?: string;
  readonly repository?: string;
  readonly dryRun?: boolean;
}

const flags = new Command("deno task release")
  .description(
    `Make the release ${VERSION}, the version in deno.json: the npm package, executables\n` +
      `for ${TARGETS.length} systems, ${SUMS_FILE}, and ${NOTES_FILE} from the changelog.`,
  )
  .option("--out <DIR>", "where the files go; they must not be there yet", "dist/release")
  .option("--tag <TAG>", "the tag this is run for: it must be v and the version")
  .option("--repository <URL>", "where the source is, for the package to name")
  .option("--dry-run", "check version, tag and changelog, and list what would be made")
  .addHelpText(
    "after",
    `
Deno downloads its runtime for each system; DENORT_BIN names one for this
machine's own.
Exit codes: 0 all was made, 1 something could not be made, 2 it must not be released so.`,
  )
  .parse(Deno.args, { from: "user" })
  .opts<ReleaseFlags>();

Deno.exitCode = await release(flags);

async function release({ out, tag, repository, dryRun = false }: ReleaseFlags): Promise<number> {
  const changelog = await Deno.readTextFile(join(CLONE, ".github", "CHANGELOG.md"));
  const section = findSection(changelog, VERSION);
  const problem = findProblem(section, tag);
  if (section === undefined || problem !== undefined) {
    console.error(`Cannot release ${VERSION}: ${problem}`);
    return 2;
  }
  const directory = resolve(Deno.env.get("INIT_CWD") ?? ".", out);
  if (dryRun) {
    console.log(`Would make, in ${directory}:`);
    const names = [NPM_FILE, ...TARGETS.map(archiveName), SUMS_FILE, NOTES_FILE];
    for (const name of names) console.log(`  ${name}`);
    return 0;
  }
  await Deno.mkdir(directory, { recursive: true });
  const scratch = await Deno.makeTempDir({ prefix: "ally-release-" });
  try {
    console.log("Bundling");
    await bundle(join(scratch, "bundle"));
    const made = await makeAll(listArtifacts(scratch, repository), directory);
    const sums = [...made.files].map(([name, sum]) => `${sum}  ${name}\n`).join("");
    await Deno.writeTextFile(join(directory, SUMS_FILE), sums);
    await Deno.writeTextFile(join(directory, NOTES_FILE), `${section.text}\n`);
    console.log(`Made ${made.files.size} files of ${VERSION} in ${directory}`);
    for (const { name, why } of made.missing) console.error(`Not made: ${name}: ${why}`);
    return made.missing.length === 0 ? 0 : 1;
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

/** Why this must not be released. */
function findProblem(
  section: ReturnType<typeof findSection>,
  tag: string | undefined,
): string | undefined {
  if (section === undefined) {
    return `.github/CHANGELOG.md has no section "## ${VERSION}". Write what has changed.`;
  }
  if (tag === undefined) return undefined;
  if (tag !== `v${VERSION}`) {
    return `the tag is ${tag}, and deno.json says ${VERSION}. Change one of them.`;
  }
  return /^\d{4}-\d{2}-\d{2}$/.test(section.date)
    ? undefined
    : `its section in .github/CHANGELOG.md says "${section.date}". Put the date there.`;
}

function listArtifacts(scratch: string, repository: string | undefined): Artifact[] {
  const folder = join(scratch, "bundle");
  return [
    { name: NPM_FILE, make: () => packBundle(folder, repository) },
    ...TARGETS.map((target): Artifact => ({
      name: archiveName(target),
      async make() {
        const output = join(scratch, target, executableName(target));
        const denort = target === Deno.build.target ? Deno.env.get("DENORT_BIN") : undefined;
        const { success, text } = await compileBundle({ bundle: folder, output, target, denort });
        if (!success) throw new Error(reasonOf(text));
        return await packExecutable(output);
      },
    })),
  ];
}

/** Makes one after the other, and goes on where one cannot be made. */
async function makeAll(artifacts: readonly Artifact[], directory: string) {
  /** SHA-256 by name. */
  const files = new Map<string, string>();
  const missing: { readonly name: string; readonly why: string }[] = [];
  for (const { name, make } of artifacts) {
    try {
      const bytes = await make();
      await Deno.writeFile(join(directory, name), bytes, { createNew: true });
      files.set(name, sha256(bytes));
      console.log(`${name} (${formatBytes(bytes.length)})`);
    } catch (error) {
      missing.push({ name, why: messageOf(error) });
    }
  }
  return { files, missing };
}

/** An archive, because a download loses the permission to be executed. */
async function packExecutable(path: string): Promise<Uint8Array> {
  const documents = ["LICENSE", "README.md"].map((name) => join(CLONE, name));
  const read = async (file: string) => ({ path: basename(file), bytes: await Deno.readFile(file) });
  return await packFiles([
    { ...await read(path), executable: true },
    ...await Promise.all(documents.map(read)),
  ]);
}

function archiveName(target: string): string {
  return `ally-${VERSION}-${target}.tar.gz`;
}

function executableName(target: string): string {
  return target.includes("windows") ? "ally.exe" : "ally";
}

/** What Deno's report of a failure comes to: the first cause that names an address, else its first line. */
function reasonOf(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/^\s*\d+: |^error: /, ""));
  return lines.find((line) => /https?:/.test(line) && !line.startsWith("Download ")) ??
    lines.find((line) => line.trim() !== "") ?? "deno compile said nothing";
}
