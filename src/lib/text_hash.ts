/**
 * Names in hexadecimal digits: random ones, and the SHA-256 of a short text. That is worked out in JavaScript: Node's
 * module does it quicker, but takes longer to load than ally takes to start. At every start a project's folder, servers
 * and their tools are hashed.
 */
import { sha256 } from "@noble/hashes/sha2.js";

/** So many random bytes, two digits each. */
export function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}

/** The SHA-256 of a text in UTF-8, in hexadecimal. */
export function hashShortText(text: string): string {
  return sha256(new TextEncoder().encode(text)).toHex();
}
