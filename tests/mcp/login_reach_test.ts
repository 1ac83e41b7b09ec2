import assert from "node:assert/strict";
import { createLoginReach, type LookUp, UnsafeLoginAddress } from "../../src/mcp/login_reach.ts";

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  "mcp.example.com": ["93.184.216.34"],
  "login.example.com": ["1.1.1.1"],
  "inner.example.com": ["10.0.0.5"],
  "sso.example.com": ["10.0.0.6"],
  "here.example.com": ["127.0.0.1"],
  "both.example.com": ["1.1.1.1", "169.254.169.254"],
};

const lookUp: LookUp = (name) =>
  name in ADDRESSES
    ? Promise.resolve(ADDRESSES[name]!.map((address) => ({ address })))
    : Promise.reject(new Error("no such name"));

const PUBLIC = "https://mcp.example.com/mcp";
const INNER = "http://inner.example.com/mcp";
const LOCAL = "http://localhost:3000/mcp";

const ASKED: readonly (readonly [server: string, address: string, isAsked: boolean])[] = [
  [PUBLIC, "https://mcp.example.com:8443/register", true],
  [PUBLIC, "https://login.example.com/token", true],
  [PUBLIC, "https://known-to-a-proxy.example.com/token", true],
  [PUBLIC, "http://login.example.com/token", false],
  [PUBLIC, "https://inner.example.com/token", false],
  [PUBLIC, "https://here.example.com/token", false],
  [PUBLIC, "https://both.example.com/token", false],
  [PUBLIC, "http://127.0.0.1:8080/token", false],
  [PUBLIC, "http://[::ffff:10.0.0.1]/token", false],
  [PUBLIC, "http://169.254.169.254/latest", false],
  [PUBLIC, "http://printer.local/", false],
  ["http://both.example.com/mcp", "http://127.0.0.1/token", false],
  [INNER, "http://sso.example.com/token", true],
  [INNER, "https://login.example.com/token", true],
  [INNER, "http://127.0.0.1:8080/token", false],
  [INNER, "http://169.254.169.254/latest", false],
  [LOCAL, "http://127.0.0.1:8080/token", true],
  [LOCAL, "http://10.0.0.5/token", true],
];

for (const [server, address, isAsked] of ASKED) {
  Deno.test(`a login at ${server} ${isAsked ? "asks" : "does not ask"} ${address}`, async () => {
    const reach = createLoginReach(server, { lookUp });
    if (isAsked) await reach.require(address);
    else await assert.rejects(reach.require(address), UnsafeLoginAddress);
    assert.equal(reach.refused !== undefined, !isAsked);
  });
}
