/**
 * Whether the mounts of a sandbox are those that were decided. They are made by their paths a moment later, and what
 * runs in the workspace meanwhile may have put a link in the place of a directory: then another one is shown, or made
 * writable. The first shell of the sandbox compares, before it runs anything, what the kernel says of each.
 */
import { contains } from "../lib/contains.ts";
import { quoteWord } from "../lib/text.ts";
import { kindOf } from "./inspect.ts";
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
  try {
    const lines = Deno.readTextFileSync(MOUNT_TABLE).split("\n");
    const mounts = lines.map((line) => line.split(" "))
      .map(([, , device = "", root = "", path = ""]) => ({ device, root, path }))
      .filter(({ path }) => path !== "");
    return mounts.some(({ path }) => path === "/") ? mounts : undefined;
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
