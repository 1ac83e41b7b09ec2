/**
 * Where a model server is and how to authenticate there, and the one way to show its address to people.
 */
import { RequestFailure } from "./failure.ts";

/** A model server. */
export interface Endpoint {
  /** Base URL, e.g. `http://localhost:11434/v1`. */
  readonly url: string;
  /** Without a key no Authorization header is sent. */
  readonly apiKey?: string | undefined;
  /** Where the key is configured, for error messages. @default OPENAI_API_KEY */
  readonly keyHint?: string | undefined;
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How requests are made. @default the global `fetch` */
  readonly fetch?: typeof fetch | undefined;
}

/** The base URL without user name, password, query and final slash: secrets and noise. */
export function displayUrl(endpoint: string): string {
  const url = URL.parse(endpoint);
  return url === null ? endpoint : (url.origin + url.pathname).replace(/\/+$/, "");
}

/** The base URL without its final slashes, ready for a path. */
export function baseUrl({ url }: Endpoint): string {
  return url.replace(/\/+$/, "");
}

/** The URL of a path below a base URL, whose query stays at the end. */
export function urlBelow(base: string, path: string): string {
  const url = URL.parse(base);
  if (url === null) return base + path;
  url.pathname = url.pathname.replace(/\/+$/, "") + path;
  return url.href;
}

/**
 * The headers that every request sends, with the key as a bearer token.
 * @throws {RequestFailure} unsendable: a request cannot carry one of them; it is named without its value
 */
export function requestHeaders({ apiKey, headers = {} }: Endpoint): Headers {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    setHeader(sent, { name, value, what: `its header ${JSON.stringify(name)}` });
  }
  sent.set("accept", "application/json");
  if (!apiKey) return sent;
  return setHeader(sent, { name: "authorization", value: `Bearer ${apiKey}`, what: "its key" });
}

function setHeader(
  headers: Headers,
  { name, value, what }: { name: string; value: string; what: string },
): Headers {
  try {
    headers.set(name, value);
    return headers;
  } catch {
    // The error would show the value.
    throw new RequestFailure("unsendable", `${what} has characters that no request can carry`);
  }
}

/** Host and port of the server, as Deno's permissions name them. */
export function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

/** Where a request goes: the base URL as it may be shown, and the path below it without its query. */
export interface RequestTarget {
  /** Undefined if it is the first of the base URLs, or none of them. */
  readonly endpoint: string | undefined;
  readonly path: string;
}

/** The target of a URL; the longest base URL that fits counts. */
export function targetOf(url: string, bases: readonly string[]): RequestTarget {
  // The query may hold a key.
  const whole = displayUrl(url);
  const fitting = bases.map(displayUrl).filter((base) => whole.startsWith(`${base}/`));
  const base = fitting.sort((a, b) => b.length - a.length)[0];
  if (base === undefined) return { endpoint: undefined, path: URL.parse(url)?.pathname ?? url };
  const isFirst = base === displayUrl(bases[0] ?? "");
  return { endpoint: isFirst ? undefined : base, path: whole.slice(base.length) };
}
