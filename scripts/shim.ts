/**
 * The small programs that start ally's bundle: what `deno task install` puts on PATH, and what npm does. Both become
 * Deno, so that no other process stays.
 */
import { SHIM_MARK } from "../src/app/install_record.ts";
import { RUN_FLAGS } from "./permissions.ts";

/** What follows `deno` to start a bundle, without the path of its `main.js`. */
export const START_BUNDLE: readonly string[] = ["run", ...RUN_FLAGS];

/** Deno does not start in a directory that was deleted, and what it says then helps nobody. */
const GUARD =
  `[ . -ef "$PWD" ] || { echo 'ally: Cannot work here: the current directory is gone.' >&2; exit 2; }`;
/** ally says itself how it is upgraded. */
const ENVIRONMENT = "DENO_NO_UPDATE_CHECK=1";

/** The absolute paths of what a shim starts. */
export interface ShimTarget {
  readonly deno: string;
  readonly main: string;
}

/** A shim for the shells of Unix. */
export function unixShim({ deno, main }: ShimTarget): string {
  return `#!/bin/sh
# ${SHIM_MARK}
${GUARD}
${ENVIRONMENT} exec ${quote(deno)} ${START_BUNDLE.join(" ")} ${quote(main)} "$@"
`;
}

/** A shim for Windows; there a percent sign in a path would begin a variable. */
export function windowsShim({ deno, main }: ShimTarget): string {
  const path = (text: string) => `"${text.replaceAll("%", "%%")}"`;
  return [
    "@echo off",
    `rem ${SHIM_MARK}`,
    "setlocal",
    `set ${ENVIRONMENT}`,
    `${path(deno)} ${START_BUNDLE.join(" ")} ${path(main)} %*`,
    "",
  ].join("\r\n");
}

/**
 * The `bin` of the npm package. npm makes no shims for Windows that start a shell script without a shell, so there ally
 * is not installed by npm.
 */
export async function npmBin(): Promise<string> {
  const text = await Deno.readTextFile(new URL("./npm_bin.sh", import.meta.url));
  return text.replace("START_BUNDLE", START_BUNDLE.join(" "));
}

function quote(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
