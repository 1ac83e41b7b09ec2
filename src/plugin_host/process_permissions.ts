/**
 * The Deno permissions of the process that runs a plugin's modules: those of the manifest, without ally's own files,
 * files that decide what git runs, and whatever a rule denies.
 */
import { join } from "node:path";
import { contains } from "../lib/contains.ts";
import type { DenyRules, Grants } from "./grants.ts";

/** Limits the heap of a plugin's modules, in megabytes. */
export const HEAP_FLAG = "--max-old-space-size=512";
/** The exceptions from the paths that may be read or written. */
interface DenyLists {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** ally's own files except for the plugin's folder, and in a workspace the files that git and ally trust. */
export function denyListsOf(
  { read, write }: Grants,
  { folder, context: { allyHome, denied } }: {
    folder: string;
    context: { readonly allyHome: string; readonly denied: DenyRules };
  },
): DenyLists {
  const wide = read.some((path) =>
    contains(path, allyHome) || contains(allyHome, path) && path !== folder
  );
  const own = !wide ? [] : [...entriesOf(allyHome), ...entriesOf(join(allyHome, "plugins"))]
    .filter((path) => !contains(path, folder));
  const guarded = write.filter((path) => !contains(folder, path))
    .flatMap((path) => [join(path, ".git"), join(path, ".ally")]);
  return {
    read: [...own, ...denied.read],
    write: [...own, ...guarded, ...denied.read, ...denied.write],
  };
}

/** Grants for a process whose permissions cannot have exceptions: a path that has one is left out. */
export function omitDenied(
  grants: Grants,
  { denyLists, denied }: { denyLists: DenyLists; denied: DenyRules },
): Grants {
  const free = (paths: readonly string[], exceptions: readonly string[]) =>
    paths.filter((path) => !exceptions.some((one) => contains(path, one)));
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

/** Deno's flags: these permissions and no others, and modules from the disk only. */
export function permissionFlags(
  { read, write, net, run, env }: Grants,
  { denyLists, denied }: { denyLists: DenyLists; denied: DenyRules },
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
