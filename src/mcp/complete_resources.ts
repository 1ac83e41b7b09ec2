/**
 * The resources of servers as a person names them while typing: `@server:uri`. Asked for with each completion, in
 * bounds, because what a server has may change. Called by `cli/complete.ts`.
 */
import { isObject } from "../lib/schema.ts";
import { stripControls } from "../lib/text.ts";
import type { Servers } from "./servers.ts";

/** Milliseconds that a completion may take; a server that has to be started first goes on starting. */
const COMPLETION_TIMEOUT = 3_000;
const MAX_RESOURCES = 100;

/** What may follow an `@` that a text follows already: `server:`, then `server:uri`. Never throws. */
export async function completeResources(servers: Servers, text: string): Promise<string[]> {
  const [, name, begun = ""] = /^([\w-]+):(.*)$/s.exec(text) ?? [];
  if (name === undefined) {
    return servers.list.filter(({ state }) => state !== "disabled" && state !== "unapproved")
      .map(({ config }) => `${config.slug}:`).filter((one) => one.startsWith(text));
  }
  const found = await servers.find(name)?.listResources(AbortSignal.timeout(COMPLETION_TIMEOUT))
    .catch(() => []);
  return (found ?? [])
    .flatMap((one) => isObject(one) && typeof one.uri === "string" ? [one.uri] : [])
    // What cannot be typed as one word cannot be named.
    .filter((uri) => uri.startsWith(begun) && uri === stripControls(uri) && !/\s/.test(uri))
    .slice(0, MAX_RESOURCES)
    .map((uri) => `${name}:${uri}`);
}
