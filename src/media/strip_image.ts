/**
 * An image file without what is no picture: where a camera stood, whose it is, comments, thumbnails, and what was
 * appended. Each format is read by its parts, and only those are kept that draw the picture.
 */
import type { ImageType } from "../core/image.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The parts that are kept, in their order; throws a `RangeError` if the file has another shape. */
type PartsOf = (file: DataView<ArrayBuffer>) => readonly Bytes[];

const FORMATS: Readonly<Record<ImageType, PartsOf>> = {
  "image/png": pngParts,
  "image/jpeg": jpegParts,
  "image/webp": webpParts,
  "image/gif": gifParts,
};

/** The same picture, or undefined if the file is not built as its format says. */
export function stripImage(bytes: Bytes, type: ImageType): Bytes | undefined {
  try {
    const parts = FORMATS[type](new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
    return joinParts(parts);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function joinParts(parts: readonly Bytes[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** @throws {RangeError} the file ends before */
function cut(file: DataView<ArrayBuffer>, start: number, end: number): Bytes {
  if (end > file.byteLength) throw new RangeError("the file ends early");
  return new Uint8Array(file.buffer, file.byteOffset + start, end - start);
}

function nameAt(file: DataView<ArrayBuffer>, at: number, length = 4): string {
  return String.fromCharCode(...cut(file, at, at + length));
}

/** Pixels, colours and frames. */
const PNG_CHUNKS = new Set(
  "IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP sBIT bKGD pHYs acTL fcTL fdAT".split(" "),
);

function pngParts(file: DataView<ArrayBuffer>): Bytes[] {
  const parts = [cut(file, 0, 8)];
  for (let at = 8;;) {
    const end = at + 12 + file.getUint32(at);
    const name = nameAt(file, at + 4);
    const chunk = cut(file, at, end);
    if (PNG_CHUNKS.has(name)) parts.push(chunk);
    if (name === "IEND") return parts;
    at = end;
  }
}

function jpegParts(file: DataView<ArrayBuffer>): Bytes[] {
  const parts = [cut(file, 0, 2)];
  for (let at = 2;;) {
    if (file.getUint8(at) !== 0xff) throw new RangeError("no marker");
    const marker = file.getUint8(at + 1);
    // Any number of them may stand before a marker.
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === 0xd9) return [...parts, cut(file, at, at + 2)];
    const end = at + 2 + file.getUint16(at + 2);
    const scanEnd = marker === 0xda ? endOfScan(file, end) : end;
    if (drawsJpeg(file, { at, marker })) parts.push(cut(file, at, scanEnd));
    at = scanEnd;
  }
}

/** All but comments and what programs add, of which the profile of colours and Adobe's way to store them count. */
function drawsJpeg(
  file: DataView<ArrayBuffer>,
  { at, marker }: { at: number; marker: number },
): boolean {
  if (marker === 0xfe) return false;
  if (marker < 0xe0 || marker > 0xef) return true;
  const name = nameAt(file, at + 4, Math.min(12, file.getUint16(at + 2) - 2));
  return /^(JFIF|ICC_PROFILE)\0|^Adobe/.test(name);
}

/** Where the next marker stands that ends the pixels: neither an escaped byte nor a restart. */
function endOfScan(file: DataView<ArrayBuffer>, start: number): number {
  for (let at = start;; at++) {
    if (file.getUint8(at) !== 0xff) continue;
    const next = file.getUint8(at + 1);
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
}

const WEBP_CHUNKS = new Set(["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"]);
/** Flags that say there is EXIF and XMP. */
const WEBP_METADATA = 0x0c;

function webpParts(file: DataView<ArrayBuffer>): Bytes[] {
  const head = cut(file, 0, 12).slice();
  const end = 8 + file.getUint32(4, true);
  const parts: Bytes[] = [];
  for (let at = 12; at < end;) {
    const size = file.getUint32(at + 4, true);
    const next = at + 8 + size + size % 2;
    const name = nameAt(file, at);
    const chunk = cut(file, at, next).slice();
    if (name === "VP8X") chunk[8] = (chunk[8] ?? 0) & ~WEBP_METADATA;
    if (WEBP_CHUNKS.has(name)) parts.push(chunk);
    at = next;
  }
  const length = parts.reduce((sum, part) => sum + part.length, 4);
  new DataView(head.buffer).setUint32(4, length, true);
  return [head, ...parts];
}

function gifParts(file: DataView<ArrayBuffer>): Bytes[] {
  let at = 13 + colorsOf(file.getUint8(10));
  const parts = [cut(file, 0, at)];
  for (;;) {
    const kind = file.getUint8(at);
    if (kind === 0x3b) return [...parts, cut(file, at, at + 1)];
    if (kind !== 0x21 && kind !== 0x2c) throw new RangeError("no block");
    const data = kind === 0x21 ? at + 2 : at + 11 + colorsOf(file.getUint8(at + 9));
    const end = endOfBlocks(file, data);
    if (kind === 0x2c || drawsGif(file, at)) parts.push(cut(file, at, end));
    at = end;
  }
}

/** Bytes of a table of colours, as its flags say. */
function colorsOf(flags: number): number {
  return flags & 0x80 ? 3 << ((flags & 7) + 1) : 0;
}

/** Whether an extension is about a frame, or says how often the frames are shown. */
function drawsGif(file: DataView<ArrayBuffer>, at: number): boolean {
  const label = file.getUint8(at + 1);
  return label === 0xf9 || (label === 0xff && nameAt(file, at + 3, 11) === "NETSCAPE2.0");
}

function endOfBlocks(file: DataView<ArrayBuffer>, start: number): number {
  let at = start;
  for (let size = file.getUint8(at); size > 0; size = file.getUint8(at)) at += size + 1;
  return at + 1;
}
