/**
 * The environment of commands in the sandbox: the closed one begins with nothing, the others lose what leads to
 * sockets and keys that they do not get.
 */
import { delimiter, isAbsolute, join } from "node:path";
import type { Need, SandboxPolicy } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { pathOutside, pathProjectsLast, SYSTEM_PATH } from "../lib/find_program.ts";
import { loadersIn } from "../lib/process.ts";
import { readSettings } from "./git_settings.ts";
import { kindOf, readSmallFile, realPath } from "./inspect.ts";
import { obeyOnly } from "./known_repositories.ts";
import type { SandboxEnvironment } from "./mount.ts";
import { findRepositories, readHooksPath } from "./repository.ts";
import { looksLikeRepository } from "./repository_directories.ts";
import type { ProfileOptions, SandboxPaths } from "./sandbox_paths.ts";
import { isSystemPlace, TEMPORARY_PLACES } from "./system_places.ts";
import type { ToolchainPlaces } from "./toolchains.ts";

/** Variables that lead programs to caches which they may write. */
const CACHES = {
  npm_config_cache: "npm",
  YARN_CACHE_FOLDER: "yarn",
  GOCACHE: "go-build",
  PIP_CACHE_DIR: "pip",
  UV_CACHE_DIR: "uv",
  CCACHE_DIR: "ccache",
  GOLANGCI_LINT_CACHE: "golangci-lint",
  PRE_COMMIT_HOME: "pre-commit",
  GRADLE_USER_HOME: "gradle",
} as const;

/** The same for what installs packages: what only runs them looks for programs in the user's own. */
const STORES = {
  YARN_GLOBAL_FOLDER: "yarn-berry",
  BUN_INSTALL_CACHE_DIR: "bun",
} as const;

/** Where commands find a directory for what they do not keep. */
const TEMPORARY = Object.fromEntries(
  ["TMPDIR", "TMP", "TEMP", "XDG_RUNTIME_DIR"].map((name) => [name, "/tmp"]),
);

/** pnpm's, in which its store is: a project whose packages come from another store it would install anew. */
const PNPM = { PNPM_HOME: "pnpm" } as const;

/** Where there is no network, none is waited for. */
const NO_RETRIES = {
  npm_config_fetch_retries: "0",
  YARN_HTTP_RETRY: "0",
  PIP_RETRIES: "0",
  UV_HTTP_RETRIES: "0",
  CARGO_NET_RETRY: "0",
  BUNDLE_RETRY: "0",
} as const;

/** What programs tell of their own versions is no output of a command. */
const NO_NOTICES = { npm_config_update_notifier: "false" } as const;

/** A look at a repository is not to fail for want of a lock. */
const NO_LOCKS = { GIT_OPTIONAL_LOCKS: "0" };

/** What the closed sandbox leaves of the environment: language, terminal, and what keeps programs from waiting. */
const KEPT =
  /^(?:LANG|LANGUAGE|LC_\w+|TERM|TZ|PAGER|GIT_PAGER|GIT_EDITOR|GIT_TERMINAL_PROMPT|NO_COLOR|PYTHONUNBUFFERED)$/;

/** Variables that name sockets and helpers, by the need that shows them. */
const SHOWN_FOR: Readonly<Record<"keys" | "services", readonly string[]>> = {
  keys: [
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "GPG_AGENT_INFO",
    "GPG_TTY",
    "GNOME_KEYRING_CONTROL",
    "GIT_ASKPASS",
    "VSCODE_GIT_ASKPASS_MAIN",
    "VSCODE_GIT_ASKPASS_NODE",
    "VSCODE_GIT_IPC_HANDLE",
  ],
  services: [
    "ALACRITTY_SOCKET",
    "AT_SPI_BUS_ADDRESS",
    "CONTAINERD_ADDRESS",
    "CONTAINER_HOST",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS",
    "DISPLAY",
    "DOCKER_HOST",
    "EMACS_SOCKET_NAME",
    "I3SOCK",
    "ICEAUTHORITY",
    "KITTY_LISTEN_ON",
    "NIX_REMOTE",
    "NVIM",
    "NVIM_LISTEN_ADDRESS",
    "PIPEWIRE_REMOTE",
    "PULSE_SERVER",
    "SESSION_MANAGER",
    "STY",
    "SWAYSOCK",
    "TMUX",
    "VSCODE_IPC_HOOK_CLI",
    "WAYLAND_DISPLAY",
    "WAYLAND_SOCKET",
    "WEZTERM_UNIX_SOCKET",
    "XAUTHORITY",
  ],
};

/** What git's settings say of the user, and that they take in others. */
const NAMES_USER = /^[ \t]*\[user\b/im;
const INCLUDES = /^[ \t]*\[include/im;

/** What is the user's or the machine's, and not for code of the workspace. */
const LENT: readonly Need[] = ["keys", "services", "registries"];

/** What no program of a project gets by the name of another: a project may have a `git` of its own on PATH. */
const NOT_FOR_PROJECTS: readonly Need[] = ["keys", "services", "repository", "repository_config"];

/**
 * The environment of a command that sees the machine's disk; `cache` is where it may keep what it fetched,
 * `gitWithKeys` tells what git obeys in it.
 */
export function openEnvironment(
  policy: SandboxPolicy,
  { gitWithKeys, ...paths }:
    & Pick<SandboxPaths, "cache" | "env" | "home" | "roots">
    & Pick<ProfileOptions, "gitWithKeys">,
): SandboxEnvironment {
  const { cache, env } = paths;
  const { needs } = policy;
  const lacks = (need: Need) => !needs.includes(need);
  const unset = [
    ...(lacks("network") && lacks("registries") ? proxies(env) : []),
    ...(lacks("keys") ? SHOWN_FOR.keys : []),
    ...(lacks("services") ? SHOWN_FOR.services : []),
  ];
  return {
    clear: false,
    unset: unset.filter((name) => env[name] !== undefined),
    late: loadersFor(needs, paths),
    set: {
      ...placesIn(cache, {
        ...CACHES,
        ...(lacks("registries") ? {} : { ...STORES, ...(hasPnpmStore(paths) ? {} : PNPM) }),
      }),
      ...TEMPORARY,
      ...NO_NOTICES,
      ...(lacks("network") ? NO_RETRIES : {}),
      ...(lacks("repository") ? NO_LOCKS : {}),
      ...(NOT_FOR_PROJECTS.every(lacks) ? {} : {
        ...(gitWithKeys ? withoutProjects(paths) : projectsLast(paths)),
        ...gitVariables(paths, {
          keys: !lacks("keys"),
          services: !lacks("services"),
          shows: historySettings(policy),
          gitWithKeys,
        }),
      }),
    },
  };
}

/** Variables that may hold the address of a proxy, with a login in whatever form: without the network nothing needs it. */
function proxies(env: Readonly<Record<string, string>>): string[] {
  return Object.keys(env).filter((name) => /proxy$/i.test(name) && !/^no_proxy$/i.test(name));
}

/**
 * Variables by which programs load code. Beside what is the user's, they lead only to places that no command writes:
 * none in the workspace or in what is temporary, and none that is another one in each directory.
 */
function loadersFor(
  needs: readonly Need[],
  { env, roots }: Pick<SandboxPaths, "env" | "roots">,
): Record<string, string> {
  const loaders = Object.entries(loadersIn(env));
  if (!needs.some((need) => LENT.includes(need))) return Object.fromEntries(loaders);
  const isFirm = (place: string) =>
    isAbsolute(place) && ![...roots(), ...TEMPORARY_PLACES].some((one) => contains(one, place));
  return Object.fromEntries(
    loaders.filter(([, value]) => value.split(/[:;\s]/).every(isFirm)),
  );
}

/**
 * Settings for every git in a sandbox that gives what code of the workspace must not have. Nothing obeys what a
 * directory names that only looks like a repository, and beside keys no hook of the workspace runs, nor what is named
 * to watch it.
 */
function gitVariables(
  { env, home, roots }: Pick<SandboxPaths, "env" | "home" | "roots">,
  { keys, services, shows, gitWithKeys }:
    & Pick<ProfileOptions, "gitWithKeys">
    & { keys: boolean; services: boolean; shows: readonly Setting[] },
): Record<string, string> {
  const isBare = roots().some(looksLikeRepository);
  const guard = gitWithKeys?.trees && obeyOnly(gitWithKeys);
  const settings: Setting[] = [
    ...shows,
    ...(isBare || !(keys || services)
      ? []
      : [["safe.bareRepository", "explicit"]] satisfies Setting[]),
    ...(keys
      ? [
        ["core.hooksPath", findOwnHooks({ env, home, roots: roots() })],
        ["core.fsmonitor", "false"],
        // What talks to a repository of this disk starts git there without these settings.
        ["protocol.file.allow", "never"],
        // An address of the kind is the command line of a program.
        ["protocol.ext.allow", "never"],
        // Whatever names the address: anybody can listen there.
        ["protocol.http.allow", "never"],
        ["protocol.ftp.allow", "never"],
        // A word that is no command of git's is not taken for another one, and one line of a step stays one.
        ["help.autocorrect", "0"],
        ["i18n.logOutputEncoding", "UTF-8"],
      ] satisfies Setting[]
      : []),
    ...guard?.settings ?? [],
  ];
  if (settings.length === 0) return {};
  const protocols = env.GIT_ALLOW_PROTOCOL?.split(":")
    .filter((name) => !["file", "ext", "http", "ftp"].includes(name));
  return {
    ...guard?.variables,
    ...(keys && protocols && { GIT_ALLOW_PROTOCOL: protocols.join(":") }),
    ...settingVariables(settings, env),
  };
}

/** A setting of git by its name. */
type Setting = readonly [name: string, value: string];

/** By others a command that shows the history of some paths alone would show more of it. */
const SHOWS_NO_MORE: readonly Setting[] = [
  ["commit.verbose", "false"],
  // Code of the workspace could print all of it.
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["diff.submodule", "short"],
  ["format.pretty", "medium"],
  ["log.follow", "false"],
  ["stash.showPatch", "false"],
  ["status.submoduleSummary", "false"],
];

/** What git obeys of how it shows a history of which some paths are hidden: its words were judged. */
export function historySettings(
  { hidden = [], history = false }: Pick<SandboxPolicy, "hidden" | "history">,
): readonly Setting[] {
  return hidden.length > 0 && history ? SHOWS_NO_MORE : [];
}

/** Variables by which git takes settings, behind those that it is given so already. */
export function settingVariables(
  settings: readonly Setting[],
  env: Readonly<Record<string, string>> = {},
): Record<string, string> {
  if (settings.length === 0) return {};
  const first = Number(/^\d{1,4}$/.exec(env.GIT_CONFIG_COUNT ?? "")?.[0] ?? 0);
  return {
    GIT_CONFIG_COUNT: String(first + settings.length),
    ...Object.fromEntries(settings.flatMap(([name, value], at) => [
      [`GIT_CONFIG_KEY_${first + at}`, name],
      [`GIT_CONFIG_VALUE_${first + at}`, value],
    ])),
  };
}

/**
 * Who the user is to git, for one that sees nothing of the home: who asks for the name is not to take another one. Where
 * a repository says it, or settings include others, git alone knows.
 */
export function identitySettings(
  { env, home, roots }: Pick<SandboxPaths, "env" | "home" | "roots">,
): readonly Setting[] {
  const configs = findRepositories(roots()).flatMap(({ directories }) => directories)
    .map((directory) => readSmallFile(join(directory, "config")));
  if (configs.some((text) => NAMES_USER.test(text))) return [];
  const texts = ownConfigs({ env, home }).map((path) => readSmallFile(realPath(path) ?? ""));
  if (texts.some((text) => INCLUDES.test(text))) return [];
  // Of several the last one counts.
  return texts.toReversed().flatMap(readSettings)
    .filter(([name]) => name === "user.name" || name === "user.email");
}

/** The directory of the user's own hooks, outside of the workspace; one where nothing can be, if there is none. */
function findOwnHooks(
  { env, home, roots }: Pick<SandboxPaths, "env" | "home"> & { roots: readonly string[] },
): string {
  const [named] = ownConfigs({ env, home }).flatMap((path) => readHooksPath(path) ?? []);
  const path = named === undefined ? undefined : realPath(named.replace(/^~(?=\/)/, home));
  return path?.startsWith("/") && !roots.some((root) => contains(root, path)) ? path : "/dev/null";
}

/** The user's own settings of git, the first of which counts. */
function ownConfigs({ env, home }: Pick<SandboxPaths, "env" | "home">): string[] {
  return [
    join(home, ".gitconfig"),
    join(env.XDG_CONFIG_HOME ?? join(home, ".config"), "git/config"),
  ];
}

/** PATH with the directories of projects behind all others, where it has any: what only they have is still found. */
function projectsLast(
  { env, home, roots }: Pick<SandboxPaths, "env" | "home" | "roots">,
): { PATH?: string } {
  const path = env.PATH ?? SYSTEM_PATH;
  const last = pathProjectsLast({ path, home, roots: roots() });
  return last === path ? {} : { PATH: last };
}

/** PATH without the directories of projects: git starts by its name whatever a protocol or a strategy is called. */
function withoutProjects(
  { env, home, roots }: Pick<SandboxPaths, "env" | "home" | "roots">,
): { PATH: string } {
  return { PATH: pathOutside({ path: env.PATH ?? SYSTEM_PATH, home, roots: roots() }) };
}

/** The environment of the closed sandbox, made from the one of all commands. */
export function closedEnvironment(
  env: Readonly<Record<string, string>>,
  { roots, home, toolchains }: {
    roots: readonly string[];
    home: string;
    toolchains: Pick<ToolchainPlaces, "env" | "directories">;
  },
): SandboxEnvironment {
  const kept = Object.entries(env).filter(([name]) => KEPT.test(name));
  const temporary = "/tmp/.cache";
  return {
    clear: true,
    unset: [],
    set: {
      ...Object.fromEntries(kept),
      PATH: canonicalPath(env.PATH ?? "", { roots, directories: toolchains.directories }),
      // It is empty, but programs that ask for it and get no answer give up.
      ...(home !== "" && { HOME: home }),
      ...toolchains.env,
      ...placesIn(temporary, CACHES),
      XDG_CACHE_HOME: temporary,
      ...TEMPORARY,
      ...NO_NOTICES,
      ...NO_RETRIES,
      ...NO_LOCKS,
      // The repository above a root is a mount of its own.
      GIT_DISCOVERY_ACROSS_FILESYSTEM: "1",
    },
  };
}

/** Directories of PATH as the closed sandbox has them: not where links outside of it lead. */
function canonicalPath(
  path: string,
  { roots, directories }: {
    roots: readonly string[];
    /** Where those lead that were no root's. */
    directories: ReadonlyMap<string, string>;
  },
): string {
  const canonical = path.split(delimiter).flatMap((directory) =>
    isSystemPlace(directory) || roots.some((root) => contains(root, directory))
      ? [directory]
      : directories.get(directory) ?? realPath(directory) ?? []
  );
  return [...new Set(canonical)].join(delimiter);
}

/** Whether the user has a store of pnpm's, where it is by default. */
function hasPnpmStore({ env, home }: Pick<SandboxPaths, "env" | "home">): boolean {
  const data = env.XDG_DATA_HOME ?? join(home, ".local/share");
  return [env.PNPM_HOME ?? join(data, "pnpm"), join(home, "Library/pnpm")]
    .some((directory) => kindOf(join(directory, "store")) === "directory");
}

function placesIn(
  directory: string,
  places: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(places).map(([name, place]) => [name, join(directory, place)]),
  );
}
