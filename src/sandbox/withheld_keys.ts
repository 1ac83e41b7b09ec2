/**
 * Whether a command of git gets the user's keys: never where code that commands may write would run beside them. Hooks
 * are kept from running by variables; these must reach git, and what its settings name must lie elsewhere.
 */
import { isAbsolute, join } from "node:path";
import type { GitSetting, SandboxPolicy } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { lowerKey } from "./git_settings.ts";
import { entriesOf, kindOf, realPath } from "./inspect.ts";
import {
  type EffectiveSetting,
  findNamedPrograms,
  type ProgramPlaces,
  readEffectiveSettings,
} from "./named_programs.ts";
import { isBareRepository, writableDirectories } from "./repository.ts";
import { talksToThisDisk } from "./local_remotes.ts";
import { findDirectories } from "./repository_directories.ts";
import type { SandboxPaths } from "./sandbox_paths.ts";

/** A policy as it is carried out. */
export interface KeysDecision {
  readonly policy: SandboxPolicy;
  /** What of the workspace would have seen the keys that were withheld, as it is shown. */
  readonly keysWithheldFor: readonly string[];
}

/** A command line, and what is known of it. */
export interface KeysOptions {
  readonly argv: readonly string[];
  /** Where it starts; not absolute where only running it shows. */
  readonly cwd: string;
  /** What commands set that may run before it has ended: nothing of it stands in a configuration yet. */
  readonly pending: readonly GitSetting[];
  /** Whether hooks of the workspace that may set something run before it, or beside it. */
  readonly besideHooks: boolean;
}

/** Programs that are git, or start it. */
const GIT = /\b(git|gh|glab|hub)\b/;
/** Words by which a shell takes variables from git, or git obeys others: those that keep code from running beside keys. */
const CHANGES_VARIABLES =
  /GIT_CONFIG|GIT_ALLOW_PROTOCOL|\bprotocol\.|\bunset\b|\bexec\s+-\w*c|\benv\s(?:[^;|&]*\s)?-(?:\s|[a-z]*[iuS]|-(?:ignore|unset|split))/;
/** Words by which git is told where a repository's own directory is. */
const NAMES_DIRECTORY = /git-?_?dir/i;
/** Directories below a `/tmp` that are looked at for repositories. */
const MAX_TEMPORARY = 10_000;
/** Where commands find what they leave for each other. */
const TEMPORARY = ["/tmp", "/var/tmp"];

/** Withholds the keys from a command of git that would run code of commands beside them, or needs none. */
export async function withholdKeys(
  policy: SandboxPolicy,
  { argv, cwd, pending, besideHooks, ...paths }: KeysOptions & SandboxPaths,
): Promise<KeysDecision> {
  const text = argv.join(" ").replace(/['"\\]/g, "").replace(/\$(PWD\b|\{PWD\})/g, cwd);
  if (!policy.write || !policy.needs.includes("keys") || !GIT.test(text)) {
    return { policy, keysWithheldFor: [] };
  }
  const withhold = (...keysWithheldFor: string[]) => ({
    policy: withoutKeys(policy),
    keysWithheldFor,
  });
  if (CHANGES_VARIABLES.test(text)) return withhold();
  const roots = paths.roots();
  const repositories = paths.nested();
  const own = writableDirectories(roots, repositories);
  const places = programPlaces({ cwd, ...paths });
  // Beside keys git obeys a bare one only where it is named, or where a working tree of it lies.
  const nested = repositories.filter((path) =>
    NAMES_DIRECTORY.test(text) || !isBareRepository(path)
  );
  const obeyed = writableDirectories(roots, nested);
  const temporary = findRepositoriesBelow(paths.tmp);
  if (temporary === undefined) return withhold("settings of git in /tmp, which holds too much");
  const read = await readEffectiveSettings({
    trees: places.cwds,
    directories: [...findDirectories(obeyed).keys(), ...temporary],
    roots,
    env: paths.env,
  });
  if (read === undefined) return withhold("settings of git, which cannot be read");
  const settings = withPending(read, pending);
  const isOwn = (file: string) => own.some((directory) => contains(directory, file));
  const named = await findNamedPrograms(settings, { text, isOwn, ...places });
  if (named.length > 0) return withhold(...named);
  if (talksToThisDisk(settings, { text, ...places })) return withhold();
  return besideHooks ? withhold(HOOKS) : { policy, keysWithheldFor: [] };
}

const HOOKS =
  "hooks of the workspace that run before it or beside it, and may set what git starts " +
  "(run the command of git that needs the keys by itself)";

/** Settings as words make them. A remote is named as a whole, with all words that may be its address. */
function withPending(
  settings: readonly EffectiveSetting[],
  pending: readonly GitSetting[],
): EffectiveSetting[] {
  const added = pending.flatMap((setting) => {
    if (setting.kind !== "named") return [];
    const { name, values = ["./"] } = setting;
    return name.endsWith(".")
      ? values.filter((value) => /[/:]/.test(value)).map((value) => ({ name: `${name}url`, value }))
      : values.map((value) => ({ name: lowerKey(name), value }));
  });
  const isReplaced = ({ name }: EffectiveSetting) =>
    /^remote\..+\.url$/.test(name) && added.some((one) => one.name === name);
  return [...settings.filter((one) => !isReplaced(one)), ...added];
}

function programPlaces(
  { cwd, env, home, tmp, ...paths }: { cwd: string } & SandboxPaths,
): ProgramPlaces {
  const roots = paths.roots();
  const visible = [home, ...paths.pathDirectories].filter((path) => path !== "");
  const isIn = (path: string, places: readonly string[]) =>
    places.some((place) => contains(place, path));
  const isPlace = (path: string) =>
    isIn(path, [...roots, tmp]) || (isIn(path, TEMPORARY) && !isIn(path, visible));
  return {
    isWritable: (path) => isPlace(path) || isPlace(realPath(path) ?? path),
    roots,
    cwds: [...new Set([...isAbsolute(cwd) ? [cwd] : [], ...roots])],
    env,
    home,
  };
}

function withoutKeys(policy: SandboxPolicy): SandboxPolicy {
  return {
    ...policy,
    needs: policy.needs.filter((need) => need !== "keys"),
    withheld: [...policy.withheld ?? [], "keys"],
  };
}

/** Directories of git's below a directory; undefined if there are too many directories to look at. */
function findRepositoriesBelow(top: string): string[] | undefined {
  const found: string[] = [];
  const waiting = [top];
  for (let at = 0; at < waiting.length; at++) {
    if (at >= MAX_TEMPORARY) return undefined;
    const directory = waiting[at]!;
    if (kindOf(join(directory, "HEAD")) !== undefined) found.push(directory);
    for (const [name, kind] of entriesOf(directory) ?? []) {
      if (kind === "directory" && name !== "objects") waiting.push(join(directory, name));
    }
  }
  return found;
}
