/**
 * The directory that a run works in, as the system knows it. Called by everything that starts from it.
 */
import { UsageError } from "../core/errors.ts";
import { messageOf } from "../lib/text.ts";

/** A directory's path, absolute and with its links resolved. @throws {UsageError} nobody can work there */
export function canonicalDirectory(directory: string): string {
  try {
    return Deno.realPathSync(directory);
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound
      ? "there is no such directory"
      : messageOf(error);
    throw new UsageError(`Cannot work in ${directory}: ${why}.`, { cause: error });
  }
}
