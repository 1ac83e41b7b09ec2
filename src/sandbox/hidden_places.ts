/**
 * Mounts that hide what is not for commands.
 */
import type { Need } from "../core/sandbox.ts";
import { kindOf, realPath } from "./inspect.ts";
import type { Mount } from "./mount.ts";
import type { SecretFile } from "./secret_files.ts";

/** Secret places and ally's own files, out of sight, unless a need shows them. */
export function hiddenMounts(
  secrets: readonly SecretFile[],
  needs: readonly Need[] = [],
): Mount[] {
  return secrets
    .filter(({ shownFor, isOutOfReach }) =>
      !isOutOfReach && (shownFor === undefined || !needs.includes(shownFor))
    )
    .map(({ path, isDirectory }) => ({ kind: isDirectory ? "empty" : "blank", path }));
}

/** Hides what paths lead to, where it is there: nothing can be mounted on a link. */
export function hideMounts(paths: readonly string[]): Mount[] {
  return paths.flatMap((path) => realPath(path, { isRequired: true }) ?? [])
    .map((path) => ({ kind: kindOf(path) === "directory" ? "empty" : "blank", path }));
}
