/**
 * Names of many objects of git, packed: as text those of a large repository would take far more room, and time.
 */

/** Bytes of the name of an object, a multiple of four. */
const ID_BYTES = 20;

const DIGITS = "0123456789abcdef";
const LINE_END = 10;

/** A list of names. */
export class ObjectIds {
  #view = new DataView(new ArrayBuffer(64 * ID_BYTES));
  #length = 0;

  /** Appends the name that lies at a place of some bytes, and returns where it is in the list. */
  add(source: DataView, start: number): number {
    const end = this.#length * ID_BYTES;
    if (end === this.#view.byteLength) {
      this.#view = new DataView(this.#view.buffer.transfer(2 * end));
    }
    for (let at = 0; at < ID_BYTES; at += 4) {
      this.#view.setUint32(end + at, source.getUint32(start + at));
    }
    return this.#length++;
  }

  /** The name at a place of the list, in hexadecimal. */
  at(place: number): string {
    return new Uint8Array(this.#view.buffer, place * ID_BYTES, ID_BYTES).toHex();
  }

  /** All names, each on a line of its own. */
  toLines(): Uint8Array<ArrayBuffer> {
    const ids = new Uint8Array(this.#view.buffer, 0, this.#length * ID_BYTES);
    const lines = new Uint8Array(this.#length * (2 * ID_BYTES + 1));
    let to = 0;
    for (let at = 0; at < ids.length;) {
      const byte = ids[at++]!;
      lines[to++] = DIGITS.charCodeAt(byte >> 4);
      lines[to++] = DIGITS.charCodeAt(byte & 15);
      if (at % ID_BYTES === 0) lines[to++] = LINE_END;
    }
    return lines;
  }
}
