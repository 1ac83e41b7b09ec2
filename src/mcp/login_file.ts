/**
 * The saved login at a server over HTTP: the registered client and its tokens, one file for each server, valid only
 * for the address that it was given for.
 */
import { cachePath } from "./server_cache.ts";
import type { ServerConfig } from "./server_config.ts";
import { readServerFile, writeServerFile } from "./server_file.ts";

/** What is kept, in the form in which the MCP client passes it. */
interface SavedLogin {
  /** The address that it is for. */
  readonly url: string;
  readonly client?: unknown;
  readonly tokens?: unknown;
  readonly discovery?: unknown;
}

/** Reads and writes one server's login. */
export class LoginFile {
  readonly #path: string;
  readonly #url: string;

  /** `url` is the server's, its variables replaced; `directory` holds the files of all servers. */
  constructor(
    entry: Pick<ServerConfig, "name" | "slug" | "file">,
    { url, directory }: { url: string; directory: string },
  ) {
    this.#path = cachePath(entry, { directory, kind: ".login.json" });
    this.#url = url;
  }

  /** What is saved for this address; empty if nothing is. */
  read(): SavedLogin {
    const login = readServerFile(this.#path, "login");
    return { ...(login?.url === this.#url && login), url: this.#url };
  }

  /** Changes parts of it; undefined removes a part. @throws {Error} it cannot be written */
  async update(parts: Partial<SavedLogin>): Promise<void> {
    const login = { ...this.read(), ...parts };
    await writeServerFile(this.#path, { login });
  }

  /** Deletes it; false if there was none. */
  async remove(): Promise<boolean> {
    return await Deno.remove(this.#path).then(() => true, () => false);
  }
}
