/**
 * Where a system keeps its programs and what all of them need: all that a sandbox which begins with an empty
 * disk shows of the machine.
 */
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

/** Whether a path lies in one of them. */
export function isSystemPlace(path: string): boolean {
  return SYSTEM_PLACES.some((place) => contains(place, path));
}
