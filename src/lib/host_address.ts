/**
 * Which hosts are public and which are at home: every other address is that of nobody, or of no single machine.
 */
import ipaddr from "ipaddr.js";

/** Names that lead to this machine or a private network wherever they are asked for. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|home\.arpa|lan)\.?$/;

/** From where a host can be reached: from everywhere, in a network, on one machine, or nobody knows from where. */
export type AddressSpace = "public" | "network" | "machine" | "unknown";

const SPACES: readonly AddressSpace[] = ["public", "network", "machine", "unknown"];

/** Where an address is, by its range; one that is not here is nobody's (broadcast, reserved, tunnels). */
const SPACE_OF_RANGE: Readonly<Record<string, AddressSpace>> = {
  unicast: "public",
  private: "network",
  uniqueLocal: "network",
  carrierGradeNat: "network",
  unspecified: "machine",
  loopback: "machine",
  linkLocal: "machine",
};

/** Whether one host is reached by fewer than the other. */
export function isNearer(one: AddressSpace, other: AddressSpace): boolean {
  return SPACES.indexOf(one) > SPACES.indexOf(other);
}

/** Whether an IPv4 or IPv6 address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  return spaceOf(address) === "public";
}

/** Whether a host, as `URL` writes it, leads to no public address as far as its text tells: what must be named. */
export function isNotPublicHost(hostname: string): boolean {
  return hostSpace(hostname) !== "public";
}

/** Whether a host, as `URL` writes it, is this machine or one of its networks as far as its text tells. */
export function isLocalHost(hostname: string): boolean {
  return ["network", "machine"].includes(hostSpace(hostname));
}

/** Where an address, or a host as `URL` writes it, is as far as its text tells. */
export function hostSpace(hostname: string): AddressSpace {
  const address = hostname.replace(/^\[|\]$/g, "");
  if (ipaddr.isValid(address)) return spaceOf(address);
  const name = PRIVATE_NAME.exec(hostname)?.[2];
  if (name === undefined) return "public";
  return name === "localhost" ? "machine" : "network";
}

function spaceOf(address: string): AddressSpace {
  // A zone (`fe80::1%eth0`) names an interface, not another address.
  const parsed = ipaddr.parse(address.replace(/%.*$/, ""));
  const spaceOfRange = (range: string) => SPACE_OF_RANGE[range] ?? "unknown";
  if (!("isIPv4MappedAddress" in parsed)) return spaceOfRange(parsed.range());
  if (parsed.isIPv4MappedAddress()) return spaceOfRange(parsed.toIPv4Address().range());
  const space = spaceOfRange(parsed.range());
  // Of IPv6 only 2000::/3 is given out: what is outside leads nowhere, or to an IPv4 address in disguise.
  const isGivenOut = parsed.parts[0]! >> 13 === 1;
  return space === "public" && !isGivenOut ? "unknown" : space;
}
