/**
 * The key from which placeholders of secrets are made, so that the same secret has the same placeholder
 * in all sessions of a user, and nobody without the key can test a guess against a session file.
 */
import { dirname } from "node:path";
import { requireWrite } from "../lib/fs.ts";
import { randomHex } from "../lib/text_hash.ts";

const BYTES = 32;

/** Reads the key, or makes it (0600) at its first use; one that cannot be stored is used for this process only. */
export function readMaskKey(path: string): Uint8Array {
  const known = load(path);
  if (known) return known;
  const key = crypto.getRandomValues(new Uint8Array(BYTES));
  try {
    requireWrite(path);
    Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Written completely before it gets its name, so that two processes agree on the first one linked.
    const draft = `${path}.${randomHex(6)}`;
    Deno.writeFileSync(draft, key, { mode: 0o600, createNew: true });
    linkIntoPlace(draft, path);
  } catch {
    // It is used for this process only, unless another process has stored one.
  }
  return load(path) ?? key;
}

/** Gives a file its name, if no other has it. */
function linkIntoPlace(temporary: string, path: string): void {
  try {
    Deno.linkSync(temporary, path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return;
    // Not every file system has links.
    Deno.copyFileSync(temporary, path);
    Deno.chmodSync(path, 0o600);
  } finally {
    Deno.removeSync(temporary);
  }
}

function load(path: string): Uint8Array | undefined {
  try {
    const key = Deno.readFileSync(path);
    return key.length === BYTES ? key : undefined;
  } catch {
    return undefined;
  }
}
