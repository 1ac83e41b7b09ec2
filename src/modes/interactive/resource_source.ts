/**
 * Resources of MCP servers: a server by its name, then what it has. Servers are asked again after a while, since what
 * they have changes.
 */
import { FuzzyList } from "../../lib/fuzzy_list.ts";
import { listResourceNames, namedServers } from "../../mcp/resource_names.ts";
import type { Server } from "../../mcp/server.ts";
import type { Servers } from "../../mcp/servers.ts";
import {
  findEarly,
  findNamed,
  type Found,
  MAX_ITEMS,
  NOTHING,
  type SuggestionSource,
} from "./suggestion_source.ts";

/** Milliseconds for which an answer holds. */
const MAX_AGE_MS = 10_000;

/** The resources of all servers. */
export class ResourceSource implements SuggestionSource {
  readonly #servers: Servers;
  readonly #lists = new Map<Server, { readonly list: Promise<FuzzyList>; readonly at: number }>();

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  /** Servers, and with `server:` before the letters what that one has. */
  async find(letters: string, signal: AbortSignal): Promise<Found> {
    const name = /^([\w-]+):/.exec(letters)?.[1];
    const servers = namedServers(this.#servers);
    if (name === undefined) {
      const things = servers.map(({ config: { slug } }) => ({
        label: `${slug}:`,
        insert: `${slug}:`,
        detail: "resources of this server",
        more: true,
      }));
      return await findNamed(things, letters, signal);
    }
    const server = servers.find(({ config }) => config.slug === name || config.name === name);
    return server === undefined ? NOTHING : await findEarly(this.#search(server, letters, signal));
  }

  async #search(server: Server, letters: string, signal: AbortSignal): Promise<Found> {
    const list = await this.#listOf(server);
    const { best, total } = await list.find(letters, { limit: MAX_ITEMS, signal });
    const items = best.map(({ text, ...match }) => ({ ...match, label: text, insert: text }));
    return { items, rest: total - items.length };
  }

  #listOf(server: Server): Promise<FuzzyList> {
    const known = this.#lists.get(server);
    if (known !== undefined && performance.now() - known.at < MAX_AGE_MS) return known.list;
    const list = listResourceNames(server).then((names) => new FuzzyList(names));
    this.#lists.set(server, { list, at: performance.now() });
    return list;
  }
}
