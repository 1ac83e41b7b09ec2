/**
 * Logs a person in at a server: opens its login page and receives the browser's redirect at a local address. The saved
 * login changes only once the new one is complete.
 */
import { auth, extractWWWAuthenticateParams } from "@modelcontextprotocol/sdk/client/auth.js";
import { abortable } from "../lib/async.ts";
import { bindFetch, boundedFetch } from "./http.ts";
import type { LoginFile } from "./login_file.ts";
import { createLoginProvider } from "./login_provider.ts";
import { createLoginReach } from "./login_reach.ts";
import { describeIssues } from "./schema_issues.ts";
import type { HttpConfig } from "./server_config.ts";

const NO_CREDENTIALS = { client: undefined, tokens: undefined, discovery: undefined } as const;

/** What a login works with. */
interface LoginOptions {
  readonly file: LoginFile;
  /** Shows the page where the person logs in. */
  readonly onPage: (url: string) => void;
  /** Aborted when the person gives up or takes too long. */
  readonly signal: AbortSignal;
}

/**
 * Logs in. @throws {Error} the server asks for no login, the address of its login page is not safe, or the login was
 * refused there
 */
export async function logIn(
  { url, headers }: HttpConfig,
  { file, onPage, signal }: LoginOptions,
): Promise<void> {
  const asked = await discoverLogin(url, { headers, signal });
  const state = crypto.randomUUID();
  const callback = listenForCallback(state);
  const before = file.read();
  const reach = createLoginReach(url);
  const fetchInReach = bindFetch(reach);
  let last = url;
  const fetchFn: typeof fetchInReach = (address, init) => {
    last = String(address);
    return fetchInReach(address, init);
  };
  let done = false;
  try {
    await file.update(NO_CREDENTIALS);
    const provider = createLoginProvider({
      file,
      callback: { url: callback.url, state },
      onPage: (page) => onPage(requireSafePage(page)),
    });
    const how = { serverUrl: url, ...asked, fetchFn };
    if (await abortable(auth(provider, how), signal) !== "AUTHORIZED") {
      const authorizationCode = await abortable(callback.code, signal);
      await abortable(auth(provider, { ...how, authorizationCode }), signal);
    }
    done = true;
  } catch (error) {
    // The official code goes on without what could not be asked, and then fails for another reason.
    throw reach.refused ?? inWords(error, last);
  } finally {
    await callback.close();
    if (!done) await file.update({ ...NO_CREDENTIALS, ...before });
  }
}

/** An error about an answer, with the address that gave it and in words; any other as it is. */
function inWords(error: unknown, address: string): unknown {
  const { origin, pathname } = new URL(address);
  const place = `${origin}${pathname}`;
  const status = error instanceof Error ? NO_OAUTH.exec(error.message)?.[1] : undefined;
  const why = error instanceof SyntaxError ? "it is not JSON" : describeIssues(error);
  const problem = status !== undefined
    ? `${place} answered ${status}`
    : why && `the answer of ${place} is no valid OAuth: ${why}`;
  if (problem === undefined) return error;
  return new Error(`${problem}. Whoever runs the server has to correct that`, { cause: error });
}

/** What the official code says of a failure that is told in no way that it knows. */
const NO_OAUTH = /^HTTP (\d+): Invalid OAuth error response: /;

/** Where the server says its users log in. @throws {Error} it asks for no login, or does not answer */
async function discoverLogin(
  url: string,
  { headers, signal }: { headers: Readonly<Record<string, string>>; signal: AbortSignal },
): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const response = await boundedFetch(url, {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" }),
    redirect: "manual",
    signal,
  });
  await response.body?.cancel();
  if (response.status !== 401) {
    throw new Error(`it asks for no login (it answered ${response.status})`);
  }
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    ...(scope !== undefined && { scope }),
  };
}

/** The address of a page that may be opened in a browser: what stands before an @ in it looks like another host. */
function requireSafePage(url: URL): string {
  const { protocol, host, hostname, username, password } = url;
  const own = ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
  const hasUser = username !== "" || password !== "";
  if (!hasUser && (protocol === "https:" || (protocol === "http:" && own))) return url.href;
  const user = hasUser ? "…@" : "";
  throw new Error(`the address of its login page is not safe: ${protocol}//${user}${host}`);
}

const PAGE = "You can close this page and go back to ally.";

/** A local address that receives the browser's redirect. */
function listenForCallback(state: string): {
  url: string;
  code: Promise<string>;
  close: () => Promise<void>;
} {
  const { promise: code, resolve, reject } = Promise.withResolvers<string>();
  // The error is thrown where the code is awaited.
  code.catch(() => {});
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/callback") return new Response("", { status: 404 });
    // Another page could send a browser here with an answer of its own.
    if (searchParams.get("state") !== state) return new Response("", { status: 400 });
    const found = searchParams.get("code");
    const why = searchParams.get("error_description") ?? searchParams.get("error");
    if (found === null) reject(new Error(`the login was refused: ${why ?? "no reason was given"}`));
    else resolve(found);
    return new Response(found === null ? `The login was refused. ${PAGE}` : `Logged in. ${PAGE}`, {
      headers: { connection: "close" },
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/callback`,
    code,
    close: () => server.shutdown(),
  };
}
