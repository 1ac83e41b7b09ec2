import assert from "node:assert/strict";
import { isLocalHost, isNotPublicHost, isPublicAddress } from "../../src/lib/host_address.ts";

const PUBLIC = ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "172.32.0.1"];

const OTHERS = [
  ...[
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
  ],
  ...[
    "100.64.0.1",
    "192.0.0.8",
    "198.18.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
  ],
  ...["::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "2001:db8::1"],
  ...[
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "64:ff9b::7f00:1",
    "::7f00:1",
    "::a9fe:a9fe",
    "5f00::1",
    "2002:7f00:1::",
    "2001::1",
  ],
];

for (const address of PUBLIC) {
  Deno.test(`${address} is an address of the public internet`, () => {
    assert.equal(isPublicAddress(address), true);
  });
}

for (const address of OTHERS) {
  Deno.test(`${address} is none of the public internet`, () => {
    assert.equal(isPublicAddress(address), false);
  });
}

Deno.test("a host that is private is known by its text, however it is written in a URL", () => {
  const urls = [
    ...["localhost", "a.localhost", "LOCALHOST.", "printer.local", "metadata.google.internal"],
    ...["127.1", "0x7f.1", "2130706433", "017700000001", "[::1]", "[::ffff:10.0.0.1]", "10.0.0.1."],
  ];
  for (const host of urls) {
    assert.equal(isNotPublicHost(new URL(`http://${host}/`).hostname), true, host);
  }
  for (const host of ["example.com", "localhost.example.com", "1.1.1.1", "[2606:4700::1111]"]) {
    assert.equal(isNotPublicHost(new URL(`http://${host}/`).hostname), false, host);
  }
});

const LOCAL = [
  ...["localhost", "127.0.0.1", "127.8.8.8", "[::1]", "10.0.0.1", "172.16.0.1", "172.31.9.9"],
  ...["192.168.1.2", "169.254.1.1", "[fd12::1]", "[fe80::1]", "gpu.local", "box.internal"],
  ...["0.0.0.0", "100.64.0.9", "[::ffff:10.0.0.1]", "127.1", "0x7f000001", "nas.lan"],
];

const ELSEWHERE = [
  ...["api.openai.com", "8.8.8.8", "172.32.0.1", "172.15.0.1", "192.169.1.1", "11.0.0.1"],
  ...["localhost.example.com", "10.example.com", "127.0.0.1.nip.io", "[2606:4700::1111]"],
  // Of nobody: neither public nor here.
  ...["[2001:db8::1]", "224.0.0.1", "255.255.255.255", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"],
];

Deno.test("isLocalHost() knows this machine and its networks, and nothing else", () => {
  const isLocal = (host: string) => isLocalHost(new URL(`http://${host}:8080/v1`).hostname);
  for (const host of LOCAL) assert.ok(isLocal(host), host);
  for (const host of ELSEWHERE) assert.ok(!isLocal(host), host);
});

Deno.test("what is local, or nobody's, is not public", () => {
  const isPublic = (host: string) => !isNotPublicHost(new URL(`http://${host}/`).hostname);
  for (const host of LOCAL) assert.ok(!isPublic(host), host);
  assert.deepEqual(ELSEWHERE.map(isPublic).indexOf(false), 10);
});
