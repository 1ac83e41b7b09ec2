/**
 * An index of git with whatever paths, as no git writes it.
 */

/** An entry: its path, and what it has beside that of an ordinary file. */
export interface RawEntry {
  readonly path: string;
  /** @default that of a file */
  readonly mode?: number;
  /** What it says its path is long. @default what it is */
  readonly length?: number;
}

/** The bytes of an index of version 2, which all name the same object, in hexadecimal. */
export function writeIndex(entries: readonly RawEntry[], id = "0".repeat(40)): Uint8Array {
  const parts = entries.map(({ path, mode = 0o100644, length }) => {
    const name = new TextEncoder().encode(path);
    const bytes = new Uint8Array(Math.ceil((62 + name.length + 1) / 8) * 8);
    const view = new DataView(bytes.buffer);
    view.setUint32(24, mode);
    bytes.set(Uint8Array.fromHex(id), 40);
    view.setUint16(60, length ?? Math.min(name.length, 0xfff));
    bytes.set(name, 62);
    return bytes;
  });
  const header = new Uint8Array(12);
  header.set(new TextEncoder().encode("DIRC"));
  new DataView(header.buffer).setUint32(4, 2);
  new DataView(header.buffer).setUint32(8, entries.length);
  // Git takes no sum for one that was not made.
  return Uint8Array.from([header, ...parts, new Uint8Array(20)].flatMap((part) => [...part]));
}
