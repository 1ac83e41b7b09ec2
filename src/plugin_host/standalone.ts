/**
 * ally as the process of a plugin, where it is one executable and Deno takes no flags: the kinds that the
 * manifest does not name are given up, and the rest is narrowed to its places for a worker, whose first
 * module is ours. `cli/run.ts` calls.
 */
import type { Grants } from "./grants.ts";

/** Serves until its input ends; returns the exit code. */
export async function runPluginProcess(argument: string): Promise<number> {
  // Said by `launch.ts`; whoever starts it otherwise can only give it less than they have.
  const reach = JSON.parse(argument) as Grants;
  const kinds: Deno.PermissionDescriptor[] = [
    { name: "ffi" },
    { name: "sys" },
    { name: "import" },
    ...(reach.run.length === 0 ? [{ name: "run" }] as const : []),
    ...(reach.env.length === 0 ? [{ name: "env" }] as const : []),
    ...(reach.write.length === 0 ? [{ name: "write" }] as const : []),
    ...(reach.net !== true && reach.net.length === 0 ? [{ name: "net" }] as const : []),
  ];
  for (const kind of kinds) await Deno.permissions.revoke(kind);
  const { promise, resolve } = Promise.withResolvers<number>();
  const worker = new Worker(new URL("./child/main.ts", import.meta.url), {
    type: "module",
    deno: { permissions: permissionsOf(reach) },
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    Deno.stderr.writeSync(new TextEncoder().encode(`${event.message}\n`));
    resolve(70);
  });
  return await promise;
}

function permissionsOf({ read, write, net, run, env }: Grants): Deno.PermissionOptionsObject {
  const list = (names: readonly string[]) => names.length === 0 ? false : [...names];
  return {
    read: list(read),
    write: list(write),
    net: net === true ? true : list(net),
    run: list(run),
    env: list(env),
    sys: false,
    ffi: false,
    import: false,
  };
}
