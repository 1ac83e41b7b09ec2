/**
 * Sockets in the workspace at which programs outside of the sandbox listen. The kernel's table does not tell all of
 * them: one may have been bound by a relative name, got another name since, or belong to a container. So the files are
 * looked at, where the workspace is walked anyway, and tried until somebody listens: a program binds a socket first.
 */
import { childPath, directoriesIn, PORTABLE, socketsIn } from "../lib/directory_listing.ts";
import { tryLstat } from "../lib/fs.ts";

/** Sockets that are tried before a command; of the others it is believed that somebody listens. */
const MAX_TRIED = 50;

/** Knows the sockets of a workspace. */
export class WorkspaceSockets {
  /** What they are, by what they are on the disk; somebody's outside may come to be one at which they listen. */
  readonly #known = new Map<string, "own" | "outside" | "open">();
  #paths: readonly string[] = [];

  /** Those at which somebody outside listens. */
  get paths(): readonly string[] {
    return this.#paths;
  }

  /** Takes in what there is; new ones may be a command's own, if one was running. */
  async note(paths: readonly string[], { areOwn }: { areOwn: boolean }): Promise<void> {
    const open: string[] = [];
    let tried = 0;
    for (const path of paths) {
      const info = tryLstat(path);
      if (!info?.isSocket) continue;
      const id = `${info.dev}:${info.ino}:${info.ctime?.getTime()}`;
      let kind = this.#known.get(id) ?? (areOwn ? "own" : "outside");
      if (kind === "outside" && (tried++ >= MAX_TRIED || await answers(path))) kind = "open";
      this.#known.set(id, kind);
      if (kind === "open") open.push(path);
    }
    this.#paths = open;
  }
}

/** Directories of git's own in which it keeps much, and no program a socket. */
const GITS_OWN = ["objects", "refs", "logs", "hooks", "info", "modules", "worktrees", "lfs"];
/** Directories that are looked into, of all repositories together. */
const MAX_DIRECTORIES = 1000;

/** The paths of sockets that programs keep beside what is git's in its directories, as git-annex those of its logins. */
export function socketsBesideGit(directories: readonly string[]): string[] {
  const own = new Set(directories.flatMap((path) => GITS_OWN.map((name) => childPath(path, name))));
  const waiting = [...directories];
  const found: string[] = [];
  for (let at = 0; at < Math.min(waiting.length, MAX_DIRECTORIES); at++) {
    const directory = waiting[at]!;
    using listing = PORTABLE.open(directory);
    if (listing === undefined) continue;
    found.push(...socketsIn(listing).map((name) => childPath(directory, name)));
    const inner = directoriesIn(listing).map((name) => childPath(directory, name));
    waiting.push(...inner.filter((path) => !own.has(path)));
  }
  return found;
}

/** Whether somebody listens; true where that cannot be found out. */
async function answers(path: string): Promise<boolean> {
  try {
    using _ = await Deno.connect({ transport: "unix", path });
    return true;
  } catch (error) {
    // Nobody does: the file is what a program left that has ended.
    return !(error instanceof Deno.errors.ConnectionRefused);
  }
}
