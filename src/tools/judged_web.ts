/**
 * The web as one call reaches it: the hosts that were judged with it, and no address of this machine or of a private
 * network that no rule, no configuration and no person who was asked has named.
 */
import type { Access } from "../core/access.ts";
import { ToolError } from "../core/errors.ts";
import type { WebAge, WebPage, WebReader } from "../core/web.ts";
import type { Policy } from "../permission/policy.ts";

/** Reads a page for a call. @throws {ToolError} security: its host was not judged; else as `WebReader` */
export async function readJudged(
  url: URL,
  { reader, accesses, policy, signal, ...age }: WebAge & {
    reader: WebReader;
    /** What the call does beyond its paths and command lines, all of it allowed by now. */
    accesses: readonly Access[];
    policy: Policy;
    signal: AbortSignal;
  },
): Promise<WebPage> {
  const judged = accesses.find(({ kind, target }) => kind === "net" && target === url.host);
  if (judged === undefined) {
    throw new ToolError(`${url.host} was not named when the call was judged`, { kind: "security" });
  }
  const { hostname, protocol } = url;
  const port = url.port || (protocol === "https:" ? "443" : "80");
  const mayReach = async (target: string) =>
    judged.named === true || target === hostname || await isNamed(`${target}:${port}`, policy);
  return await reader.read(url, { mayReach, signal, ...age });
}

/** Whether a rule names a host that rules for the whole network do not cover. */
async function isNamed(target: string, policy: Policy): Promise<boolean> {
  const { decision } = await policy.judge([{ kind: "net", target, inside: false }]);
  return decision === "allow";
}
