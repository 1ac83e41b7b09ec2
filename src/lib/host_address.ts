/**
 * Which hosts are public and which are at home: every other address is that of nobody, or of no single machine.
 */
import ipaddr from "ipaddr.js";

/** Names that lead to this machine or a private network wherever they are asked for. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|home\.arpa|lan)\.?$/;

/** Whose an address is, by its range; one that is not here is nobody's (broadcast, reserved, tunnels). */
const OWNERS: Readonly<Record<string, "everybody" | "here">> = {
  unicast: "everybody",
  unspecified: "here",
  loopback: "here",
  private: "here",
  linkLocal: "here",
  uniqueLocal: "here",
  carrierGradeNat: "here",
};

/** Whether an IPv4 or IPv6 address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  return ownerOf(address) === "everybody";
}

/** Whether a host, as `URL` writes it, leads to no public address as far as its text tells: what must be named. */
export function isNotPublicHost(hostname: string): boolean {
  return hostOwner(hostname) !== "everybody";
}

/** Whether a host, as `URL` writes it, is this machine or one of its networks as far as its text tells. */
export function isLocalHost(hostname: string): boolean {
  return hostOwner(hostname) === "here";
}

function hostOwner(hostname: string): "everybody" | "here" | undefined {
  const address = hostname.replace(/^\[|\]$/g, "");
  if (ipaddr.isValid(address)) return ownerOf(address);
  return PRIVATE_NAME.test(hostname) ? "here" : "everybody";
}

function ownerOf(address: string): "everybody" | "here" | undefined {
  // A zone (`fe80::1%eth0`) names an interface, not another address.
  const parsed = ipaddr.parse(address.replace(/%.*$/, ""));
  if (!("isIPv4MappedAddress" in parsed)) return OWNERS[parsed.range()];
  if (parsed.isIPv4MappedAddress()) return OWNERS[parsed.toIPv4Address().range()];
  const owner = OWNERS[parsed.range()];
  // Of IPv6 only 2000::/3 is given out: what is outside leads nowhere, or to an IPv4 address in disguise.
  const isGivenOut = parsed.parts[0]! >> 13 === 1;
  return owner === "everybody" && !isGivenOut ? undefined : owner;
}
