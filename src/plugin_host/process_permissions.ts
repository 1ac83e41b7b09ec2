/**
 * The permissions of the process that runs a plugin's modules: those of the manifest, without what is kept back of
 * them because it is ally's, decides what git runs, or is denied by a rule. `launch.ts` calls.
 */
import { join } from "node:path";
import { type DenyRules, type Grants, isBelow } from "./grants.ts";

/** Limits the megabytes of objects that a plugin's modules may keep. */
export const HEAP_FLAG = "--max-old-space-size=512";
/** What of the places that may be read or written must not be all the same. */
export interface DenyLists {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** ally's own files but the plugin's folder; of a workspace also what git and ally run or believe. */
export function denyListsOf(
  { read, write }: Grants,
  { folder, places: { allyHome, denied } }: {
    folder: string;
    places: { readonly allyHome: string; readonly denied: DenyRules };
  },
): DenyLists {
  const wide = read.some((path) =>
    isBelow(allyHome, path) || isBelow(path, allyHome) && path !== folder
  );
  const own = !wide ? [] : [...entriesOf(allyHome), ...entriesOf(join(allyHome, "plugins"))]
    .filter((path) => !isBelow(folder, path));
  const guarded = write.filter((path) => !isBelow(path, folder))
    .flatMap((path) => [join(path, ".git"), join(path, ".ally")]);
  return {
    read: [...own, ...denied.read],
    write: [...own, ...guarded, ...denied.read, ...denied.write],
  };
}

/** For a process whose permissions know no exceptions: a place that has some is not given at all. */
export function omitDenied(
  grants: Grants,
  { kept: denyLists, denied }: { kept: DenyLists; denied: DenyRules },
): Grants {
  const free = (paths: readonly string[], exceptions: readonly string[]) =>
    paths.filter((path) => !exceptions.some((one) => isBelow(one, path)));
  return {
    ...grants,
    read: free(grants.read, denyLists.read),
    write: free(grants.write, [...denyLists.read, ...denied.write]),
  };
}

function entriesOf(directory: string): string[] {
  try {
    return [...Deno.readDirSync(directory)].map(({ name }) => join(directory, name));
  } catch {
    return [];
  }
}

/** Deno's flags: these permissions and no other, and modules from the disk alone. */
export function permissionFlags(
  { read, write, net, run, env }: Grants,
  { kept: denyLists, denied }: { kept: DenyLists; denied: DenyRules },
): string[] {
  const list = (name: string, values: readonly string[]) =>
    values.length === 0
      ? []
      : [`--${name}=${values.map((value) => value.replaceAll(",", ",,")).join(",")}`];
  return [
    "run",
    "--quiet",
    "--no-prompt",
    "--no-remote",
    "--no-npm",
    "--no-config",
    "--no-lock",
    "--cached-only",
    `--v8-flags=${HEAP_FLAG}`,
    ...list("allow-read", read),
    ...list("deny-read", denyLists.read),
    ...list("allow-write", write),
    ...list("deny-write", denyLists.write),
    ...(net === true ? ["--allow-net"] : list("allow-net", net)),
    ...list("deny-net", denied.net),
    ...list("allow-run", run),
    ...list("allow-env", env),
  ];
}
