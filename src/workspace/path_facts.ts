/**
 * The port `Ground` over the real disk: where a path of a command leads, and what the files that a command
 * runs hold. Synchronous, because a command is judged in one moment. Made by `cli/`.
 */
import { createHash } from "node:crypto";
import { basename, dirname, join, normalize } from "node:path";
import type { PathFacts, PathLocation } from "../core/path_facts.ts";
import { contains, type Roots } from "./paths.ts";
import { hasBash } from "./shell_environment.ts";

/** Links followed before a path counts as leading outside. */
const MAX_LINKS = 20;
/** Characters of a path beyond which no system opens it. */
const MAX_LENGTH = 4096;

/** Makes the port; nothing is looked at before the first question, and the roots at each. */
export function createPathFacts(
  options: {
    reach: Roots;
    home: string;
    /** The environment of commands. */
    env: Readonly<Record<string, string>>;
  },
): PathFacts {
  let bash: boolean | undefined;
  return {
    get cwd() {
      return options.reach.cwd;
    },
    home: options.home,
    get posix() {
      bash ??= hasBash(options.env);
      return !bash;
    },
    locate: (path) => locatePath(path, options.reach),
    fingerprint,
  };
}

function locatePath(path: string, roots: Roots): PathLocation {
  const absolute = path.length > MAX_LENGTH ? undefined : canonical(path, 0);
  return absolute === undefined
    ? { absolute: normalize(path), inside: false }
    : { absolute, inside: roots.all.some((root) => contains(root, absolute)) };
}

/** The path with the links of all existing parts resolved; undefined if they cannot be followed. */
function canonical(path: string, links: number): string | undefined {
  if (links > MAX_LINKS) return undefined;
  try {
    return Deno.realPathSync(path);
  } catch {
    // Something is missing, or leads to what is: the rest is resolved by its parts.
  }
  if (path === "/" || path === ".") return "/";
  const parent = dirname(path);
  const name = basename(path);
  if (name === "..") {
    const inner = canonical(parent, links + 1);
    return inner === undefined ? undefined : dirname(inner);
  }
  const directory = canonical(parent, links);
  if (directory === undefined) return undefined;
  const target = linkTarget(join(directory, name));
  if (target === undefined) return name === "." ? directory : join(directory, name);
  return canonical(target.startsWith("/") ? target : `${directory}/${target}`, links + 1);
}

function linkTarget(path: string): string | undefined {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return undefined;
  }
}

/** Looks before it opens: a pipe would be waited for. */
function fingerprint(path: string): string | undefined {
  const hash = createHash("sha256").update(`${path}\0`);
  try {
    if (!Deno.statSync(path).isFile) return undefined;
    hash.update(Deno.readFileSync(path));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) return undefined;
    hash.update("\0missing");
  }
  return hash.digest("hex").slice(0, 16);
}
