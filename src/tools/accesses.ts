/**
 * What a call wants to do, as accesses that the policy can judge: gathered from its arguments, from the
 * commands its tool names and from its plan, as far as they are known. Called by the pipeline.
 */
import type { Plan, ResolvedPath } from "../core/files.ts";
import type { Access, Verdict } from "../core/permission.ts";
import type { Effect, RemoteTool } from "../core/tool.ts";
import type { Policy } from "../permission/policy.ts";

/** What is known so far of what a call wants. */
export interface Claim {
  readonly effects: readonly Effect[];
  /** Paths in its arguments. */
  readonly paths: readonly ResolvedPath[];
  /** What it reads if it names nothing: the working directory. */
  readonly around?: ResolvedPath | undefined;
  /** Command lines in its arguments or named by its tool, and where they would run. */
  readonly commands: readonly { readonly text: string; readonly cwd?: string }[];
  /** What its tool says that it does besides. */
  readonly further?: readonly Access[] | undefined;
  /** Absent before it is planned. */
  readonly plan?: Plan | undefined;
  /** The server's tool that it calls. */
  readonly remote?: RemoteTool | undefined;
}

/** A claim as judged. */
export interface Judged {
  /** All that is not approved yet. */
  readonly accesses: readonly Access[];
  readonly verdict: Verdict;
}

/** Judges what a claim wants beyond what an earlier try was allowed. */
export async function judge(
  claim: Claim,
  { policy, approved = [] }: { policy: Policy; approved?: readonly Access[] | undefined },
): Promise<Judged> {
  const accesses = accessesOf(claim).filter(({ kind, target }) =>
    !approved.some((one) => one.kind === kind && one.target === target)
  );
  return { accesses, verdict: await policy.judge(accesses) };
}

/**
 * Until a call is planned, all paths of one that writes count as written; from then on what the plan
 * changes, whether the arguments name it or not.
 */
function accessesOf(claim: Claim): Access[] {
  const { effects, paths, commands, further = [], plan, remote, around } = claim;
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
    ...further,
    ...(remote ? [remoteAccess(remote)] : []),
  ];
}

/** A call of a server's tool is a use of the network, of a host that is the server: `net=mcp:server/tool`. */
function remoteAccess({ server, tool, pin, destructive }: RemoteTool): Access {
  const target = `mcp:${server}/${tool}`;
  const grave = `calls ${tool} of the MCP server ${server}, which says it may destroy something`;
  return { kind: "net", target, pin, ...(destructive && { grave }) };
}
