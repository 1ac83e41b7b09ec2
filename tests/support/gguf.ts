/**
 * A writer of GGUF, version 3, the file format of llama.cpp's models: metadata, then tensors of 32-bit floats. As laid
 * down in ggml's docs/gguf.md.
 */

/** A value of the metadata; a number is an unsigned integer of 32 bits, an `Int32Array` a list of signed ones. */
export type GgufValue =
  | string
  | boolean
  | number
  | { readonly float: number }
  | readonly string[]
  | Int32Array;

/** An array of numbers with a name. */
export interface GgufTensor {
  readonly name: string;
  /** The innermost first, as ggml counts them. */
  readonly dimensions: readonly number[];
  readonly values: Float32Array<ArrayBuffer>;
}

/** The numbers that stand for the types of values. */
const TYPE = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;
const TENSOR_TYPE_F32 = 0;
/** Bytes: where `general.alignment` says nothing else, all tensors begin at a multiple of this. */
const ALIGNMENT = 32;

/** The bytes of a file. */
export function encodeGguf(
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
): Blob {
  const head = new ByteWriter();
  head.uint32(0x46554747); // "GGUF"
  head.uint32(3);
  head.uint64(tensors.length);
  head.uint64(Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) {
    head.string(key);
    writeValue(head, value);
  }
  let offset = 0;
  for (const { name, dimensions, values } of tensors) {
    head.string(name);
    head.uint32(dimensions.length);
    for (const size of dimensions) head.uint64(size);
    head.uint32(TENSOR_TYPE_F32);
    head.uint64(offset);
    offset += values.byteLength + paddingOf(values.byteLength);
  }
  const data = tensors.flatMap(({ values }) => [values, padding(values.byteLength)]);
  return new Blob([...head.parts, padding(head.size), ...data]);
}

function writeValue(to: ByteWriter, value: GgufValue): void {
  if (typeof value === "string") {
    to.uint32(TYPE.string);
    to.string(value);
  } else if (typeof value === "boolean") {
    to.uint32(TYPE.bool);
    to.bytes(Uint8Array.of(value ? 1 : 0));
  } else if (typeof value === "number") {
    to.uint32(TYPE.uint32);
    to.uint32(value);
  } else if (value instanceof Int32Array) {
    to.uint32(TYPE.array);
    to.uint32(TYPE.int32);
    to.uint64(value.length);
    to.bytes(new Uint8Array(value.slice().buffer));
  } else if ("float" in value) {
    to.uint32(TYPE.float32);
    to.bytes(new Uint8Array(Float32Array.of(value.float).buffer));
  } else {
    to.uint32(TYPE.array);
    to.uint32(TYPE.string);
    to.uint64(value.length);
    for (const text of value) to.string(text);
  }
}

function padding(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(paddingOf(bytes));
}

function paddingOf(bytes: number): number {
  return (ALIGNMENT - bytes % ALIGNMENT) % ALIGNMENT;
}

/** Collects bytes; numbers are little-endian, as is every machine that Deno runs on. */
class ByteWriter {
  readonly parts: Uint8Array<ArrayBuffer>[] = [];
  size = 0;
  readonly #encoder = new TextEncoder();

  bytes(part: Uint8Array<ArrayBuffer>): void {
    this.parts.push(part);
    this.size += part.length;
  }

  uint32(value: number): void {
    this.bytes(new Uint8Array(Uint32Array.of(value).buffer));
  }

  uint64(value: number): void {
    this.bytes(new Uint8Array(BigUint64Array.of(BigInt(value)).buffer));
  }

  string(text: string): void {
    const encoded = this.#encoder.encode(text);
    this.uint64(encoded.length);
    this.bytes(encoded);
  }
}
