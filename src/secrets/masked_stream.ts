/**
 * Masks a text that arrives in pieces: what may be the beginning of a secret is held back until it is
 * known what it is.
 */
import type { Secrets } from "../core/secrets.ts";

/** A line with one of these may name a secret whose value is still to come. */
const TELLING = /pass|pwd|secret|token|key|auth|credential|bearer|login|:\/\/|-----BEGIN/i;
const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY/;
/** Characters held back at most; of a longer line without a blank the end is held. */
const MAX_BUFFER = 48_000;
const OVERLAP = 4_000;

/** The text of one source. */
export class MaskedStream {
  readonly #secrets: Secrets;
  #buffer = "";

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Takes a piece; returns the masked text that can be shown by now. */
  push(piece: string): string {
    this.#buffer += piece;
    const end = maskableEnd(this.#buffer);
    const ready = this.#buffer.slice(0, end);
    this.#buffer = this.#buffer.slice(end);
    return this.#secrets.remask(ready);
  }

  /** The rest, masked. */
  end(): string {
    const rest = this.#buffer;
    this.#buffer = "";
    return this.#secrets.remask(rest);
  }
}

/** How much of a text can no longer be part of a secret that goes on behind it. */
function maskableEnd(text: string): number {
  const lineStart = text.lastIndexOf("\n") + 1;
  const line = text.slice(Math.max(lineStart, text.length - MAX_BUFFER));
  const inLine = TELLING.test(line) ? 0 : line.search(/\S*$/);
  const open = openKeyStart(text);
  const end = open ?? text.length - line.length + inLine;
  if (text.length - end <= MAX_BUFFER) return end;
  const before = text.slice(text.length - 2 * OVERLAP, text.length - OVERLAP);
  const word = before.search(/[\w.~+/=-]*$/);
  return text.length - 2 * OVERLAP + (word > 0 ? word : OVERLAP);
}

/** Where a private key begins whose end has not come. */
function openKeyStart(text: string): number | undefined {
  const last = [...text.matchAll(KEY_BEGIN)].at(-1);
  if (last === undefined || KEY_END.test(text.slice(last.index))) return undefined;
  return last.index;
}
