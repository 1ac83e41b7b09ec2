/**
 * Keeps what ally stores private: nothing of it may be another user's, and at start access for group and others is taken
 * away from its files. New files are made private at once.
 */
import { join } from "node:path";
import { UsageError } from "../core/errors.ts";
import { listNames, ownUid, tryLstat } from "../lib/fs.ts";
import type { AllyPaths } from "./paths.ts";

/** What ally itself puts into its home; anything else there is not ally's to change. */
export const ALLY_FILES: readonly string[] = [
  "config.json",
  "permissions.json",
  "trust.json",
  "plugins.json",
  "manifests.json",
  "mask.key",
  "mcp.json",
  "mcp",
  "decisions.jsonl",
  "history",
  "projects",
  "plugins",
  "agents",
  "commands",
  "models.json",
  "tips.json",
  "keys",
  "logs",
  "unreviewed",
];
const GROUP_AND_OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Another user can put a file, a directory or a link in ally's way where they may write: in a home of ally's that they
 * made first (`ALLY_HOME` in `/tmp`), or that was open to all once. Whatever is theirs is not used. Root takes what is
 * there: in a container the files are those of a user outside.
 * @throws {UsageError} it names the first that is neither this user's nor root's
 */
export function requireOwnFiles(paths: AllyPaths, uid: number | undefined = ownUid()): void {
  if (uid === undefined || uid === 0) return;
  const { home, project, sessions, patches, snapshots, outputs, receipts, sandbox } = paths;
  const inHome = ALLY_FILES.map((name) => join(home, name));
  const inProject = [project, sessions, patches, snapshots, outputs, receipts, sandbox];
  for (const path of [home, ...inHome, ...inProject]) {
    const owner = ownersOf(path).find((one) => one !== uid && one !== 0);
    if (owner === undefined) continue;
    throw new UsageError(
      `Cannot use ${path}: it belongs to another user (${owner}), who could read and change what ally ` +
        "does. Remove it, make it your own, or set ALLY_HOME to a directory of yours.",
    );
  }
}

/** Whose a path is, and whose what it leads to is if it is a link. */
function ownersOf(path: string): number[] {
  try {
    const { uid, isSymlink } = Deno.lstatSync(path);
    const target = isSymlink ? [Deno.statSync(path).uid] : [];
    return [uid, ...target].flatMap((one) => one ?? []);
  } catch {
    // Missing, or not to be looked at: then nothing is read of it either.
    return [];
  }
}

/** Makes ally's home and this project's folder private; what cannot be changed stays as it is. */
export function makeFilesPrivate(paths: AllyPaths, userHome: string): void {
  if (Deno.build.os === "windows") return;
  // A home that is used for other things too (`/tmp`, the user's own) stays open; ally's files in it do not.
  if (paths.home !== userHome) makePrivate(paths.home);
  for (const name of ALLY_FILES) makePrivate(join(paths.home, name));
  makePrivate(paths.project);
  for (const directory of [paths.patches, paths.snapshots, paths.outputs]) makePrivate(directory);
  // Nobody comes to what lies in a private directory. It is closed last, so that no file is passed over next time.
  if (isPrivate(paths.sessions)) return;
  for (const name of listNames(paths.sessions)) makePrivate(join(paths.sessions, name));
  makePrivate(paths.sessions);
}

function isPrivate(directory: string): boolean {
  const info = tryLstat(directory);
  return info?.isDirectory === true && info.mode !== null && (info.mode & GROUP_AND_OTHERS) === 0;
}

function makePrivate(path: string): void {
  try {
    const { mode, isSymlink } = Deno.lstatSync(path);
    if (mode === null || isSymlink || (mode & STICKY) !== 0 || (mode & GROUP_AND_OTHERS) === 0) {
      return;
    }
    Deno.chmodSync(path, mode & 0o7777 & ~GROUP_AND_OTHERS);
  } catch {
    // Missing, or another user's.
  }
}
