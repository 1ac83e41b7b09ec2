/**
 * What is mounted where, as the kernel tells this process.
 */
import { contains } from "./contains.ts";

const PATH = "/proc/self/mountinfo";

/** One mount. */
export interface MountEntry {
  /** Its number, as the kernel writes it. */
  readonly device: string;
  /** What of its disk it shows, as the kernel writes it. */
  readonly root: string;
  readonly path: string;
  /** Of file system. */
  readonly type: string;
}

/** The table as the kernel writes it; undefined if this process may not read it, or the system has none. */
export function readMountTable(): string | undefined {
  try {
    return Deno.readTextFileSync(PATH);
  } catch {
    return undefined;
  }
}

/** The mounts in such a table, in the order in which they were made. */
export function mountsIn(table: string): MountEntry[] {
  return table.split("\n").flatMap((line) => {
    const [mount = "", source = ""] = line.split(" - ");
    const [, , device, root, path] = mount.split(" ");
    const [type] = source.split(" ");
    if (device === undefined || root === undefined || path === undefined) return [];
    return [{ device, root, path: unescapeOctal(path), type: type ?? "" }];
  });
}

/** The mount in which a path lies: of several on one place the last one is seen. */
export function mountOf(path: string, mounts: readonly MountEntry[]): MountEntry | undefined {
  return mounts.filter((mount) => contains(mount.path, path)).reduce<MountEntry | undefined>(
    (inner, mount) => inner && inner.path.length > mount.path.length ? inner : mount,
    undefined,
  );
}

/** A path as it stands in the table. */
export function escapeOctal(path: string): string {
  return path.replace(
    /[ \t\n\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(parseInt(digits, 8)));
}
