/**
 * What a sandbox's profile is made of, in words of no system.
 */
import { contains, directoriesAbove } from "../lib/contains.ts";
import type { InputAt } from "../lib/process.ts";

/**
 * One place. "empty" shows nothing and takes nothing, "blank" is that for a file; "scratch" is empty and takes
 * files, which are gone at the end. On a disk that is otherwise empty, "directory" makes one, and "link" a link.
 */
export interface Mount {
  readonly kind: "writable" | "readonly" | "empty" | "blank" | "scratch" | "directory" | "link";
  readonly path: string;
  /** Where its content comes from, or the text of a link. @default the path itself */
  readonly source?: string;
  /** Whether nothing is there, so that it keeps anything from being made; gone at the end. @default false */
  readonly isPlaceholder?: boolean;
  /** Whether it may get another name, because it is looked for by what it is. @default false */
  readonly isMovable?: boolean;
}

/** How one command is confined. */
export interface ConfineOptions {
  readonly profile: SandboxProfile;
  /** Absolute. */
  readonly cwd: string;
  /**
   * Path, as the command sees it, of a file that is made if it leaves processes running.
   * @default it is said at the end of its output
   */
  readonly leftBehind?: string;
  /** Whether errors are to go where output goes. @default false */
  readonly merge?: boolean;
  /** Descriptor of one digit, found open, to which errors are to go instead. @default they go where the sandbox's go */
  readonly errorsAt?: number;
  /** Whether the command reads the standard input that it is started with. @default true */
  readonly hasInput?: boolean;
}

/** A command line as it is to be started. */
export interface Launch {
  readonly argv: readonly [program: string, ...args: string[]];
  /** The files that it is to find open for reading, by descriptor. */
  readonly inputs: Readonly<Record<number, string>>;
  /** What it reads before it begins; the command has no input then. @default nothing */
  readonly input?: InputAt;
  /** The same with a sandbox that is made before the command is known, and shows the same whatever that is. @default none */
  readonly prewarmed?: Required<Pick<Launch, "argv" | "input">>;
  /** Whether the command's errors go where its output goes; then only the sandbox itself writes errors. */
  readonly merges: boolean;
  /** The descriptor to which they go instead, which is to be opened; the same holds then. */
  readonly errorsAt?: number;
  /** The sandbox's own program, which ends with the command, and is left alone when that is told to end. */
  readonly shielded?: string;
}

/** Runs a command line within a profile. */
export type Confine = (argv: readonly string[], options: ConfineOptions) => Launch;

/** What a command sees. */
export interface SandboxProfile {
  /** What there is below the mounts: the machine's disk, not to be written, or nothing at all. */
  readonly base: "disk" | "nothing";
  /** Whether the machine's network is shared. */
  readonly network: boolean;
  /** Whether the machine's sockets that have a name without a file are shared with its network. */
  readonly abstractSockets: boolean;
  readonly mounts: readonly Mount[];
  readonly environment: SandboxEnvironment;
}

/** What becomes of the environment that a command is started with. */
export interface SandboxEnvironment {
  /** Whether it gets none of it but what is set here. */
  readonly clear: boolean;
  readonly unset: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  /** Set for the command alone, and for nothing that runs in the sandbox before it. @default none */
  readonly late?: Readonly<Record<string, string>>;
}

/**
 * Mounts in the order in which they are made: a place that lies in another comes after it, so that the innermost one
 * decides, and of one place only the later mount counts.
 */
export function sortMounts(mounts: readonly Mount[]): Mount[] {
  const last = new Map(mounts.map((mount) => [mount.path, mount]));
  const depth = (path: string) => path === "/" ? 0 : path.split("/").length;
  const mounted = [...last.values()].map((mount) => ({ mount, depth: depth(mount.path) }));
  return mounted.sort((one, other) => one.depth - other.depth).map(({ mount }) => mount);
}

/**
 * The directories that a command could rename, and with them what a mount keeps: the next command would find it by a
 * name that no mount has. They are those above it that lie in a writable place, and that place.
 */
export function anchorsOf(mount: Mount, mounts: readonly Mount[]): string[] {
  if (mount.kind === "writable" || mount.kind === "scratch" || mount.isMovable) return [];
  const above = mounts.filter(({ path }) => path !== mount.path && contains(path, mount.path));
  if (!above.some(isOpen)) return [];
  return directoriesAbove(mount.path).filter((directory) => {
    const innermost = above.filter(({ path }) => contains(path, directory))
      .reduce<Mount | undefined>(
        (inner, one) => inner && contains(one.path, inner.path) ? inner : one,
        undefined,
      );
    return innermost !== undefined && isOpen(innermost);
  });
}

/** Whether what is written in a mount stays where it was written. */
export function isOpen({ kind, source }: Mount): boolean {
  return kind === "writable" && source === undefined;
}

/** Mounts with those by which no place in them can be moved: a directory that is a mount cannot be renamed. */
export function anchorMounts(mounts: readonly Mount[]): Mount[] {
  if (!mounts.some(isOpen)) return [...mounts];
  const mounted = new Set(mounts.map(({ path }) => path));
  const anchors = new Set(mounts.flatMap((mount) => anchorsOf(mount, mounts))).difference(mounted);
  return anchors.size === 0 ? [...mounts] : sortMounts([
    ...Array.from(anchors, (path): Mount => ({ kind: "writable", path })),
    ...mounts,
  ]);
}
