/**
 * ally as the process of a plugin, where it is one executable and Deno takes no flags: permissions that the manifest
 * does not name are revoked, and the rest is narrowed for a worker, whose first module is ours.
 */
import type { PermissionName } from "../../app/host_process.ts";
import type { Io } from "../../app/io.ts";
import { assetUrl } from "../../lib/assets.ts";
import type { Grants } from "../../plugin_host/grants.ts";

/** Serves until its input ends; returns the exit code. The grants are JSON. */
export async function runPluginProcess(
  { grants: text }: { grants: string },
  io: Pick<Io, "revokePermission" | "stderr">,
): Promise<number> {
  // Whoever starts this process can only reduce the permissions that they have themselves.
  const grants = JSON.parse(text) as Grants;
  const { run, env, write, net } = grants;
  const revoked: PermissionName[] = [
    ...["ffi", "sys", "import"] as const,
    ...(run.length === 0 ? ["run"] as const : []),
    ...(env.length === 0 ? ["env"] as const : []),
    ...(write.length === 0 ? ["write"] as const : []),
    ...(net !== true && net.length === 0 ? ["net"] as const : []),
  ];
  for (const name of revoked) io.revokePermission(name);
  const { promise, resolve } = Promise.withResolvers<number>();
  const worker = new Worker(assetUrl("plugin_child/main.js"), {
    type: "module",
    deno: { permissions: permissionsOf(grants) },
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    io.stderr.writeSync(new TextEncoder().encode(`${event.message}\n`));
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
