/**
 * Where a system keeps its programs and what all of them need: all that a sandbox which begins with an empty
 * disk shows of the machine.
 */
import { TEMPORARY } from "../core/path_facts.ts";
import { contains } from "../lib/contains.ts";

/** Directories of programs. What is missing on a machine is left out. */
export const SYSTEM_PLACES = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/opt",
  "/nix",
  "/gnu",
  "/snap",
] as const;

/** Beside the programs: settings, and what packages are installed. */
export const SYSTEM_STATE = [
  "/etc",
  "/var/lib/dpkg",
  "/var/lib/rpm",
  "/var/lib/pacman/local",
  "/run/current-system",
] as const;

/** Where commands find what they leave for each other, and what one of them keeps in memory. */
export const TEMPORARY_PLACES = [...TEMPORARY, "/dev/shm"];

/** Whether a path lies in a directory of programs. */
export function isSystemPlace(path: string): boolean {
  return SYSTEM_PLACES.some((place) => contains(place, path));
}

/** Whether a path lies there, or in what else a system keeps beside them. */
export function isOfSystem(path: string): boolean {
  return isSystemPlace(path) || SYSTEM_STATE.some((place) => contains(place, path));
}
