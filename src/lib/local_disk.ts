/**
 * Whether a directory lies on a disk of this machine. Only there does the system see every change: what another
 * machine does to a network disk, or a program behind a FUSE mount, happens unseen. And where there is no disk at all,
 * but what the kernel tells of itself.
 */
import { contains } from "./contains.ts";
import { type MountEntry, mountOf, mountsIn, readMountTable } from "./mount_table.ts";

const LOCAL_TYPES: ReadonlySet<string> = new Set([
  "bcachefs",
  "btrfs",
  "ext2",
  "ext3",
  "ext4",
  "f2fs",
  "overlay",
  "ramfs",
  "tmpfs",
  "xfs",
  "zfs",
]);

/** What looks like files and is none: to read all of it has no end, and nobody keeps anything there. */
const KERNEL_TYPES: ReadonlySet<string> = new Set([
  "autofs",
  "binfmt_misc",
  "bpf",
  "cgroup",
  "cgroup2",
  "configfs",
  "debugfs",
  "devpts",
  "devtmpfs",
  "efivarfs",
  "fusectl",
  "hugetlbfs",
  "mqueue",
  "nsfs",
  "proc",
  "pstore",
  "rpc_pipefs",
  "securityfs",
  "selinuxfs",
  "sysfs",
  "tracefs",
]);

/** Where the kernel shows what it is not asked to keep: `/proc`, `/sys`, `/dev`. */
export function kernelMounts(): string[] {
  return readMounts().filter(({ type }) => KERNEL_TYPES.has(type)).map(({ path }) => path);
}

/**
 * Whether the directories, and whatever is mounted below them but for the kernel's own, are on local disks; false if
 * that is not known.
 */
export function onLocalDisk(directories: readonly string[]): boolean {
  const mounts = readMounts();
  return mounts.length > 0 && directories.every((directory) => {
    const below = mounts.filter(({ path, type }) =>
      contains(directory, path) && !KERNEL_TYPES.has(type)
    );
    const own = mountOf(directory, mounts);
    return own !== undefined && [own, ...below].every(({ type }) => LOCAL_TYPES.has(type));
  });
}

function readMounts(): MountEntry[] {
  return mountsIn(readMountTable() ?? "");
}
