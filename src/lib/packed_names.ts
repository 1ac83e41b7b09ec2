/**
 * Many short names that lie apart in some bytes, decoded at one go: one by one that takes most of the time in which a
 * large tree is listed.
 */

/** Names that wait to be decoded. */
export class PackedNames {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The names, each with a NUL. */
  #bytes = new Uint8Array(65_536);
  /** Where the names begin that wait, where the last one does, and where they end. */
  #start = 0;
  #last = 0;
  #end = 0;

  /** How many bytes wait. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** Adds the name from a place up to its NUL, and returns where that is. */
  add(source: Uint8Array, start: number): number {
    this.#last = this.#end;
    return this.#append(source, start);
  }

  /** Adds a name that begins as the last one does, without that one's last bytes. */
  addSimilar(source: Uint8Array, { start, drop }: { start: number; drop: number }): number {
    const from = this.#last;
    const size = Math.max(0, this.#end - 1 - from - drop);
    this.#makeRoom(size);
    this.#last = this.#end;
    this.#bytes.copyWithin(this.#end, from, from + size);
    this.#end += size;
    return this.#append(source, start);
  }

  /** All names that wait, in order. */
  take(): string[] {
    const names = this.#decoder.decode(this.#bytes.subarray(this.#start, this.#end)).split("\0");
    names.pop();
    // The next one may begin as the last of them does.
    this.#bytes.copyWithin(0, this.#last, this.#end);
    this.#start = this.#end -= this.#last;
    this.#last = 0;
    return names;
  }

  #append(source: Uint8Array, start: number): number {
    let nul = start;
    while (nul < source.length && source[nul] !== 0) nul++;
    this.#makeRoom(nul - start + 1);
    const bytes = this.#bytes;
    let end = this.#end;
    for (let at = start; at < nul; at++) bytes[end++] = source[at]!;
    bytes[end++] = 0;
    this.#end = end;
    return nul;
  }

  #makeRoom(size: number): void {
    if (this.#end + size <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * this.#bytes.length + size);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
