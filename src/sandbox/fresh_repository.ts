/**
 * A repository that a command of git has just made could be written by others that ran beside it, or in the same list:
 * nothing protected what was not there yet. What git would run by it is set aside, by another name: hooks that the
 * workspace's own repository does not have, and settings beyond those that git itself makes.
 */
import { basename, join, resolve } from "node:path";
import { contains } from "../lib/contains.ts";
import { requireWrite, tryLstat } from "../lib/fs.ts";
import { entriesOf, kindOf, readSmallFile, realPath } from "./inspect.ts";
import { directoryOf, sharedDirectory } from "./repository.ts";

/** Ending of the name of what was set aside. */
export const ASIDE = "-set-aside";

/** What git writes into the configuration of a new repository, working tree or submodule, by section. */
const PLAIN_SETTINGS: Readonly<Record<string, RegExp>> = {
  core:
    /^(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|symlinks|precomposeunicode|sharedrepository|autocrlf|eol|sparsecheckout(cone)?|longpaths|worktree)$/,
  remote: /^(url|pushurl|fetch|push|tagopt|mirror|prune|promisor|partialclonefilter|gh-resolved)$/,
  branch: /^(remote|merge|rebase|pushremote|vscode-merge-base)$/,
  submodule: /^(url|active|branch|ignore|shallow)$/,
  extensions:
    /^(objectformat|compatobjectformat|refstorage|partialclone|relativeworktrees|worktreeconfig|noop)$/,
  lfs: /^(repositoryformatversion|access|locksverify)$/,
  user: /^(name|email)$/,
  receive: /^(denycurrentbranch|denynonfastforwards)$/,
};

/** Where the repository is, and what of others is trusted. */
interface FreshOptions {
  readonly roots: readonly string[];
  /** Directories of the workspace's own repositories, canonical: what they hold is not looked at. */
  readonly own: readonly string[];
}

/**
 * Sets aside what names programs in a repository: of `.git`, whatever it is, or of a bare one. Returns where it is
 * now.
 */
export function disarmRepository(path: string, options: FreshOptions): string[] {
  const { roots, own } = options;
  const directory = directoryOf(path);
  if (directory === undefined) return [];
  const common = sharedDirectory(directory);
  return [directory, ...(common === undefined ? [] : [common])]
    .filter((one) => !own.includes(one) && roots.some((root) => contains(root, one)))
    .flatMap((one) => disarmDirectory(one, options));
}

function disarmDirectory(directory: string, { roots, own }: FreshOptions): string[] {
  const hooks = join(directory, "hooks");
  const settings = ["config", "config.worktree"].map((name) => join(directory, name));
  const armed = [
    ...(hasStrangeHooks(hooks, own) ? [hooks] : []),
    ...settings.filter((path) => hasStrangeSettings(path, { directory, roots })),
  ];
  return armed.flatMap((path) => giveOtherName(path) ?? []);
}

/** Hooks that run, but for those that the workspace's own repository has as well: a template brought both. */
function hasStrangeHooks(hooks: string, own: readonly string[]): boolean {
  const kind = kindOf(hooks);
  if (kind === undefined) return false;
  const entries = kind === "directory" ? entriesOf(hooks) : undefined;
  if (entries === undefined) return true;
  return [...entries].some(([name, what]) => {
    if (name.endsWith(".sample")) return false;
    const text = what === "file" ? readSmallFile(join(hooks, name)) : "";
    return text === "" || !own.some((one) => readSmallFile(join(one, "hooks", name)) === text);
  });
}

function hasStrangeSettings(
  path: string,
  { directory, roots }: { directory: string; roots: readonly string[] },
): boolean {
  const kind = kindOf(path);
  if (kind !== "file") return kind !== undefined;
  const settings = readSmallFile(path);
  // More than git itself writes.
  if (settings === "" && tryLstat(path)?.size !== 0) return true;
  let allowed: RegExp | undefined;
  return settings.split("\n").some((text) => {
    const line = text.trim();
    if (line === "" || /^[#;]/.test(line)) return false;
    const section = /^\[(\w+)(?: "[^"\\]*")?\]$/.exec(line)?.[1];
    if (section !== undefined) {
      allowed = Object.hasOwn(PLAIN_SETTINGS, section.toLowerCase())
        ? PLAIN_SETTINGS[section.toLowerCase()]
        : undefined;
      return allowed === undefined;
    }
    const [, name = "", value = ""] = /^([\w-]+)(?:\s*=\s*(.*))?$/.exec(line) ?? [];
    if (!allowed?.test(name.toLowerCase()) || value.endsWith("\\")) return true;
    if (/url$/i.test(name)) return /::|^["-]/.test(value);
    if (!/^worktree$/i.test(name)) return false;
    const tree = realPath(resolve(directory, value));
    return tree === undefined || !roots.some((root) => contains(root, tree));
  });
}

/** Renames what git would find; undefined if it cannot be done. */
export function giveOtherName(path: string): string | undefined {
  for (let count = 1; count < 100; count++) {
    const aside = `${path}${ASIDE}${count === 1 ? "" : `-${count}`}`;
    if (kindOf(aside) !== undefined) continue;
    try {
      requireWrite(path);
      Deno.renameSync(path, aside);
      return aside;
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** A repository as a whole gets a name by which git does not find it. */
export function setAsideRepository(path: string): string | undefined {
  return giveOtherName(basename(path).toLowerCase() === ".git" ? path : join(path, "HEAD"));
}
