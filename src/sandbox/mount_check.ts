/**
 * Whether the mounts of a sandbox are those that were decided. They are made by their paths a moment later, and what
 * runs in the workspace meanwhile may have put a link in the place of a directory: then another one is shown, or made
 * writable. The first shell of the sandbox compares, before it runs anything, what the kernel says of each. Of a sandbox
 * that was made before its command was known, ally compares what its mounts were made of.
 */
import { contains } from "../lib/contains.ts";
import { tryLstat } from "../lib/fs.ts";
import { quoteWord } from "../lib/text.ts";
import { contentStamp, identityOf, isFresh, kindOf } from "./inspect.ts";
import { isOpen, type Mount } from "./mount.ts";

/** What the kernel says of the mounts of a process. */
const MOUNT_TABLE = "/proc/self/mountinfo";
/** What is said where they are others. */
export const EXCHANGED = "a place of the workspace was exchanged meanwhile";
/** Programs that print a file, none of which lies in a workspace. */
const PRINTERS = ["/bin/cat", "/usr/bin/cat", "/run/current-system/sw/bin/cat"];

/** One mount that ally itself sees. */
interface HostMount {
  /** Its number, as the kernel writes it. */
  readonly device: string;
  /** What of its disk it shows, encoded as all paths are there. */
  readonly root: string;
  readonly path: string;
}

/** Of these mounts those that lie in a place which others may write. */
export function changeableMounts(mounts: readonly Mount[]): Mount[] {
  const open = mounts.filter(isOpen);
  return mounts.filter(({ path }) =>
    open.some((one) => one.path !== path && contains(one.path, path))
  );
}

/**
 * The lines of a shell that end it, with words on descriptor 3, unless all these mounts are there that show a place of
 * the disk by its own path; none where there are none, or where ally may not read how the disk is mounted.
 */
export function mountCheck(mounts: readonly Mount[]): string[] {
  const checked = mounts.filter(({ kind, source }) =>
    (kind === "readonly" || kind === "writable") && source === undefined
  );
  const host = checked.length === 0 ? undefined : readHostMounts();
  const printer = PRINTERS.find((path) => kindOf(path) !== undefined);
  if (host === undefined || printer === undefined) return [];
  const expected = checked.map(({ path }) => quoteWord(expectedLine(path, host)));
  return [
    `mounted=$(${printer} ${MOUNT_TABLE})`,
    `for one in ${expected.join(" ")}; do case "$mounted" in *"$one"*) ;; *)`,
    `echo "bwrap: ${EXCHANGED}" >&3; exit 1;; esac; done`,
    "unset mounted one",
  ];
}

/**
 * What mounts are made of at this moment, and the directory in which a command is to run: another text once a sandbox
 * that was made of it shows something else than one that is made now. Undefined while that cannot be said: what is mounted
 * meanwhile appears in sandboxes that are there, and ally may not read how the disk is mounted, or what a mount lies on
 * has just been changed.
 */
export function mountStamp(mounts: readonly Mount[], cwd: string): string | undefined {
  const table = readMountTable();
  if (table === undefined) return undefined;
  const stamps = [identityOf(cwd), ...mounts.map(placeStamp)];
  return stamps.includes(undefined) ? undefined : [table, ...stamps].join("\n");
}

/** The same of the place of one mount. */
function placeStamp({ kind, path }: Mount): string | undefined {
  // What is shown is held by its mount.
  if (kind === "readonly" || kind === "writable") return identityOf(path) ?? "";
  if (kind !== "blank" && kind !== "empty") return "";
  // What is hidden is not, and may be another of the same number by now, or the same file by a name that it got since.
  const info = tryLstat(path);
  if (!info?.isDirectory || info.birthtime === null) {
    return info && isFresh(info) ? undefined : contentStamp(info);
  }
  return `${info.dev}:${info.ino}:${info.birthtime.getTime()}`;
}

/** What the kernel says of a place that is bound to itself, between blanks. */
function expectedLine(path: string, host: readonly HostMount[]): string {
  const own = encode(path);
  const outer = host.filter((one) => contains(one.path, own))
    .reduce((inner, one) => one.path.length >= inner.path.length ? one : inner);
  const rest = outer.path === "/" ? own : own.slice(outer.path.length);
  const root = outer.root === "/" ? rest || "/" : `${outer.root}${rest}`;
  return ` ${outer.device} ${root} ${own} `;
}

function readHostMounts(): HostMount[] | undefined {
  const mounts = readMountTable()?.split("\n").map((line) => line.split(" "))
    .map(([, , device = "", root = "", path = ""]) => ({ device, root, path }))
    .filter(({ path }) => path !== "");
  return mounts?.some(({ path }) => path === "/") ? mounts : undefined;
}

function readMountTable(): string | undefined {
  try {
    return Deno.readTextFileSync(MOUNT_TABLE);
  } catch {
    return undefined;
  }
}

/** A path as the kernel writes it there. */
function encode(path: string): string {
  return path.replace(
    /[ \t\n\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
}
