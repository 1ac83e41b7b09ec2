/**
 * Brings paths from one state to another: files, links and directories with their permission bits, each
 * replaced atomically, and all put back if one fails.
 */
import * as fs from "node:fs";
import { basename, dirname } from "node:path";
import { DirectoryHandle } from "../lib/directory_handle.ts";
import { anchorFor, errorCode, isMissing, removeFile, StagedFile } from "../lib/fs.ts";
import { signatureOf } from "../lib/path_signature.ts";
import { messageOf } from "../lib/text.ts";
import { type DirectorySide, type FileSide, hasContent, type Side } from "./patch.ts";
import { describePath, type Roots } from "./paths.ts";
import { loadRegular } from "./regular_file.ts";
import { temporaryName } from "./staged_batch.ts";

/** Files staged at once: each holds a directory open. */
const MAX_STAGED = 200;

/** One path on its way from what lies there to something else; null stands for nothing. */
export interface Step {
  readonly path: string;
  readonly from: Side | null;
  readonly to: Side | null;
}

/** Finds the content of a file's side. @throws {Error} it is damaged or gone */
export type ReadContent = (side: FileSide) => Promise<Uint8Array>;

/** What files are restored with. */
interface RestoreOptions {
  readonly roots: Roots;
  readonly read: ReadContent;
  /** Names of temporary files begin with it. */
  readonly token: string;
}

/** Whether a path is in a state. Fields that the state lacks are not compared. */
export async function isInState(path: string, side: Side | null, roots: Roots): Promise<boolean> {
  const stats = lstatIfPresent(path);
  if (stats === undefined || side === null) return stats === undefined && side === null;
  const mode = stats.mode & 0o7777;
  switch (side.kind) {
    case "link":
      return stats.isSymbolicLink() && withHeldDirectory(path, fs.readlinkSync) === side.target;
    case "directory":
      return stats.isDirectory() && (side.mode ?? mode) === mode;
    case "file":
      if (!stats.isFile() || (side.mode ?? mode) !== mode) return false;
      if (side.hash === undefined && side.object === undefined) {
        const signature = signatureOf(path);
        return signature?.size === side.size && signature?.modified === side.modified;
      }
      return hasContent(side, (await loadRegular(describePath(path, roots), roots))!.bytes);
  }
}

/**
 * Takes all steps, or none: whatever fails, what was done is taken back.
 * @throws {Error} with a system code
 */
export async function restore(steps: readonly Step[], options: RestoreOptions): Promise<void> {
  try {
    await applySteps(steps, options);
  } catch (error) {
    const back: Step[] = [];
    for (const { path, from, to } of steps) {
      if (!await isInState(path, from, options.roots)) back.push({ path, from: to, to: from });
    }
    try {
      await applySteps(back, options);
    } catch (second) {
      throw new AggregateError(
        [error, second],
        `${messageOf(error)}; not all could be put back`,
      );
    }
    throw error;
  }
}

/** Removes what a killed process left beside the places of its changes. */
export function removeTemporaryFiles(paths: readonly string[], token: string): void {
  for (const directory of new Set(paths.map((path) => dirname(path)))) {
    for (const name of namesIn(directory)) {
      if (name.startsWith(`.${token}-`)) removeFile(`${directory}/${name}`);
    }
  }
}

/** Removes directories that a change made, the innermost first; what is not empty stays. */
export function removeEmptyDirectories(made: readonly { readonly path: string }[]): void {
  for (const { path } of made.toReversed()) {
    if (lstatIfPresent(path)?.isDirectory()) removeDirectory(path);
  }
}

/**
 * Access first, removals from the innermost out, then directories from the outermost in,
 * then what lies in them, and directories' permissions last.
 */
async function applySteps(steps: readonly Step[], options: RestoreOptions): Promise<void> {
  for (const { path } of steps) makeAccessible(path);
  const inward = steps.toSorted((a, b) => a.path.length - b.path.length);
  using staged = new StagedSteps(options);
  // Contents are staged before anything is touched, so that a full disk changes nothing.
  for (const step of inward.slice(0, MAX_STAGED)) {
    if (lstatIfPresent(dirname(step.path))?.isDirectory() && needsContent(step)) {
      await staged.add(step);
    }
  }
  for (const step of inward.toReversed()) if (step.to?.kind !== step.from?.kind) remove(step);
  for (const { path, to } of inward) if (to?.kind === "directory") makeDirectory(path);
  for (const step of inward) {
    if (step.to?.kind === "link") makeLink(step.path, { target: step.to.target, ...options });
    else if (needsContent(step)) await staged.publish(step);
    else if (step.to?.kind === "file") changeMode(step.path, step.to.mode);
  }
  staged.sync();
  // Last, because a directory may become read-only.
  for (const { path, to } of inward.toReversed()) {
    if (to?.kind === "directory") changeMode(path, to.mode);
  }
}

/** Staged contents of steps; dispose of it to remove those that were not published. */
class StagedSteps {
  readonly #options: RestoreOptions;
  readonly #files = new Map<Step, StagedFile>();
  readonly #published = new Set<string>();
  #count = 0;

  constructor(options: RestoreOptions) {
    this.#options = options;
  }

  async add(step: Step): Promise<StagedFile> {
    const file = await stageStep(step, { ...this.#options, index: this.#count++ });
    this.#files.set(step, file);
    return file;
  }

  async publish(step: Step): Promise<void> {
    const file = this.#files.get(step) ?? await this.add(step);
    file.publish();
    this.#files.delete(step);
    file[Symbol.dispose]();
    this.#published.add(dirname(step.path));
  }

  /** Makes all that was published durable, each directory once. */
  sync(): void {
    for (const path of this.#published) {
      using directory = DirectoryHandle.open(path);
      directory.sync();
    }
  }

  [Symbol.dispose](): void {
    for (const file of this.#files.values()) file[Symbol.dispose]();
  }
}

/** Whether a step writes a file's content, not only its permission bits. */
function needsContent({ from, to }: Step): boolean {
  if (to?.kind !== "file") return false;
  return from?.kind !== "file" || from.object === undefined || from.object !== to.object;
}

async function stageStep(
  step: Step,
  { read, token, index }: RestoreOptions & { index: number },
): Promise<StagedFile> {
  const side = step.to as FileSide;
  const now = lstatIfPresent(step.path);
  const attributes = now?.isFile()
    ? { mode: now.mode & 0o7777, owner: { uid: now.uid, gid: now.gid } }
    : {};
  return await StagedFile.write(step.path, await read(side), {
    ...attributes,
    ...(side.mode !== undefined && { mode: side.mode }),
    temporary: temporaryName(token, index),
  });
}

function remove({ path }: Step): void {
  const stats = lstatIfPresent(path);
  if (stats === undefined) return;
  if (stats.isDirectory()) removeDirectory(path);
  else removeFile(path);
}

/** Removes a directory unless it holds files that are not part of the change. */
function removeDirectory(path: string): void {
  try {
    withHeldDirectory(path, fs.rmdirSync);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
  }
}

/** Gives the owner access to a directory while the steps are applied. */
function makeAccessible(path: string): void {
  const stats = lstatIfPresent(path);
  if (stats?.isDirectory() && (stats.mode & 0o700) !== 0o700) {
    changeMode(path, (stats.mode & 0o7777) | 0o700);
  }
}

function makeDirectory(path: string): void {
  if (!lstatIfPresent(path)?.isDirectory()) {
    DirectoryHandle.open(path, { create: true })[Symbol.dispose]();
  }
}

function makeLink(path: string, { target, token }: { target: string; token: string }): void {
  const name = temporaryName(token, "link");
  using directory = DirectoryHandle.open(dirname(path), { create: true, anchor: anchorFor(name) });
  const temporary = directory.entry(name);
  fs.rmSync(temporary, { force: true });
  fs.symlinkSync(target, temporary);
  fs.renameSync(temporary, directory.entry(basename(path)));
  directory.sync();
}

function changeMode(path: string, mode: DirectorySide["mode"]): void {
  if (mode === undefined) return;
  using directory = DirectoryHandle.open(dirname(path));
  directory.chmod(basename(path), mode);
}

/** What lies at a path, no link followed; undefined if nothing does. */
function lstatIfPresent(path: string): fs.Stats | undefined {
  try {
    return withHeldDirectory(path, (entry) => fs.lstatSync(entry));
  } catch (error) {
    if (isMissing(error) || errorCode(error) === "ELOOP") return undefined;
    throw error;
  }
}

function namesIn(directory: string): string[] {
  try {
    return withHeldDirectory(`${directory}/.`, fs.readdirSync as (path: string) => string[]);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Does something with a path while its directory is held open, so that no link is followed on the way. */
function withHeldDirectory<T>(path: string, act: (entry: string) => T): T {
  using directory = DirectoryHandle.open(dirname(path));
  return act(directory.entry(basename(path)));
}
