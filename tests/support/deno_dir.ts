/** Where Deno caches what it has fetched, for a program that is started with another home. */
import { join } from "node:path";

/** The directory of Deno's cache. */
export function denoDir(): string {
  return Deno.env.get("DENO_DIR") ?? join(Deno.env.get("HOME") ?? "/", ".cache", "deno");
}
