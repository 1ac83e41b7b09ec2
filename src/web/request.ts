/**
 * One request to a checked address. The name is looked up once, all addresses it has are checked, and exactly these
 * are connected to: an answer of the DNS that changes in between changes nothing.
 */
import { lookup as lookUp } from "node:dns/promises";
import { request as requestHttp } from "node:http";
import type { IncomingMessage, RequestOptions } from "node:http";
import { request as requestHttps } from "node:https";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ToolError } from "../core/errors.ts";
import type { WebReach } from "../core/web.ts";
import { isPublicAddress } from "../lib/host_address.ts";
import { causeMessages } from "../lib/text.ts";

/** An address that a name has. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Looks a name up. @throws {Error} it has no address */
export type LookUp = (hostname: string) => Promise<readonly HostAddress[]>;

/** An answer whose body has not been read. */
export interface WebAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Decompressed. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Milliseconds until the head of an answer must be there. */
const HEAD_MS = 30_000;

/** Asks the system, as every program does. */
export const SYSTEM_LOOK_UP: LookUp = (hostname) => lookUp(hostname, { all: true });

/** Requests a page. @throws {ToolError} it cannot be reached, or not without leaving the public internet */
export async function requestPage(
  url: URL,
  { headers, lookUp, ...reach }: WebReach & {
    headers: Readonly<Record<string, string>>;
    lookUp: LookUp;
  },
): Promise<WebAnswer> {
  const { signal } = reach;
  const addresses = await findAddresses(url, { lookUp, ...reach });
  signal.throwIfAborted();
  const answered = Promise.withResolvers<IncomingMessage>();
  const options: RequestOptions = {
    headers,
    agent: false,
    signal,
    lookup: (_hostname, { all }, done) => {
      const [first] = addresses;
      if (all) done(null, [...addresses]);
      else done(null, first!.address, first!.family);
    },
  };
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const request = send(url, options, answered.resolve).on("error", answered.reject);
  const timer = setTimeout(() => request.destroy(new Error("it did not answer")), HEAD_MS);
  request.end();
  try {
    const answer = await answered.promise;
    return { status: answer.statusCode ?? 0, headers: headersOf(answer), body: bodyOf(answer) };
  } catch (error) {
    request.destroy();
    if (signal.aborted || error instanceof ToolError) throw error;
    throw new ToolError(`Cannot reach ${url.host}: ${causeMessages(error).join(": ")}`, {
      kind: "user",
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** The addresses of a host. @throws {ToolError} it has none, or one that is not public and that nobody named */
async function findAddresses(
  { hostname }: URL,
  { lookUp, mayReach }: WebReach & { lookUp: LookUp },
): Promise<readonly HostAddress[]> {
  const name = hostname.replace(/^\[|\]$/g, "");
  const found = await lookUp(name).catch((error): readonly HostAddress[] => {
    throw new ToolError(`Cannot find the host ${hostname}`, { kind: "user", cause: error });
  });
  if (found.length === 0) throw new ToolError(`${hostname} has no address`, { kind: "user" });
  for (const { address } of found) {
    if (isPublicAddress(address) || await mayReach(bracketed(address))) continue;
    // "localhost" was judged as what it is.
    if (isLoopbackName(name) && await mayReach(hostname)) continue;
    throw new ToolError(
      `${hostname} leads to ${address}, which is no public address: nothing was requested`,
      {
        kind: "security",
        suggestion: `Only the user can allow it, with --allow-net=${bracketed(address)}.`,
      },
    );
  }
  return found;
}

function isLoopbackName(name: string): boolean {
  return /^(.+\.)?localhost\.?$/.test(name);
}

/** An address as `URL` writes it. */
function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

function headersOf({ headers }: IncomingMessage): WebAnswer["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : value,
    ]),
  );
}

function bodyOf(answer: IncomingMessage): WebAnswer["body"] {
  const decompressor = decompressorFor(answer.headers["content-encoding"]);
  if (decompressor === undefined) return ReadableStream.from(answer);
  // Whatever ends one ends the other.
  answer.on("error", (error) => decompressor.destroy(error));
  decompressor.on("close", () => answer.destroy());
  return ReadableStream.from(answer.pipe(decompressor));
}

function decompressorFor(encoding = "identity") {
  switch (encoding.toLowerCase()) {
    case "identity":
      return undefined;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      throw new ToolError(`It is compressed as ${encoding}, which was not asked for`, {
        kind: "user",
      });
  }
}
