/**
 * What commands have changed so far while they run, with what was there before: an ally that is killed meanwhile can
 * record nothing, and the next one does it. Kept in a file that is locked as long as this process lives; it is made with
 * the first change, and gone when the commands have ended.
 */
import { join } from "node:path";
import { isMissing, isOwnFile, listNames } from "../lib/fs.ts";
import { parseJson } from "../lib/json_text.ts";
import { unlockAndClose } from "../lib/locked_file.ts";
import { isObject } from "../lib/schema.ts";
import type { Side } from "./patch.ts";

/** A command that runs, as its patch will name it. */
export interface JournaledCommand {
  readonly tool: string;
  readonly call_id: string;
  readonly command: string;
}

/** A path that has changed, as it was before. */
export interface JournaledPath {
  readonly path: string;
  readonly before: Side | null;
  /** Set if a directory came or went there: what was below it is noted too, and anything else there is new. */
  readonly isReplaced?: true;
  /** Set if what was done there before is no command's, or recorded: what was noted of the path does not count. */
  readonly isRenewed?: true;
}

/** What a journal holds. */
export interface JournalContents {
  readonly commands: readonly JournaledCommand[];
  readonly paths: ReadonlyMap<string, Side | null>;
  /** Those at which a directory came or went. */
  readonly replaced: ReadonlySet<string>;
  /** Whether not all changes are in it. */
  readonly isCut: boolean;
}

/** The journal of this process. */
export class CommandJournal {
  readonly #directory: string;
  readonly #commands: JournaledCommand[] = [];
  #open: { readonly path: string; readonly file: Deno.FsFile } | undefined;
  /** Paths, with whether a directory came or went there. */
  readonly #noted = new Map<string, boolean>();
  #isCut = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  begin(command: JournaledCommand): void {
    this.#commands.push(command);
    if (this.#open) this.#append([command]);
  }

  /** Notes what was there before; of each path the first counts. Never throws. */
  note(paths: readonly JournaledPath[]): void {
    const fresh = paths.filter(({ path, isReplaced = false }) => this.#isNew(path, isReplaced));
    for (const { path, isReplaced = false } of fresh) this.#noted.set(path, isReplaced);
    if (fresh.length > 0) this.#append(fresh);
  }

  /** Notes what is there now, instead of what was noted. Never throws. */
  renew(paths: readonly Pick<JournaledPath, "path" | "before">[]): void {
    if (this.#noted.size > 0) this.#append(paths.map((one) => ({ ...one, isRenewed: true })));
  }

  /** Whether this has not been noted of a path. */
  #isNew(path: string, isReplaced: boolean): boolean {
    const known = this.#noted.get(path);
    return known === undefined || (isReplaced && !known);
  }

  /** Notes that changes are missing. */
  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#append([{ cut: true }]);
  }

  /** Notes that a command has ended. */
  end(command: JournaledCommand): void {
    const at = this.#commands.indexOf(command);
    if (at >= 0) this.#commands.splice(at, 1);
  }

  /** Forgets what is recorded now. */
  forget(): void {
    this.#noted.clear();
    this.#isCut = false;
    if (this.#open) removeQuietly(this.#open.path);
    this.close();
  }

  /** Leaves it to another ally to record what is noted. */
  close(): void {
    if (this.#open) unlockAndClose(this.#open.file);
    this.#open = undefined;
  }

  #append(lines: readonly unknown[]): void {
    try {
      const begins = this.#open === undefined;
      const { file } = this.#open ??= openJournal(this.#directory);
      const all = begins ? [...this.#commands, ...lines] : lines;
      const bytes = new TextEncoder().encode(all.map((one) => `${JSON.stringify(one)}\n`).join(""));
      for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    } catch {
      // On a full disk, say: what the command does can be undone once it has ended.
    }
  }
}

function openJournal(directory: string) {
  Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `${Deno.pid}-${crypto.randomUUID().slice(0, 8)}.jsonl`);
  const file = Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
  file.tryLockSync(true);
  return { path, file };
}

/** The journals of processes that are no more; each is to be removed when it has been recorded. */
export async function findAbandonedJournals(
  directory: string,
): Promise<(JournalContents & { readonly remove: () => void })[]> {
  const found = [];
  for (const name of listNames(directory)) {
    const path = join(directory, name);
    const file = await Deno.open(path, { read: true, write: true }).catch(() => undefined);
    if (file === undefined) continue;
    if (!isOwnFile(await file.stat()) || !await file.tryLock(true)) {
      file.close();
      continue;
    }
    const text = await Deno.readTextFile(path).catch((error) => {
      if (isMissing(error)) return "";
      throw error;
    });
    const remove = () => {
      removeQuietly(path);
      unlockAndClose(file);
    };
    found.push({ ...parseJournal(text), remove });
  }
  return found;
}

/** A line that was not written to its end is left out. */
function parseJournal(text: string): JournalContents {
  const commands: JournaledCommand[] = [];
  const paths = new Map<string, Side | null>();
  const replaced = new Set<string>();
  let isCut = false;
  for (const line of text.split("\n").map((one) => parseJson(one))) {
    if (!isObject(line)) continue;
    if (typeof line.command === "string") commands.push(line as unknown as JournaledCommand);
    else if (typeof line.path === "string") {
      const counts = line.isRenewed === true || !paths.has(line.path);
      if (counts) paths.set(line.path, line.before as Side | null);
      if (line.isReplaced === true) replaced.add(line.path);
    } else isCut ||= line.cut === true;
  }
  return { commands, paths, replaced, isCut };
}

function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It is gone.
  }
}
