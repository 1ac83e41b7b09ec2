/**
 * Where a login may send requests: whoever runs a server names the addresses of its login, and must not have ally ask
 * machines that only ally reaches. The rule is that of browsers for local networks: a host is asked only by one that is
 * as near, so that a server of the internet leads nowhere but to the internet.
 */
import { lookup } from "node:dns/promises";
import { type AddressSpace, hostSpace, isNearer } from "../lib/host_address.ts";

/** Looks a name up. @throws {Error} it has no address */
export type LookUp = (hostname: string) => Promise<readonly { readonly address: string }[]>;

/** A login leads to an address that is not to be asked. */
export class UnsafeLoginAddress extends Error {
  override name = "UnsafeLoginAddress";
}

/** Refuses addresses that the login of one server may not name. */
export interface LoginReach {
  /** What was refused first. */
  readonly refused: UnsafeLoginAddress | undefined;
  /** @throws {UnsafeLoginAddress} the server may not name this address */
  require(address: string | URL): Promise<void>;
}

/** Makes the check for the server at an address, whose own host a person named. */
export function createLoginReach(
  server: string,
  { lookUp = (name) => lookup(name, { all: true }) }: { lookUp?: LookUp } = {},
): LoginReach {
  const own = new URL(server).hostname;
  let ownSpace: Promise<AddressSpace> | undefined;
  let refused: UnsafeLoginAddress | undefined;

  async function findReason(url: URL): Promise<string | undefined> {
    if (url.hostname === own) return undefined;
    ownSpace ??= spacesOf(own, lookUp).then((spaces) => spaces.reduce(farther));
    const [from, spaces] = await Promise.all([ownSpace, spacesOf(url.hostname, lookUp)]);
    if (spaces.some((space) => isNearer(space, from))) {
      return "no public address, and closer to this machine than the server is";
    }
    // Who answers by another address the next time is no good: over TLS it would have to prove its name.
    return url.protocol === "https:" || spaces.every((space) => space !== "public")
      ? undefined
      : "an address without encryption";
  }

  return {
    get refused() {
      return refused;
    },
    async require(address) {
      const url = new URL(address);
      const why = await findReason(url);
      if (why === undefined) return;
      const error = new UnsafeLoginAddress(
        `its login leads to ${url.origin}, ${why}: nothing was requested there, and whoever runs the server has to correct it`,
      );
      refused ??= error;
      throw error;
    },
  };
}

/** Where a host is, by its text and by the addresses that its name has; a proxy may know a name that has none here. */
async function spacesOf(hostname: string, lookUp: LookUp): Promise<AddressSpace[]> {
  const space = hostSpace(hostname);
  if (space !== "public") return [space];
  const found = await lookUp(hostname.replace(/^\[|\]$/g, "")).catch(() => []);
  return found.length === 0 ? [space] : found.map(({ address }) => hostSpace(address));
}

function farther(one: AddressSpace, other: AddressSpace): AddressSpace {
  return isNearer(one, other) ? other : one;
}
