/** Where Deno caches what it has fetched, for a program that is started with another home. */

let found: string | undefined;

/** The directory of Deno's cache, as Deno itself finds it. */
export function denoDir(): string {
  return found ??= Deno.env.get("DENO_DIR") || askDeno();
}

function askDeno(): string {
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json", "--no-config"] })
    .outputSync();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
