/**
 * How a placeholder looks: ASCII without blanks or quotes, short, and like nothing else in a file.
 */
import { PLACEHOLDER_START } from "../core/secrets.ts";

/** `[secret:KIND:TAG]`; the tag alone tells which secret. */
export const PLACEHOLDER = /\[secret:([a-z0-9_]{1,40}):([0-9a-f]{8,32})\]/g;

/** Writes a placeholder. */
export function makePlaceholder(kind: string, tag: string): string {
  return `${PLACEHOLDER_START}${kind}:${tag}]`;
}
