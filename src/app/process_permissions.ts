/**
 * The process as a sandbox: a kind that is denied as a whole is revoked from the Deno process itself, for good, so that
 * no mistake in ally or a library can use it. Lists (`--deny-write=src`) cannot be revoked; the policy enforces them.
 */
import { hostOf } from "../model/endpoint.ts";
import type { SingleHostFetch } from "../model/single_host_fetch.ts";
import type { Rules } from "../permission/rules.ts";
import type { HostProcess, PermissionName } from "./host_process.ts";

/** Kinds that can be given up. Reading stays: ally's own parts are loaded when they are first used. */
export type RevocableKind = "write" | "run" | "net" | "env";

const REVOCABLE_KINDS: readonly RevocableKind[] = ["write", "run", "net", "env"];

/** What is revoked with a kind because it could bypass it: native code the system, remote imports the network. */
const COMPANIONS: Readonly<Record<RevocableKind, readonly PermissionName[]>> = {
  write: ["ffi"],
  run: ["ffi"],
  net: ["ffi", "import"],
  env: [],
};

/** The kinds that the flags deny as a whole; a run that only reads neither writes nor starts anything. */
export function deniedKinds(options: { rules: Rules; plan: boolean }): ReadonlySet<RevocableKind> {
  const { rules, plan } = options;
  return new Set(
    REVOCABLE_KINDS.filter((kind) =>
      rules.deny[kind] === true || (plan && (kind === "write" || kind === "run"))
    ),
  );
}

/** Warnings about flags that allow what another flag denies as a whole. */
export function describeUselessFlags(options: { rules: Rules; plan: boolean }): string[] {
  const { rules: { allow, deny } } = options;
  return [...deniedKinds(options)].filter((kind) => allow[kind] !== undefined).map((kind) => {
    const denying = deny[kind] === true ? `--deny-${kind}` : "--plan";
    return `--allow-${kind} allows nothing: ${denying} denies it.`;
  });
}

/** Opens a way to the model server alone, where the network is given up; loaded only there. */
export async function openRestrictedFetch(
  { denied, frontend, settings }: {
    denied: ReadonlySet<RevocableKind>;
    frontend: { io: Pick<HostProcess, "isShared"> };
    settings: { endpoints: { default: { url: string } } };
  },
): Promise<SingleHostFetch | undefined> {
  if (!denied.has("net") || frontend.io.isShared) return undefined;
  const { openSingleHostFetch } = await import("../model/single_host_fetch.ts");
  return openSingleHostFetch(settings.endpoints.default.url);
}

/** Revokes the kinds from a process that is the run's own, for good. @throws {Error} the runtime still grants one */
export function revokeKinds(
  kinds: ReadonlySet<RevocableKind>,
  io: Pick<HostProcess, "isShared" | "revokePermission">,
): void {
  if (io.isShared) return;
  for (const kind of kinds) {
    for (const name of [kind, ...COMPANIONS[kind]]) io.revokePermission(name);
  }
}

/**
 * What this process cannot do because Deno was started with narrower permissions than ally can use, with the flags that
 * would allow it; not what the user denied to ally itself. At most one line.
 */
export function describeMissingPermissions(options: {
  cwd: string;
  denied: ReadonlySet<RevocableKind>;
  endpoint: string;
}): string[] {
  const { cwd, denied, endpoint } = options;
  const needs: readonly (readonly [RevocableKind, Deno.PermissionDescriptor, string, string])[] = [
    ["write", { name: "write", path: cwd }, "files cannot be changed", `--allow-write=${cwd}`],
    ["run", { name: "run" }, "commands cannot be run", "--allow-run"],
    ["net", { name: "net", host: hostOf(endpoint) }, "the model cannot be asked", "--allow-net"],
    ["env", { name: "env" }, "the environment is seen in part at most", "--allow-env"],
  ];
  const missing = needs.filter(([kind, descriptor]) =>
    !denied.has(kind) && Deno.permissions.querySync(descriptor).state !== "granted"
  );
  if (missing.length === 0) return [];
  const effects = missing.map(([, , effect]) => effect).join(", ");
  const flags = [...new Set(missing.map(([, , , flag]) => flag))].join(" ");
  return [`Deno's permissions are narrower than ally can use: ${effects}. Add ${flags}.`];
}

/** Where the network is given up only the first endpoint can be reached; without this Deno would ask for more. */
export function rejectFetch(): Promise<never> {
  return Promise.reject(
    new TypeError(
      "network access is given up (--deny-net), except to the endpoint ally was started with",
    ),
  );
}
