/**
 * A short fingerprint of a text, the same whatever its line ends: by it the model and the context can tell
 * whether a file still is what was read.
 */
import { createHash } from "node:crypto";

/** Twelve hexadecimal digits of the SHA-256 of a text's lines. */
export function hashText(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  return createHash("sha256").update(lines).digest("hex").slice(0, 12);
}
