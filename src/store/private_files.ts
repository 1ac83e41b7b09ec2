/**
 * Keeps what ally stores private: at start, access for group and others is taken away from its files. New files are
 * made private at once.
 */
import { join } from "node:path";
import { listNames } from "../lib/fs.ts";
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
];
const GROUP_AND_OTHERS = 0o077;
const STICKY = 0o1000;

/** Makes ally's home and this project's folder private; what cannot be changed stays as it is. */
export function makeFilesPrivate(paths: AllyPaths, userHome: string): void {
  if (Deno.build.os === "windows") return;
  // A home that is used for other things too (`/tmp`, the user's own) stays open; ally's files in it do not.
  if (paths.home !== userHome) makePrivate(paths.home);
  for (const name of ALLY_FILES) makePrivate(join(paths.home, name));
  makePrivate(paths.project);
  for (const directory of [paths.sessions, paths.patches, paths.snapshots, paths.outputs]) {
    makePrivate(directory);
  }
  for (const name of listNames(paths.sessions)) makePrivate(join(paths.sessions, name));
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
