/**
 * Installs a bundle with its Deno below a root: first the folder of the version, complete, then the shim by one
 * rename. An ally that runs goes on: its chunks are read when they are used, so the folder of its version stays until
 * nothing runs from it.
 */
import { createHash } from "node:crypto";
import { basename, dirname, join, relative } from "node:path";
import {
  findMissingDirectories,
  inspectShim,
  type InstalledVersion,
  type InstallRecord,
  listInstalledVersions,
  RECORD_NAME,
  removeEmptyDirectories,
  removeVersion,
} from "../src/app/install_record.ts";
import { exists, listNames } from "../src/lib/fs.ts";
import { isAlive } from "../src/lib/process.ts";
import { formatBytes, messageOf } from "../src/lib/text.ts";
import { denoName, type FoundDeno } from "./pinned_deno.ts";
import { copyProgram, writeProgram } from "./program_file.ts";
import { type ShimTarget, START_BUNDLE, unixShim, windowsShim } from "./shim.ts";

/** What is installed, and where. */
export interface InstallOptions {
  /** Absolute. */
  readonly root: string;
  readonly version: string;
  /** The folder of `main.js`, its chunks and its assets. */
  readonly bundle: string;
  readonly deno: FoundDeno;
  /** Further files, for the folder of the version itself. */
  readonly documents: readonly string[];
  /** Is told what is done. */
  readonly say: (line: string) => void;
}

/** An installation that was not made; nothing has changed. */
export class InstallError extends Error {}

/** Before the id of the process that writes there. */
const STAGING = ".new-";

/** Installs it; returns what now is there. @throws {InstallError} why it cannot */
export async function installBundle(options: InstallOptions): Promise<InstalledVersion> {
  const { root, say } = options;
  const share = join(root, "share", "ally");
  const shim = join(root, "bin", Deno.build.os === "windows" ? "ally.cmd" : "ally");
  if (inspectShim(shim) === "foreign") {
    throw new InstallError(
      `${shim} is there and was not put there by this task. Remove it, or choose another place with --root DIR.`,
    );
  }
  const before = listInstalledVersions(share);
  const made = [dirname(shim), share].flatMap(findMissingDirectories);
  const record: Omit<InstallRecord, "files"> = {
    version: options.version,
    build: await hashBuild(options),
    root,
    shim,
    directories: [
      ...new Set([...made, ...before.flatMap((version) => version.record.directories)]),
    ],
  };
  try {
    for (const directory of [dirname(shim), share]) {
      await Deno.mkdir(directory, { recursive: true });
    }
    removeAbandoned(share);
    const same = before.find((version) => version.record.build === record.build);
    const installed = same !== undefined && isComplete(same)
      ? same
      : await copyVersion(share, { ...options, record });
    if (installed === same) say(`ally ${options.version} is there already, in ${same.directory}.`);
    await writeShim(shim, targetIn(installed.directory));
    removeOthers(before.filter(({ directory }) => directory !== installed.directory), say);
    return installed;
  } catch (error) {
    removeEmptyDirectories(made);
    if (error instanceof InstallError) throw error;
    throw new InstallError(explainFailure(error, root), { cause: error });
  }
}

/** Copies everything to a folder of its own, tries it, and gives the folder its name. */
async function copyVersion(
  share: string,
  options: InstallOptions & { readonly record: Omit<InstallRecord, "files"> },
): Promise<InstalledVersion> {
  const { bundle, deno, documents, record, say } = options;
  const staging = join(share, `${STAGING}${Deno.pid}`);
  try {
    await Deno.mkdir(staging);
    const { size } = await Deno.stat(deno.path);
    say(`Copying the bundle and Deno ${deno.version} (${formatBytes(size)})`);
    await copyTree(bundle, join(staging, "bundle"));
    await copyProgram(deno.path, join(staging, denoName()));
    for (const path of documents) await Deno.copyFile(path, join(staging, basename(path)));
    const files = await listFiles(staging);
    const text = JSON.stringify({ ...record, files } satisfies InstallRecord, null, 2);
    await Deno.writeTextFile(join(staging, RECORD_NAME), `${text}\n`);
    await tryVersion(targetIn(staging), record.version);
    const directory = join(share, freeName(share, record));
    await Deno.rename(staging, directory);
    return { directory, record: { ...record, files } };
  } catch (error) {
    await Deno.remove(staging, { recursive: true }).catch(() => {});
    throw error;
  }
}

/** The version, if nothing has that name: what runs from there must not change. */
function freeName(share: string, { version, build }: Pick<InstallRecord, "version" | "build">) {
  const plain = [version, `${version}-${build.slice(0, 8)}`];
  const numbered = Array.from({ length: 100 }, (_, index) => `${plain[1]}.${index + 2}`);
  const free = [...plain, ...numbered].find((name) => !exists(join(share, name)));
  if (free === undefined) throw new InstallError(`${share} is full of versions. Remove some.`);
  return free;
}

function targetIn(directory: string): ShimTarget {
  return { deno: join(directory, denoName()), main: join(directory, "bundle", "main.js") };
}

/** Whether all files of a version are still there. */
function isComplete({ directory, record }: InstalledVersion): boolean {
  return record.files.every((file) => exists(join(directory, file)));
}

/** @throws {InstallError} what was copied does not start */
async function tryVersion({ deno, main }: ShimTarget, version: string): Promise<void> {
  const { stdout, stderr } = await new Deno.Command(deno, {
    args: [...START_BUNDLE, main, "--version"],
    cwd: dirname(main),
    env: { DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (decoder.decode(stdout).trim() === version) return;
  throw new InstallError(`The copied ally does not start: ${decoder.decode(stderr).trim()}`);
}

/** Puts the shim in its place by a rename, so that there is one at every moment. */
async function writeShim(shim: string, target: ShimTarget): Promise<void> {
  const temporary = `${shim}.${Deno.pid}.tmp`;
  const text = Deno.build.os === "windows" ? windowsShim(target) : unixShim(target);
  try {
    await writeProgram(temporary, text);
    await Deno.rename(temporary, shim);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
}

/** Removes the other versions that nothing runs from. */
function removeOthers(others: readonly InstalledVersion[], say: (line: string) => void): void {
  if (others.length === 0) return;
  const running = commandLines();
  for (const other of others) {
    const { directory, record: { version } } = other;
    if (running.some((line) => line.includes(join(directory, "bundle")))) {
      say(`An ally still runs from ${directory}; the next install removes it.`);
      continue;
    }
    const leftovers = removeVersion(other);
    if (leftovers.length === 0) say(`Removed ally ${version} from ${directory}`);
    for (const { path, why } of leftovers) say(`Cannot remove ${path}: ${why}`);
  }
}

/** The command lines of all processes, as far as the system shows them. */
function commandLines(): string[] {
  if (Deno.build.os === "linux") {
    return listNames("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
      try {
        return [Deno.readTextFileSync(`/proc/${pid}/cmdline`)];
      } catch {
        // It has ended.
        return [];
      }
    });
  }
  // Windows itself keeps the files of what runs.
  if (Deno.build.os === "windows") return [];
  const { stdout } = new Deno.Command("/bin/ps", { args: ["-A", "-ww", "-o", "command="] })
    .outputSync();
  return new TextDecoder().decode(stdout).split("\n");
}

/** Removes what installs left that were killed. */
function removeAbandoned(share: string): void {
  for (const name of listNames(share).filter((one) => one.startsWith(STAGING))) {
    if (isAlive(Number(name.slice(STAGING.length)))) continue;
    Deno.removeSync(join(share, name), { recursive: true });
  }
}

async function hashBuild({ bundle, deno, documents }: InstallOptions): Promise<string> {
  const hash = createHash("sha256").update(`${deno.version}\0${START_BUNDLE.join(" ")}`);
  const files = (await listFiles(bundle)).map((file) => join(bundle, file));
  for (const path of [...files, ...documents]) {
    const bytes = await Deno.readFile(path);
    hash.update(`\0${relative(bundle, path)}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}

async function copyTree(from: string, to: string): Promise<void> {
  for (const file of await listFiles(from)) {
    await Deno.mkdir(dirname(join(to, file)), { recursive: true });
    await Deno.copyFile(join(from, file), join(to, file));
  }
}

/** All files below a directory, sorted, with slashes. */
export async function listFiles(directory: string): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    if (!isDirectory) files.push(name);
    else {
      const inner = await listFiles(join(directory, name));
      files.push(...inner.map((file) => `${name}/${file}`));
    }
  }
  return files.sort();
}

function explainFailure(error: unknown, root: string): string {
  const what = `Cannot install below ${root}: ${messageOf(error)}.`;
  if (error instanceof Deno.errors.PermissionDenied) {
    return `${what} Choose a place of yours with --root DIR.`;
  }
  return /os error 28\b|ENOSPC/.test(messageOf(error))
    ? `${what} The disk is full; nothing was changed.`
    : `${what} Nothing was changed.`;
}
