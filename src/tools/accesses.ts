/**
 * What a call wants to do, as accesses that the policy can judge: gathered from its arguments, from the
 * commands its tool names and from its plan, as far as they are known.
 */
import type { EditPlan, Files, ResolvedPath } from "../core/files.ts";
import type { Access, Verdict } from "../core/permission.ts";
import type { Effect, RemoteTool } from "../core/tool.ts";
import type { Policy } from "../permission/policy.ts";
import { remoteTool } from "../permission/rules.ts";
import { valuesOfFormat } from "./arguments.ts";
import type { IdentifiedCall } from "./identified_call.ts";

/** What is known so far of what a call wants. */
export interface RequestedAccess {
  readonly effects: readonly Effect[];
  /** Paths in its arguments. */
  readonly paths: readonly ResolvedPath[];
  /** What it reads if it names nothing. */
  readonly workingDirectory?: ResolvedPath | undefined;
  /** Command lines in its arguments or named by its tool, and where they would run. */
  readonly commands: readonly { readonly text: string; readonly cwd?: string }[];
  /** What its tool says that it does besides. */
  readonly extra: readonly Access[];
  /** Absent before it is planned. */
  readonly plan?: EditPlan | undefined;
  /** The server's tool that it calls. */
  readonly remote?: RemoteTool | undefined;
}

/** A request as judged. */
export interface JudgedAccess {
  /** All that is not approved yet. */
  readonly accesses: readonly Access[];
  readonly verdict: Verdict;
}

/** What a call wants by its arguments alone. */
export async function requestOf(call: IdentifiedCall, files: Files): Promise<RequestedAccess> {
  const { definition, tool, input, effects } = call;
  const named = valuesOfFormat(definition, { format: "path", input });
  const paths = await Promise.all(named.map((path) => files.resolve(path)));
  return {
    effects,
    paths,
    commands: effects.includes("exec") ? commandLinesOf(call, paths[0]?.absolute) : [],
    extra: await placeAccesses(tool.accesses?.(input) ?? [], files),
    remote: definition.remote,
    ...(effects.includes("read") && { workingDirectory: await files.resolve(".") }),
  };
}

/** What a tool says that it does, by where that is. */
async function placeAccesses(
  accesses: readonly Access[],
  files: Files,
): Promise<readonly Access[]> {
  return await placeHosts(
    await Promise.all(
      accesses.map(async (access) =>
        access.kind === "read" ? pathAccess("read", await files.resolve(access.target)) : access
      ),
    ),
  );
}

/**
 * A host that is not of the public internet has to be named, by a rule or the user's configuration: neither `-A` nor a
 * rule for all hosts covers it.
 */
async function placeHosts(accesses: readonly Access[]): Promise<readonly Access[]> {
  if (!accesses.some(isHost)) return accesses;
  const { isNotPublicHost } = await import("../lib/host_address.ts");
  return accesses.map((access) => {
    if (!isHost(access) || !isNotPublicHost(access.target.replace(/:\d+$/, ""))) return access;
    const extremeReason =
      `reaches ${access.target}, which is this machine or one of a private network`;
    return { ...access, inside: false, extremeReason };
  });
}

function isHost({ kind, target, consented, named }: Access): boolean {
  const isSettled = consented !== undefined || named === true;
  return kind === "net" && !isSettled && remoteTool(target) === undefined;
}

/** The command lines in a call's arguments; they run in the directory that the call names. */
function commandLinesOf(
  { definition, input }: IdentifiedCall,
  cwd: string | undefined,
): RequestedAccess["commands"] {
  return valuesOfFormat(definition, { format: "command", input })
    .map((text) => cwd === undefined ? { text } : { text, cwd });
}

/** Judges what a request holds beyond what an earlier try was allowed. */
export async function judge(
  request: RequestedAccess,
  { policy, approved = [] }: { policy: Policy; approved?: readonly Access[] | undefined },
): Promise<JudgedAccess> {
  const accesses = accessesOf(request).filter(({ kind, target }) =>
    !approved.some((one) => one.kind === kind && one.target === target)
  );
  return { accesses, verdict: await policy.judge(accesses) };
}

/**
 * Until a call is planned, all paths of one that writes count as written; from then on what the plan
 * changes, whether the arguments name it or not.
 */
function accessesOf(request: RequestedAccess): Access[] {
  const { effects, paths, commands, extra, plan, remote, workingDirectory } = request;
  const assumed = effects.includes("write") ? paths : [];
  const written = plan?.changes.map((change) => change.path) ?? assumed;
  const targets = new Set(written.map((path) => path.absolute));
  const named = paths.filter((path) => !targets.has(path.absolute));
  const namesNothing = paths.length === 0 && commands.length === 0;
  const read = namesNothing && workingDirectory ? [workingDirectory] : named;
  return [
    ...read.map((path) => pathAccess("read", path)),
    ...written.map((path) => pathAccess("write", path)),
    ...commands.map(({ text: target, cwd }): Access => ({
      kind: "run",
      target,
      ...(cwd !== undefined && { cwd }),
    })),
    ...extra,
    ...(remote ? [remoteAccess(remote)] : []),
  ];
}

function pathAccess(
  kind: "read" | "write",
  { absolute, display, inside }: ResolvedPath,
): Access {
  return { kind, target: absolute, display, inside };
}

/** A call of a server's tool uses the network, with the server as its host: `net=mcp:server/tool`. */
function remoteAccess({ server, tool, pin, destructive }: RemoteTool): Access {
  const target = `mcp:${server}/${tool}`;
  const extremeReason =
    `calls ${tool} of the MCP server ${server}, which says it may destroy something`;
  return { kind: "net", target, pin, ...(destructive && { extremeReason }) };
}
