/**
 * The resources of servers as a person names them: `server:uri`.
 */
import { isObject } from "../lib/schema.ts";
import { stripControls } from "../lib/text.ts";
import type { Server } from "./server.ts";
import type { Servers } from "./servers.ts";

/** Milliseconds for one list; a server that has to start first continues to start. */
const LIST_TIMEOUT_MS = 3_000;

/** The servers that can be named. */
export function namedServers(servers: Servers): readonly Server[] {
  return servers.list.filter(({ state }) => state !== "disabled" && state !== "unapproved");
}

/** The resources of a server as they are now; none if it does not answer in time. Never throws. */
export async function listResourceNames(server: Server): Promise<readonly string[]> {
  const found = await server.listResources(AbortSignal.timeout(LIST_TIMEOUT_MS)).catch(() => []);
  return found
    .flatMap((one) => isObject(one) && typeof one.uri === "string" ? [one.uri] : [])
    // A URI that cannot be typed as one word cannot be named.
    .filter((uri) => uri === stripControls(uri) && !/\s/.test(uri))
    .map((uri) => `${server.config.slug}:${uri}`);
}
