/**
 * What a call wants to do, as accesses that the policy can judge: gathered from its arguments, from the
 * commands its tool names and from its plan, as far as they are known. Called by the pipeline.
 */
import type { EditPlan, ResolvedPath } from "../core/files.ts";
import type { Access, Verdict } from "../core/permission.ts";
import type { Effect, RemoteTool } from "../core/tool.ts";
import type { Policy } from "../permission/policy.ts";

/** What is known so far of what a call wants. */
export interface RequestedAccess {
  readonly effects: readonly Effect[];
  /** Paths in its arguments. */
  readonly paths: readonly ResolvedPath[];
  /** What it reads if it names nothing: the working directory. */
  readonly around?: ResolvedPath | undefined;
  /** Command lines in its arguments or named by its tool, and where they would run. */
  readonly commands: readonly { readonly text: string; readonly cwd?: string }[];
  /** What its tool says that it does besides. */
  readonly extra?: readonly Access[] | undefined;
  /** Absent before it is planned. */
  readonly plan?: EditPlan | undefined;
  /** The server's tool that it calls. */
  readonly remote?: RemoteTool | undefined;
}

/** A claim as judged. */
export interface JudgedAccess {
  /** All that is not approved yet. */
  readonly accesses: readonly Access[];
  readonly verdict: Verdict;
}

/** Judges what a claim wants beyond what an earlier try was allowed. */
export async function judge(
  requested: RequestedAccess,
  { policy, approved = [] }: { policy: Policy; approved?: readonly Access[] | undefined },
): Promise<JudgedAccess> {
  const accesses = accessesOf(requested).filter(({ kind, target }) =>
    !approved.some((one) => one.kind === kind && one.target === target)
  );
  return { accesses, verdict: await policy.judge(accesses) };
}

/**
 * Until a call is planned, all paths of one that writes count as written; from then on what the plan
 * changes, whether the arguments name it or not.
 */
function accessesOf(requested: RequestedAccess): Access[] {
  const { effects, paths, commands, extra = [], plan, remote, around } = requested;
  const assumed = effects.includes("write") ? paths : [];
  const written = plan?.changes.map((change) => change.path) ?? assumed;
  const targets = new Set(written.map((path) => path.absolute));
  const read = paths.filter((path) => !targets.has(path.absolute));
  const access = (kind: "read" | "write") => (path: ResolvedPath): Access => ({
    kind,
    target: path.absolute,
    display: path.display,
    inside: path.inside,
  });
  const looksAround = around !== undefined && paths.length === 0 && commands.length === 0;
  return [
    ...(looksAround ? [around] : read).map(access("read")),
    ...written.map(access("write")),
    ...commands.map(({ text: target, cwd }): Access => ({
      kind: "run",
      target,
      ...(cwd !== undefined && { cwd }),
    })),
    ...extra,
    ...(remote ? [remoteAccess(remote)] : []),
  ];
}

/** A call of a server's tool is a use of the network, of a host that is the server: `net=mcp:server/tool`. */
function remoteAccess({ server, tool, pin, destructive }: RemoteTool): Access {
  const target = `mcp:${server}/${tool}`;
  const extremeReason =
    `calls ${tool} of the MCP server ${server}, which says it may destroy something`;
  return { kind: "net", target, pin, ...(destructive && { extremeReason }) };
}
