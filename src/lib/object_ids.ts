/**
 * Names of many objects of git, packed: as text those of a large repository would take far more room, and time.
 */

/** Bytes of the name of an object, a multiple of four. */
const ID_BYTES = 20;

const ZERO = 48;
const LETTER_A = 97;
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

  /** How many there are. */
  get length(): number {
    return this.#length;
  }

  /** The names from a place on, each on a line of its own. */
  toLines(from: number): Uint8Array<ArrayBuffer> {
    const ids = new Uint8Array(this.#view.buffer, 0, this.#length * ID_BYTES);
    const lines = new Uint8Array((this.#length - from) * (2 * ID_BYTES + 1));
    let to = 0;
    for (let at = from * ID_BYTES; at < ids.length; at += ID_BYTES) {
      for (let index = at; index < at + ID_BYTES; index++) {
        const byte = ids[index]!;
        lines[to++] = digitOf(byte >> 4);
        lines[to++] = digitOf(byte & 15);
      }
      lines[to++] = LINE_END;
    }
    return lines;
  }
}

/** The character code of a hexadecimal digit. */
function digitOf(value: number): number {
  return value < 10 ? ZERO + value : LETTER_A + value - 10;
}
