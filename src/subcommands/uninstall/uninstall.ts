/**
 * `ally uninstall`: removes what `deno task install` put on this machine, and what ally keeps for the person if they
 * say so. An ally that came another way is removed by what brought it; then this says what to type.
 */
import { dirname, join } from "node:path";
import { confirmAtTerminal } from "../../app/confirm_at_terminal.ts";
import { EXIT } from "../../app/exit_codes.ts";
import {
  type InstalledVersion,
  type Leftover,
  listInstalledVersions,
  removeEmptyDirectories,
  removeShim,
  removeVersion,
} from "../../app/install_record.ts";
import {
  findInstallation,
  type Installation,
  NPM_PACKAGE,
  npmCommand,
} from "../../app/installation.ts";
import type { Io } from "../../app/io.ts";
import { openStandardStreams } from "../../app/standard_streams.ts";
import { exists, reasonOf } from "../../lib/fs.ts";
import { quoteWord } from "../../lib/text.ts";
import { findAllyPaths, homeDirectory } from "../../store/paths.ts";
import { removeHome } from "../../store/remove_home.ts";
import type { UninstallRequest } from "./command.ts";

/** Removes it and returns the exit code: 1 if something that should go is still there. */
export async function runUninstall(
  { request, color }: { readonly request: UninstallRequest; readonly color: boolean },
  io: Io,
): Promise<number> {
  const { out } = openStandardStreams(io);
  const home = findAllyPaths(io.cwd(), io.env)?.home;
  // Whatever a question needs is loaded before the files are gone.
  const purge = home !== undefined && exists(home) &&
    (request.purge ?? await askAboutHome(home, { io, color }));
  const installation = findInstallation();
  const isRemoved = installation.kind === "install"
    ? removeInstalled(installation, out)
    : explainRemoval(installation, out);
  const cache = installation.kind === "install" ? findDenoCache(io.env) : undefined;
  if (cache !== undefined) out(`Deno's cache stays in ${cache}: other programs may use it.`);
  const isHomeDone = home === undefined || !exists(home) || await leaveHome(home, { purge, out });
  return isRemoved && isHomeDone ? EXIT.done : EXIT.failed;
}

async function askAboutHome(
  home: string,
  { io, color }: { io: Io; color: boolean },
): Promise<boolean> {
  if (!io.stdin.isTerminal() || !io.stdout.isTerminal()) return false;
  const question = `Remove ${home} too, with your settings, keys, sessions and undo?`;
  return await confirmAtTerminal(question, { io, color, refusal: "" });
}

/** Removes every version below the root, then the shim; true if nothing is left. */
function removeInstalled(
  { directory, record }: InstalledVersion,
  out: (line: string) => void,
): boolean {
  const share = dirname(directory);
  const versions = listInstalledVersions(share);
  const leftovers: Leftover[] = [
    // First of all, so that nobody starts what is half gone.
    ...removeShim(record.shim),
    ...versions.flatMap(removeVersion),
  ];
  removeEmptyDirectories([share, ...versions.flatMap(({ record }) => record.directories)]);
  const names = versions.map(({ record }) => record.version).join(", ");
  if (leftovers.length === 0) {
    out(`Removed ally ${names} from ${record.root}.`);
    return true;
  }
  out(`Removed ally ${names} from ${record.root}, but for this:`);
  for (const { path, why } of leftovers) out(`  ${path}: ${why}`);
  return false;
}

/** Where Deno keeps what it has compiled, for all that it runs; undefined if there is nothing. */
function findDenoCache(env: Io["env"]): string | undefined {
  const home = homeDirectory(env);
  const usual = {
    darwin: join(home, "Library", "Caches"),
    windows: env.get("LOCALAPPDATA") ?? home,
  };
  const caches = usual[Deno.build.os as keyof typeof usual] ??
    (env.get("XDG_CACHE_HOME") || join(home, ".cache"));
  const cache = env.get("DENO_DIR") || join(caches, "deno");
  return exists(cache) ? cache : undefined;
}

/** Says what removes an ally that was not installed by `deno task install`. */
function explainRemoval(
  installation: Exclude<Installation, { kind: "install" }>,
  out: (line: string) => void,
): false {
  switch (installation.kind) {
    case "source":
      out("Nothing is installed: this ally runs from source. To remove it, delete its folder:");
      out(`  ${installation.directory}`);
      break;
    case "npx":
      out("Nothing is installed: npx runs this ally from its cache, which is this folder:");
      out(`  ${installation.directory.replace(/([\\/]_npx[\\/][^\\/]+)[\\/].*$/, "$1")}`);
      break;
    case "npm":
      out("npm installed this ally and has to remove it. Type:");
      out(`  ${npmCommand("uninstall", installation.directory)} ${NPM_PACKAGE}`);
      break;
    case "compiled":
      out("This ally is one executable. To remove it, delete the file:");
      out(`  ${installation.program}`);
  }
  return false;
}

/** Removes what ally keeps for the person, or says that it stays; true unless it should have gone and has not. */
async function leaveHome(
  home: string,
  { purge, out }: { purge: boolean; out: (line: string) => void },
): Promise<boolean> {
  if (!purge) {
    out(`Your settings, keys, sessions and undo stay in ${quoteWord(home)}.`);
    return true;
  }
  try {
    const rest = await removeHome(home);
    if (rest.length === 0) out(`Removed ${home}.`);
    else out(`Removed what was ally's from ${home}; these are not, and stay: ${rest.join(", ")}`);
    return true;
  } catch (error) {
    out(`Cannot remove ${home}: ${reasonOf(error)}.`);
    return false;
  }
}
