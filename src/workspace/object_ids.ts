/**
 * Names of many objects of git, packed: as text those of a large repository would take far more room, and time.
 */

/** Bytes of the name of an object. */
export const ID_BYTES = 20;

const DIGITS = "0123456789abcdef";
const LINE_END = 10;

/** A list of names. */
export class ObjectIds {
  #bytes = new Uint8Array(1024 * ID_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends a name, and returns its place. */
  add(id: Uint8Array): number {
    const start = this.#length * ID_BYTES;
    if (start === this.#bytes.length) {
      const larger = new Uint8Array(2 * start);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(id, start);
    return this.#length++;
  }

  /** The name at a place, in hexadecimal. */
  at(place: number): string {
    return this.#bytes.subarray(place * ID_BYTES, (place + 1) * ID_BYTES).toHex();
  }

  /** All names, each on a line of its own. */
  toLines(): Uint8Array<ArrayBuffer> {
    const lines = new Uint8Array(this.#length * (2 * ID_BYTES + 1));
    let to = 0;
    for (let at = 0; at < this.#length * ID_BYTES;) {
      const byte = this.#bytes[at++]!;
      lines[to++] = DIGITS.charCodeAt(byte >> 4);
      lines[to++] = DIGITS.charCodeAt(byte & 15);
      if (at % ID_BYTES === 0) lines[to++] = LINE_END;
    }
    return lines;
  }
}
