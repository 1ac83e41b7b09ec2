/**
 * What a login at a server over HTTP left: the client as which ally was registered, and its tokens. One file a
 * server, for its owner's eyes alone, good for just the address it was given for. Called by `server.ts` and the
 * commands.
 */
import { dirname, join } from "node:path";
import { replaceFile } from "../lib/fs.ts";
import { isObject } from "../lib/schema.ts";
import { cachePath } from "./server_cache.ts";
import type { ServerConfig } from "./server_config.ts";

const VERSION = 1;

/** What is kept: as the client of the protocol hands it over, and hands back unchanged. */
export interface SavedLogin {
  /** Address that it is for. */
  readonly url: string;
  readonly client?: unknown;
  readonly tokens?: unknown;
  readonly discovery?: unknown;
}

/** Reads and writes one server's login. */
export class LoginFile {
  readonly #path: string;
  readonly #url: string;

  /** `url` is the server's, its variables put in; `directory` is where what is known of servers lies. */
  constructor(
    entry: Pick<ServerConfig, "name" | "slug" | "file">,
    { url, directory }: { url: string; directory: string },
  ) {
    this.#path = cachePath(entry, { directory, kind: ".login.json" });
    this.#url = url;
  }

  /** What is there for this address; empty if nothing is. */
  async read(): Promise<SavedLogin> {
    try {
      const value: unknown = JSON.parse(await Deno.readTextFile(this.#path));
      const known = isObject(value) && value.version === VERSION ? value.login : undefined;
      return isObject(known) && known.url === this.#url
        ? known as unknown as SavedLogin
        : { url: this.#url };
    } catch {
      return { url: this.#url };
    }
  }

  /** Changes parts of it; what is undefined goes. @throws {Error} it cannot be written */
  async update(parts: Partial<SavedLogin>): Promise<void> {
    const login = { ...await this.read(), ...parts };
    await Deno.mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const directory = await Deno.realPath(dirname(this.#path));
    const path = join(directory, this.#path.slice(dirname(this.#path).length + 1));
    const text = JSON.stringify({ version: VERSION, login });
    await replaceFile(path, new TextEncoder().encode(text), { mode: 0o600 });
  }

  /** Forgets it; false if there was none. */
  async remove(): Promise<boolean> {
    return await Deno.remove(this.#path).then(() => true, () => false);
  }
}
