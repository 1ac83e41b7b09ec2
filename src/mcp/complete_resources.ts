/**
 * Completes the resources of servers as a person types them: `@server:uri`. The server is asked each time, since its
 * resources may change, within a limit of time and number.
 */
import { isObject } from "../lib/schema.ts";
import { stripControls } from "../lib/text.ts";
import type { Servers } from "./servers.ts";

/** Milliseconds for one completion; a server that has to start first continues to start. */
const COMPLETION_TIMEOUT = 3_000;
const MAX_RESOURCES = 100;

/** Candidates for the text after an `@`: `server:`, then `server:uri`. Never throws. */
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
    // A URI that cannot be typed as one word cannot be named.
    .filter((uri) => uri.startsWith(begun) && uri === stripControls(uri) && !/\s/.test(uri))
    .slice(0, MAX_RESOURCES)
    .map((uri) => `${name}:${uri}`);
}
