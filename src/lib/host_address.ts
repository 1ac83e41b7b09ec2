/**
 * Which addresses belong to everybody: all others lead to this machine, to a private network or nowhere.
 */
import ipaddr from "ipaddr.js";

/** Names that lead to this machine or a private network wherever they are asked for. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|home\.arpa|lan)\.?$/;

/** Whether an IPv4 or IPv6 address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  const { range, mapped } = parse(address);
  return mapped === undefined ? range === "unicast" : isPublicAddress(mapped);
}

/** Whether a host, as `URL` writes it, leads to no public address as far as its text tells. */
export function isPrivateHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, "");
  return ipaddr.isValid(address) ? !isPublicAddress(address) : PRIVATE_NAME.test(hostname);
}

function parse(address: string): { range: string; mapped?: string } {
  // A zone (`fe80::1%eth0`) names an interface, not another address.
  const parsed = ipaddr.parse(address.replace(/%.*$/, ""));
  return "isIPv4MappedAddress" in parsed && parsed.isIPv4MappedAddress()
    ? { range: parsed.range(), mapped: parsed.toIPv4Address().toString() }
    : { range: parsed.range() };
}
