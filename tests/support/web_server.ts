/**
 * A web server on loopback, and the names by which a reader finds it: the DNS is in the test's hands.
 */
import type { WebAge, WebPage, WebReader } from "../../src/core/web.ts";
import { createWebReader } from "../../src/web/reader.ts";
import type { HostAddress, LookUp } from "../../src/web/request.ts";

/** Answers a request. */
export type Answer = (request: Request) => Response | Promise<Response>;

/** A server, and what reads it. */
export interface WebStage extends AsyncDisposable {
  readonly reader: WebReader;
  readonly port: number;
  /** The requests that came, as `HOST PATH`. */
  readonly requests: readonly string[];
  /** Reads a page of a host; the host alone, and the addresses of `allowed`, may be reached. */
  read(url: string, allowed?: readonly string[], age?: WebAge): Promise<WebPage>;
}

/** Starts a server; each name has the addresses of its row, one row after the other, the last one for good. */
export function startWeb(
  answer: Answer,
  names: Readonly<Record<string, readonly (readonly string[])[]>> = {},
): WebStage {
  const requests: string[] = [];
  const asked = new Map<string, number>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    requests.push(`${request.headers.get("host")} ${new URL(request.url).pathname}`);
    return answer(request);
  });
  const lookUp: LookUp = (name) => {
    const rows = names[name] ?? [[name]];
    const count = asked.get(name) ?? 0;
    asked.set(name, count + 1);
    return Promise.resolve((rows[count] ?? rows.at(-1) ?? []).map(toAddress));
  };
  const reader = createWebReader({ userAgent: "ally/test", env: Deno.env, lookUp });
  const { port } = server.addr;
  return {
    reader,
    port,
    requests,
    async read(url, allowed = ["127.0.0.1"], age = {}) {
      return await reader.read(new URL(url.replace("PORT", String(port))), {
        mayReach: (host) => Promise.resolve(allowed.includes(host)),
        signal: new AbortController().signal,
        ...age,
      });
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function toAddress(address: string): HostAddress {
  return { address, family: address.includes(":") ? 6 : 4 };
}
