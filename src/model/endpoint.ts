/**
 * Where a model server is and how to be let in, and the one way to say its address to people.
 */

export interface Endpoint {
  /** Base URL, e.g. `http://localhost:11434/v1`. */
  readonly endpoint: string;
  /** Without one no Authorization header is sent. */
  readonly apiKey?: string | undefined;
  /** How its key is given, for who must mend it. @default OPENAI_API_KEY */
  readonly keyHint?: string | undefined;
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How it is reached. @default the global `fetch` */
  readonly fetch?: typeof fetch | undefined;
}

/** The base URL without user name, password, query and final slash, any of which may be a secret or noise. */
export function displayUrl(endpoint: string): string {
  const url = URL.parse(endpoint);
  return url === null ? endpoint : (url.origin + url.pathname).replace(/\/+$/, "");
}

/** The base URL as paths are added to it. */
export function baseUrl({ endpoint }: Endpoint): string {
  return endpoint.replace(/\/+$/, "");
}

/** Host and port of the server, as Deno's permissions name them. */
export function hostOf(endpoint: string): string {
  const { hostname, port, protocol } = new URL(endpoint);
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}
