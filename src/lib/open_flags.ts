/**
 * The flags with which files are opened. They are looked up where they are used and not while modules load, so that a
 * start does without `node:fs`.
 */
import * as fs from "node:fs";

/** Flags of `open(2)`; one that this system does not have is 0. */
export function openFlags() {
  const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = fs.constants;
  const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  return { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY };
}
