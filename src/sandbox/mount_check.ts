/**
 * Whether the mounts of a sandbox are those that were decided. They are made by their paths a moment later, and what
 * runs in the workspace meanwhile may have put a link in the place of a directory: then another one is shown, or made
 * writable. The first shell of the sandbox compares, before it runs anything, what the kernel says of each. A sandbox that
 * was made before its command is known may have come to show something else: ally compares what its mounts are made of,
 * and the first shell looks whether they still hide what they were to hide.
 */
import { contains, directoriesAbove } from "../lib/contains.ts";
import { tryStat } from "../lib/fs.ts";
import {
  escapeOctal,
  type MountEntry,
  mountOf,
  mountsIn,
  readMountTable,
} from "../lib/mount_table.ts";
import { quoteWord } from "../lib/text.ts";
import { kindOf } from "./inspect.ts";
import { isOpen, type Mount } from "./mount.ts";
import { isOfSystem } from "./system_places.ts";

/** The table of a sandbox's own mounts, as its first shell reads it. */
const MOUNT_TABLE = "/proc/self/mountinfo";
/** What is said where they are others. */
export const EXCHANGED = "a place of the workspace was exchanged meanwhile";
/** What says that, and ends the first shell. */
const END = `echo "bwrap: ${EXCHANGED}" >&3; exit 1`;
/** Programs that print a file, none of which lies in a workspace. */
const PRINTERS = ["/bin/cat", "/usr/bin/cat", "/run/current-system/sw/bin/cat"];

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
  const table = checked.length === 0 ? undefined : readMountTable();
  const host = mountsIn(table ?? "");
  const printer = PRINTERS.find((path) => kindOf(path) !== undefined);
  if (printer === undefined || !host.some(({ path }) => path === "/")) return [];
  const expected = checked.map(({ path }) => quoteWord(expectedLine(path, host)));
  return [
    `mounted=$(${printer} ${MOUNT_TABLE})`,
    `for one in ${expected.join(" ")}; do case "$mounted" in *"$one"*) ;; *)`,
    `${END};; esac; done`,
    "unset mounted one",
  ];
}

/**
 * The same unless these mounts hide what they were to hide: one goes with the file that it lies on, wherever in the system
 * that is removed, or replaced as editors do it, and a file that is moved takes it along. What is blank is a device, and
 * what is empty has no names but those of other mounts.
 */
export function hidingCheck(mounts: readonly Mount[]): string[] {
  const words = (kind: Mount["kind"]) =>
    mounts.filter((mount) => mount.kind === kind).map(({ path }) => quoteWord(path)).join(" ");
  const inner = directoriesToMounts(mounts).map(quoteWord).join("|") || "''";
  return [
    `for one in ${words("blank")}; do [ -c "$one" ] || { ${END}; }; done`,
    `for place in ${words("empty")}; do`,
    'for one in "$place"/* "$place"/.[!.]* "$place"/..?*; do',
    `case "$one" in ${inner}) ;; *) if [ -e "$one" ] || [ -L "$one" ]; then ${END}; fi;; esac`,
    "done; done; unset one place",
  ];
}

/** Mounts in empty places, and the directories there that lead to them. */
function directoriesToMounts(mounts: readonly Mount[]): string[] {
  const empty = mounts.filter(({ kind }) => kind === "empty").map(({ path }) => path);
  return [
    ...new Set(
      mounts.flatMap(({ path }) =>
        [path, ...directoriesAbove(path)].filter((one) =>
          empty.some((place) => place !== one && contains(place, one))
        )
      ),
    ),
  ];
}

/**
 * What mounts show, the directory in which a command is to run, and what else a sandbox takes over as it is made: another
 * text once one that was made with them shows something else than one that is made now. Undefined where that cannot be
 * told: ally may not read how the disk is mounted, or the sandbox would hold on to a disk that the user may want to take
 * away, or have another in its place. What is mounted meanwhile appears in sandboxes that are there, to be written, and
 * what is unmounted is not whole on its disk before they end.
 */
export function mountStamp(
  mounts: readonly Mount[],
  { cwd, roots, home }: { cwd: string; roots: readonly string[]; home: string },
): string | undefined {
  const table = readMountTable();
  const shown = mounts.filter(({ kind }) => kind === "readonly" || kind === "writable")
    .map(({ source, path }) => source ?? path);
  const lasting = ["/", home, ...roots.slice(0, 1)];
  if (table === undefined || holdsOtherDisks(shown, { table, lasting })) return undefined;
  // The sandbox holds on to what it shows: no other file comes to have its number.
  const identities = [cwd, ...shown].map((path) => {
    const { dev, ino } = tryStat(path) ?? {};
    return `${dev}:${ino}`;
  });
  return [table, Deno.hostname(), ...identities].join("\n");
}

/**
 * Whether paths lie on other mounts than those of the lasting ones, which are in use for as long as ally runs, or hold a
 * mount. What is mounted in directories of the system is the system's.
 */
function holdsOtherDisks(
  paths: readonly string[],
  { table, lasting }: { readonly table: string; readonly lasting: readonly string[] },
): boolean {
  const mounts = mountsIn(table);
  const pointOf = (path: string) => mountOf(path, mounts)?.path;
  const known = new Set(lasting.map(pointOf));
  return paths.filter((path) => !isOfSystem(path)).some((path) =>
    !known.has(pointOf(path)) ||
    mounts.some((mount) => contains(path, mount.path) && mount.path !== path)
  );
}

/** What the kernel says of a place that is bound to itself, between blanks. */
function expectedLine(path: string, host: readonly MountEntry[]): string {
  const own = escapeOctal(path);
  const outer = mountOf(path, host)!;
  const rest = escapeOctal(outer.path === "/" ? path : path.slice(outer.path.length));
  const root = outer.root === "/" ? rest || "/" : `${outer.root}${rest}`;
  return ` ${outer.device} ${root} ${own} `;
}
