/**
 * Keeps what a project leaves behind within bounds: removes the oldest sessions, undo patches, outputs of commands and
 * hashes of receipts, and cuts a history that has become too long. By number and size, never by age, because a clock set forward would
 * make everything old at once. Whatever fails is tried again by another run.
 */
import { basename, join } from "node:path";
import { listNames, tryLstat } from "../lib/fs.ts";
import { pruneHistory } from "./history.ts";
import type { AllyPaths } from "./paths.ts";
import { imagesFolder, isInUse } from "./session_file.ts";
import { SessionStore } from "./sessions.ts";

/** What stays of each kind, at most. */
interface Retention {
  readonly count: number;
  /** Bytes of all together; the newest stays however large it is. */
  readonly bytes: number;
}

/** A file that may have to go. */
interface StoredFile {
  readonly path: string;
  readonly size: number;
}

const MAX_SESSION_BYTES = 1e9;
const PATCHES: Retention = { count: 2_000, bytes: 1e9 };
const OUTPUTS: Retention = { count: 200, bytes: 2e9 };
const RECEIPTS: Retention = { count: 1_000, bytes: 1e8 };

const PATCH = /^(\d{6,})(\.undone)?\.json$/;

/** Removes what is beyond the bounds; a session that an ally has open stays. `sessions` is how many are kept. */
export async function prune(
  paths: AllyPaths,
  { sessions }: { sessions: number },
): Promise<void> {
  await pruneSessions(paths.sessions, { count: sessions, bytes: MAX_SESSION_BYTES });
  for (const path of selectExcess(newestPatches(paths.patches), PATCHES)) {
    await remove(path);
  }
  for (const path of selectExcess(newestFiles(paths.outputs), OUTPUTS)) {
    await remove(path);
  }
  for (const path of selectExcess(newestFiles(paths.receipts), RECEIPTS)) {
    await remove(path);
  }
  await pruneHistory(paths.history).catch(() => {});
}

async function pruneSessions(directory: string, retention: Retention): Promise<void> {
  const over = selectExcess(await new SessionStore({ directory }).listByUse(), retention);
  if (over.length === 0) return;
  const names = listNames(directory);
  for (const path of over) {
    if (await isInUse(path)) continue;
    const damaged = `${basename(path)}.damaged`;
    for (const name of names) if (name.startsWith(damaged)) await remove(join(directory, name));
    await remove(path);
    await Deno.remove(imagesFolder(path), { recursive: true }).catch(() => {});
  }
}

function newestPatches(directory: string): StoredFile[] {
  const number = (name: string) => Number(PATCH.exec(name)?.[1] ?? 0);
  const names = listNames(directory).filter((name) => PATCH.test(name));
  return names.sort((a, b) => number(b) - number(a)).map((name) => {
    const path = join(directory, name);
    return { path, size: tryLstat(path)?.size ?? 0 };
  });
}

function newestFiles(directory: string): StoredFile[] {
  const dated = listNames(directory).map((name) => {
    const path = join(directory, name);
    const info = tryLstat(path);
    const [file, size] = [info?.isFile ?? false, info?.size ?? 0];
    return { path, file, size, time: info?.mtime?.getTime() ?? 0 };
  });
  return dated.filter(({ file }) => file).sort((a, b) => b.time - a.time);
}

/** The files beyond the number or the size allowed, given the newest first. */
function selectExcess(newestFirst: readonly StoredFile[], retention: Retention): string[] {
  let total = 0;
  const over: string[] = [];
  for (const [index, { path, size }] of newestFirst.entries()) {
    if (index >= retention.count || (index > 0 && total + size > retention.bytes)) over.push(path);
    else total += size;
  }
  return over;
}

/** What cannot be removed is tried again by the next run. */
async function remove(path: string): Promise<void> {
  await Deno.remove(path).catch(() => {});
}
