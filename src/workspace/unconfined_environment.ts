/**
 * The environment of a command that no sandbox holds: what in the workspace would have a part in it comes last, or not
 * at all.
 */
import { join } from "node:path";
import { pathProjectsLast } from "../lib/find_program.ts";
import { settingVariables } from "../sandbox/environment.ts";
import { looksLikeRepository } from "../sandbox/repository_directories.ts";
import { searchPath } from "./shell_environment.ts";

/**
 * What a command gets that no sandbox holds: no program of a project in place of the machine's, unless the person has
 * activated the virtual environment that it is in; and git that obeys no directory which only looks like a repository,
 * as files of a clone may, unless the workspace is one.
 */
export function unconfinedEnvironment(
  env: Readonly<Record<string, string>>,
  roots: readonly string[],
): Readonly<Record<string, string>> {
  const name = env.PATH === undefined && env.Path !== undefined ? "Path" : "PATH";
  const path = searchPath(env);
  const home = env.HOME ?? env.USERPROFILE ?? "";
  const first = activatedPrograms(env);
  const last = pathProjectsLast({ path, home, roots, activated: first });
  const explicit = roots.some(looksLikeRepository)
    ? {}
    : settingVariables([["safe.bareRepository", "explicit"]], env);
  return { ...env, ...(last !== path && { [name]: last }), ...explicit };
}

/** The directories of programs of an environment that the person has activated. */
function activatedPrograms({ VIRTUAL_ENV: place }: Readonly<Record<string, string>>): string[] {
  return place === undefined ? [] : ["bin", "Scripts"].map((name) => join(place, name));
}
