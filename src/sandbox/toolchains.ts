/**
 * Programs of the user's own: the directories of PATH and the roots of version managers, which are all that the
 * closed sandbox shows of a home. A row is a root with the parts of it that hold programs: what else lies there
 * (caches, logins, settings) stays out of sight.
 */
import { basename, dirname, isAbsolute, join } from "node:path";
import { contains } from "../lib/contains.ts";
import type { DiskView } from "./disk_view.ts";
import { placesOnPath } from "./inspect.ts";
import { isSystemPlace } from "./system_places.ts";

/** Programs that one version manager or installer keeps. */
interface Toolchain {
  /** Variable that names the root elsewhere; programs get it. */
  readonly variable?: string;
  /** Below the home directory, or absolute. */
  readonly root: string;
  /** What of the root is shown; `*` is each name there. @default all */
  readonly parts?: readonly string[];
}

const TOOLCHAINS: readonly Toolchain[] = [
  { variable: "RUSTUP_HOME", root: ".rustup" },
  { root: ".cargo", parts: ["bin"] },
  { variable: "PYENV_ROOT", root: ".pyenv" },
  { variable: "RBENV_ROOT", root: ".rbenv" },
  { variable: "NODENV_ROOT", root: ".nodenv" },
  { variable: "GOENV_ROOT", root: ".goenv" },
  { variable: "JENV_ROOT", root: ".jenv" },
  { variable: "PHPENV_ROOT", root: ".phpenv" },
  { variable: "TFENV_ROOT", root: ".tfenv" },
  { variable: "NVM_DIR", root: ".nvm", parts: ["versions", "alias", "nvm.sh", "nvm-exec"] },
  { variable: "FNM_DIR", root: ".local/share/fnm", parts: ["node-versions", "aliases"] },
  { root: ".fnm", parts: ["node-versions", "aliases"] },
  { variable: "N_PREFIX", root: "n", parts: ["bin", "lib", "n"] },
  { variable: "VOLTA_HOME", root: ".volta", parts: ["bin", "tools"] },
  { variable: "PNPM_HOME", root: ".local/share/pnpm", parts: ["nodejs", "global"] },
  { variable: "BUN_INSTALL", root: ".bun", parts: ["bin", "install/global"] },
  { variable: "DENO_INSTALL_ROOT", root: ".deno", parts: ["bin"] },
  { variable: "PROTO_HOME", root: ".proto", parts: ["bin", "shims", "tools"] },
  {
    variable: "MISE_DATA_DIR",
    root: ".local/share/mise",
    parts: ["installs", "shims", "plugins", "bin"],
  },
  {
    variable: "ASDF_DATA_DIR",
    root: ".asdf",
    parts: ["installs", "shims", "plugins", "bin", "lib", "libexec", "asdf.sh"],
  },
  { root: ".tool-versions" },
  { variable: "RTX_DATA_DIR", root: ".local/share/rtx", parts: ["installs", "shims", "plugins"] },
  { variable: "SDKMAN_DIR", root: ".sdkman", parts: ["candidates"] },
  { root: ".jabba/jdk" },
  { root: ".jdks" },
  { variable: "JAVA_HOME", root: "" },
  { variable: "GOROOT", root: "" },
  { root: "sdk", parts: ["*"] },
  { root: ".gvm", parts: ["bin", "gos", "scripts"] },
  { root: ".rvm", parts: ["bin", "rubies", "gems", "scripts", "lib"] },
  { root: ".rubies" },
  { variable: "CONDA_PREFIX", root: "miniconda3" },
  { root: "anaconda3" },
  { root: "miniforge3" },
  { variable: "MAMBA_ROOT_PREFIX", root: "micromamba", parts: ["bin", "envs"] },
  { root: ".pixi", parts: ["bin", "envs"] },
  { root: ".local", parts: ["lib", "pipx/venvs", "opt"] },
  { variable: "PIPX_HOME", root: ".local/share/pipx", parts: ["venvs", "py"] },
  { root: ".local/share/uv", parts: ["python", "tools"] },
  { root: ".local/share/rye", parts: ["py", "shims", "tools"] },
  { variable: "POETRY_HOME", root: ".local/share/pypoetry", parts: ["venv"] },
  { variable: "GHCUP_INSTALL_BASE_PREFIX", root: "", parts: [".ghcup/bin", ".ghcup/ghc"] },
  { root: ".ghcup", parts: ["bin", "ghc", "hls"] },
  { variable: "STACK_ROOT", root: ".stack", parts: ["programs"] },
  { root: ".cabal", parts: ["bin"] },
  { variable: "OPAMROOT", root: ".opam" },
  { variable: "ELAN_HOME", root: ".elan", parts: ["bin", "toolchains", "settings.toml"] },
  { variable: "JULIAUP_DEPOT_PATH", root: ".julia", parts: ["juliaup"] },
  { root: ".juliaup", parts: ["bin"] },
  { root: ".dotnet", parts: ["dotnet", "host", "sdk", "shared", "packs", "tools"] },
  { variable: "FLUTTER_ROOT", root: "flutter" },
  { root: ".swiftly", parts: ["bin", "toolchains"] },
  { root: ".local/share/swiftly", parts: ["bin", "toolchains"] },
  { variable: "KREW_ROOT", root: ".krew", parts: ["bin", "store"] },
  { root: ".nix-profile" },
  { root: ".local/state/nix/profiles" },
  { root: ".guix-profile" },
  { variable: "HOMEBREW_PREFIX", root: "/home/linuxbrew/.linuxbrew" },
  { root: ".linuxbrew" },
];

/** What programs find beside a directory of PATH that is called `bin`. */
const BESIDE_BIN = ["lib", "lib64", "libexec"];
/** Other systems' disks and places of services: their programs are none of this machine's. */
const NEVER_SHOWN = ["/mnt", "/media", "/run", "/srv", "/sys", "/proc", "/dev", "/etc"];

/** Where the user's programs are. */
export interface ToolchainPlaces {
  /** Absolute and canonical; each is there. */
  readonly paths: readonly string[];
  /** What programs need to find them. */
  readonly env: Readonly<Record<string, string>>;
  /** Where the directories of PATH lead. */
  readonly directories: ReadonlyMap<string, string>;
}

/** The places of the user's own programs that are there. @throws {Deno.errors.NotCapable} ally may not look */
export function findToolchains(
  { home, roots, pathDirectories, env }: {
    home: string;
    /** The workspace, whose links decide nothing of what is shown. */
    roots: () => readonly string[];
    /** Directories of PATH, as they are named there. */
    pathDirectories: readonly string[];
    env: Readonly<Record<string, string>>;
  },
  disk: DiskView,
): ToolchainPlaces {
  const paths = new Set<string>();
  const variables: Record<string, string> = {};
  const directories = new Map<string, string>();
  const add = (place: string): boolean => {
    const path = disk.realPath(place);
    // A directory above the home would show it.
    if (path === undefined || isAbove(path, home)) return false;
    if (NEVER_SHOWN.some((one) => contains(one, path))) return false;
    const isInRoot = (one: string) => roots().some((root) => contains(root, one));
    if (!isInRoot(path) && placesOnPath("/", place).some(isInRoot)) return false;
    if (!isSystemPlace(path)) paths.add(path);
    return true;
  };
  for (const { variable, root, parts = [""] } of TOOLCHAINS) {
    const named = variable === undefined ? undefined : env[variable];
    const place = named !== undefined && isAbsolute(named) ? named : rootOf(root, home);
    if (place === undefined || !disk.has(place)) continue;
    const shown = parts.flatMap((part) => expand(place, { part, disk })).filter(add);
    if (variable !== undefined && shown.length > 0) variables[variable] = place;
  }
  for (const directory of pathDirectories) {
    const path = disk.realPath(directory);
    if (path !== undefined) directories.set(directory, path);
    if (path === undefined || !add(path) || basename(path) !== "bin" || isSystemPlace(path)) {
      continue;
    }
    const parent = dirname(path);
    if (!isAbove(parent, home)) BESIDE_BIN.forEach((name) => add(join(parent, name)));
  }
  const outermost = [...paths].filter((path) =>
    ![...paths].some((other) => other !== path && contains(other, path))
  );
  return { paths: outermost, env: variables, directories };
}

function isAbove(path: string, home: string): boolean {
  return path === "/" || (home !== "" && contains(path, home));
}

function rootOf(root: string, home: string): string | undefined {
  if (root === "" || isAbsolute(root)) return root || undefined;
  return home === "" ? undefined : join(home, root);
}

function expand(place: string, { part, disk }: { part: string; disk: DiskView }): string[] {
  return part === "*"
    ? [...disk.namesIn(place) ?? []].map((name) => join(place, name))
    : [join(place, part)];
}
