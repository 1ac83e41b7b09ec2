/**
 * What a person types to run Deno: whoever came by npx has none on PATH.
 */
import { delimiter } from "node:path";
import { findProgram } from "../lib/find_program.ts";

/** `deno`, or `npx -y deno@VERSION` of the one that runs now where the person's PATH has none. */
export async function denoCommand({ path, cwd }: { path: string; cwd: string }): Promise<string> {
  // npx puts directories of its own on PATH, for as long as it runs.
  const lasting = path.split(delimiter)
    .filter((directory) => !/node_modules[\\/]\.bin[\\/]?$/.test(directory))
    .join(delimiter);
  const isThere = await findProgram("deno", { path: lasting, cwd }) !== undefined;
  return isThere ? "deno" : `npx -y deno@${Deno.version.deno}`;
}
