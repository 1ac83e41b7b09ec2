/**
 * Where the sessions of all projects are.
 */
import { join } from "node:path";

/** The directories of the sessions of every project, in the home of ally; some may not exist. */
export async function sessionDirectories(home: string): Promise<string[]> {
  try {
    const projects = join(home, "projects");
    const names = await Array.fromAsync(Deno.readDir(projects), ({ name }) => name);
    return names.sort().map((name) => join(projects, name, "sessions"));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
