/**
 * How this ally came to the machine: from a clone, by `deno task install`, by npm, or as one executable. What a
 * person has to type to start, upgrade or remove it follows from that.
 */
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProgram } from "../lib/find_program.ts";
import { isObject } from "../lib/schema.ts";
import { quoteWord } from "../lib/text.ts";
import { denoCommand } from "./deno_command.ts";
import { type InstalledVersion, readInstalledVersion } from "./install_record.ts";

/** The name of ally's npm package. */
export const NPM_PACKAGE = "ally-agent";

/** How ally came to the machine. */
export type Installation =
  | {
    readonly kind: "source";
    /** The clone. */
    readonly directory: string;
  }
  | ({ readonly kind: "install" } & InstalledVersion)
  | {
    readonly kind: "npm" | "npx";
    /** The folder of the package. */
    readonly directory: string;
    /** Where its releases are, if the package says so. */
    readonly repository: string | undefined;
  }
  | {
    readonly kind: "compiled";
    /** The executable. */
    readonly program: string;
  };

/** How this ally came to the machine. */
export function findInstallation(): Installation {
  if (Deno.build.standalone) return { kind: "compiled", program: Deno.execPath() };
  const path = fileURLToPath(import.meta.url);
  const above = dirname(dirname(path));
  if (basename(path) === "installation.ts") return { kind: "source", directory: dirname(above) };
  const installed = readInstalledVersion(above);
  if (installed) return { kind: "install", ...installed };
  return readPackage(above) ?? { kind: "source", directory: dirname(above) };
}

/** ally's npm package in a directory; undefined if it is something else. */
function readPackage(directory: string): Installation | undefined {
  try {
    const text = Deno.readTextFileSync(join(directory, "package.json"));
    const manifest: unknown = JSON.parse(text);
    if (!isObject(manifest) || manifest.name !== NPM_PACKAGE) return undefined;
    const { homepage } = manifest;
    const kind = /[\\/]_npx[\\/]/.test(directory) ? "npx" : "npm";
    return {
      kind,
      directory,
      repository: typeof homepage === "string" ? homepage.replace(/#.*$/, "") : undefined,
    };
  } catch {
    return undefined;
  }
}

/** The kind and the place, in a few words. */
export function describeInstallation(installation: Installation): string {
  switch (installation.kind) {
    case "source":
      return `from source in ${installation.directory}`;
    case "install":
      return `installed in ${installation.record.root}`;
    case "npm":
      return `installed by npm in ${installation.directory}`;
    case "npx":
      return "started by npx";
    case "compiled":
      return `one executable, ${installation.program}`;
  }
}

/** Where programs are looked for, and from which directory. */
interface SearchOptions {
  readonly path: string;
  readonly cwd: string;
}

/** What a person types to start ally. */
interface StartCommand {
  readonly ally: string;
  /** What they type once before that, and what it does. */
  readonly setUp?: { readonly command: string; readonly does: string };
}

/** What starts this ally from now on, in any directory. */
export async function findStartCommand(
  installation: Installation,
  search: SearchOptions,
): Promise<StartCommand> {
  const isOnPath = await findProgram("ally", search) !== undefined;
  switch (installation.kind) {
    case "source": {
      if (isOnPath) return { ally: "ally" };
      const command = `${await denoCommand(search)} task install`;
      return { ally: "ally", setUp: { command, does: "here: ally on PATH" } };
    }
    // npx has put it on PATH, but only for as long as it runs.
    case "npx":
      return { ally: "ally", setUp: { command: "npm install -g ./FILE", does: "ally on PATH" } };
    case "npm":
      return { ally: "ally" };
    case "install":
      return { ally: isOnPath ? "ally" : quoteWord(installation.record.shim) };
    case "compiled":
      return { ally: isOnPath ? "ally" : quoteWord(installation.program) };
  }
}

/** npm's command for where a package is; npm's own prefix, or a project's folder, goes without saying. */
export function npmCommand(command: "install" | "uninstall", directory: string): string {
  const modules = dirname(directory);
  const prefix = dirname(dirname(modules));
  const isGlobal = basename(modules) === "node_modules" && basename(dirname(modules)) === "lib";
  if (!isGlobal) return `npm ${command} --prefix ${quoteWord(dirname(modules))}`;
  const isDefault = hasFile(join(prefix, "bin", "node"));
  return `npm ${command} -g${isDefault ? "" : ` --prefix ${quoteWord(prefix)}`}`;
}

function hasFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
