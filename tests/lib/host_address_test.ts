import assert from "node:assert/strict";
import { isPrivateHost, isPublicAddress } from "../../src/lib/host_address.ts";

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
  ...["::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "64:ff9b::7f00:1", "2002:7f00:1::", "2001::1"],
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
    assert.equal(isPrivateHost(new URL(`http://${host}/`).hostname), true, host);
  }
  for (const host of ["example.com", "localhost.example.com", "1.1.1.1", "[2606:4700::1111]"]) {
    assert.equal(isPrivateHost(new URL(`http://${host}/`).hostname), false, host);
  }
});
