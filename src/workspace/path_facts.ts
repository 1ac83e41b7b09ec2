/**
 * The port `PathFacts` over the real disk: where a path of a command leads, and what the files that a command
 * runs hold. Synchronous, because a command is judged in one moment.
 */
import { createHash } from "node:crypto";
import { delimiter, join, normalize } from "node:path";
import {
  ABSENT,
  type FileText,
  isTemporary,
  type PathFacts,
  type PathLocation,
} from "../core/path_facts.ts";
import {
  hasSecretsBelow,
  secretFinder,
  type SecretPlace,
  USER_SETTINGS,
} from "../core/secret_places.ts";
import { contains } from "../lib/contains.ts";
import { exists, readSmallFileSync } from "../lib/fs.ts";
import { entriesOf } from "../sandbox/inspect.ts";
import { remember } from "../sandbox/disk_view.ts";
import { findSecretFiles, type Homes, type SecretFile } from "../sandbox/secret_files.ts";
import { findRepository } from "./git_state.ts";
import { followLinks, type Roots } from "./paths.ts";
import { findBash } from "./shell_environment.ts";

/** Characters of a path beyond which no system opens it. */
const MAX_LENGTH = 4096;

/** What the port needs to know; paths are absolute. */
interface PathFactsOptions {
  readonly roots: Roots;
  readonly home: string;
  /** ally's own files, canonical. @default none */
  readonly allyHome?: string;
  /** Folders of skills, canonical. @default none */
  readonly skills?: readonly string[];
  /** The environment of commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Where variables say that secret places are. @default nowhere else */
  readonly named?: readonly SecretPlace[];
}

/** Makes the port. It looks at the disk and the roots only when asked. */
export function createPathFacts(options: PathFactsOptions): PathFacts {
  const { skills = [], allyHome = "", named = [] } = options;
  const secrets = createSecretFinder({ ...options, allyHome, roots: () => options.roots.all });
  const secretAt = (path: string) => secrets().find((file) => contains(file.path, path))?.holds;
  const findNamed = secretFinder(named);
  const secretPlaces = () =>
    secrets().filter(({ isOutOfReach }) => !isOutOfReach).map(({ path }) => path);
  let bash: boolean | undefined;
  return {
    get cwd() {
      return options.roots.cwd;
    },
    home: options.home,
    get posix() {
      bash ??= findBash(options.env, options.roots.all) !== undefined;
      return !bash;
    },
    locate(path) {
      const location = locatePath(path, options.roots);
      const isNamedSecret = location.inside && findNamed(location.absolute) !== undefined;
      return { ...location, ...isNamedSecret && { isNamedSecret } };
    },
    secretAt,
    secretPlaces,
    hasSecretsBelow: (directory) =>
      hasSecretsBelow(directory, options.home) ||
      secretPlaces().some((path) => contains(directory, path)),
    ...repositoryFacts(options),
    async ownerOf(path) {
      const { home, roots } = options;
      if (allyHome !== "" && contains(allyHome, path)) {
        // Who works on a plugin where it lies has begun in it.
        const isWorkedOn = roots.all.some((root) =>
          root !== allyHome && contains(allyHome, root) && contains(root, path)
        );
        if (!isWorkedOn) return "ally";
      } else if (
        home !== "" && contains(home, path) &&
        (secretAt(path) !== undefined ||
          USER_SETTINGS.some((name) => contains(join(home, name), path)))
      ) return "user";
      const { belongsToGit } = await import("../sandbox/repository.ts");
      return belongsToGit(path, roots.all) ? "git" : undefined;
    },
    isTemporary: (path) => isOwnTemporary(path, options),
    mayBeInHistory: (path) => isInRepository(path, options.roots),
    outerTree: (directory) => findOuterTree(directory, options.roots),
    exists,
    isSkillFile: (path) => skills.some((folder) => contains(folder, path)),
    gitHooks: async () =>
      (await import("./git_hooks.ts")).findGitHooks(options.roots.cwd, options.env),
    fingerprint,
    read,
    entries: (path) => [...entriesOf(path)?.keys() ?? []],
  };
}

/** What repositories say, whose readers are loaded for whoever asks. */
function repositoryFacts(
  options: PathFactsOptions,
): Pick<PathFacts, "trackedPaths" | "namedTrees" | "areCommits"> {
  return {
    trackedPaths: async (paths, directory) =>
      (await import("./tracked_paths.ts")).trackedPaths(paths, directory),
    namedTrees: async (directory) => (await import("./tracked_paths.ts")).treesNamedFor(directory),
    areCommits: async (words, cwd) =>
      (await import("./commit_names.ts")).areCommits(words, { ...options, cwd }),
  };
}

/** Whether a path lies in the workspace, or in a repository that holds a part of it. */
function isInRepository(path: string, { all }: Roots): boolean {
  return all.some((root) => contains(root, path) || contains(findRepository(root) ?? root, path));
}

/** The top of the working tree in which a directory lies, if the workspace is only a part of that. */
async function findOuterTree(directory: string, { all }: Roots): Promise<string | undefined> {
  const { findRepositories } = await import("../sandbox/repository.ts");
  const [top] = findRepositories([directory]).map(({ tree }) => tree);
  const isAround = top !== undefined && all.some((root) => contains(top, root));
  return isAround && !all.some((root) => contains(root, top)) ? top : undefined;
}

/** Whether a canonical path is nothing of the machine's in the sandbox: some of its `/tmp` stays in sight. */
function isOwnTemporary(
  path: string,
  { roots, home, allyHome = "", env: { PATH = "" } }: PathFactsOptions,
): boolean {
  const shown = [...roots.all, home, allyHome, ...PATH.split(delimiter)].filter(isTemporary);
  return isTemporary(path) && !shown.some((one) => contains(one, path) || contains(path, one));
}

/** A path that cannot be resolved, as one with a loop of links, counts as outside. */
function locatePath(path: string, roots: Roots): PathLocation {
  try {
    if (path.length > MAX_LENGTH) return { absolute: normalize(path), inside: false };
    const absolute = followLinks(path, roots.cwd);
    return { absolute, inside: roots.all.some((root) => contains(root, absolute)) };
  } catch {
    return { absolute: normalize(path), inside: false };
  }
}

/** Finds secret places. */
function createSecretFinder(homes: Homes): () => readonly SecretFile[] {
  const files = remember((disk) => findSecretFiles(homes, disk));
  return () => {
    try {
      return files();
    } catch {
      // Where ally may not look, there is no sandbox either, and the names of the places have to do.
      return [];
    }
  };
}

/** Bytes of a file that can be part of a rule. */
const MAX_FINGERPRINTED = 64 * 1024 * 1024;

/** A hash of what a file holds; of what is no regular file, or too large, there is none. Never throws. */
export function fingerprint(path: string): string | undefined {
  const hash = createHash("sha256").update(`${path}\0`);
  try {
    hash.update(readSmallFileSync(path, { maxBytes: MAX_FINGERPRINTED }));
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? ABSENT : undefined;
  }
  return hash.digest("hex").slice(0, 16);
}

/** Bytes of a file that are looked through for what else it runs. */
const MAX_READ = 1024 * 1024;

function read(path: string): FileText | undefined {
  try {
    const bytes = readSmallFileSync(path, { maxBytes: MAX_FINGERPRINTED });
    const whole = bytes.length <= MAX_READ;
    return { text: new TextDecoder().decode(bytes.subarray(0, MAX_READ)), whole };
  } catch {
    return undefined;
  }
}
