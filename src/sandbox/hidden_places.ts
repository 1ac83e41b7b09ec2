/**
 * Mounts that hide what is not for commands.
 */
import type { Need } from "../core/sandbox.ts";
import { kindOf } from "./inspect.ts";
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

/** The mount that hides what lies at a path. */
export function hideMount(path: string): Mount {
  return { kind: kindOf(path) === "directory" ? "empty" : "blank", path };
}
