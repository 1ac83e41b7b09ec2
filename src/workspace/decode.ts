/**
 * Bytes to text and back without loss: byte order marks and encodings are detected, kept and verified. UTF-8
 * and UTF-16 need nothing; the detector and the tables for older encodings are loaded only when a file is
 * neither.
 */
import { Buffer } from "node:buffer";
import { ToolError } from "../core/errors.ts";

/** How a text is stored on disk. */
export interface Encoding {
  /** As WHATWG spells it, e.g. "utf-8", "windows-1252". */
  readonly name: string;
  /** Whether the file starts with a byte order mark. */
  readonly bom: boolean;
}

/** A text with its encoding; the text has no byte order mark. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: Encoding;
}

/** The encoding of new files. */
export const UTF_8: Encoding = { name: "utf-8", bom: false };

/** Bytes looked at to tell binary from text. */
export const BINARY_SAMPLE = 1024;
/** With fewer bytes above ASCII a detector only guesses; the most common old encoding is taken. */
const MIN_EVIDENCE = 8;
/** Bytes the detector looks at. */
const DETECTION_SAMPLE = 65_536;
const COMMON_LEGACY = "windows-1252";
/** Every byte is a character and back: the last resort that cannot lose anything. */
const LOSSLESS = "iso-8859-1";

/** Whether the first bytes of a file are not text: a NUL without a UTF-16 byte order mark. */
export function isBinary(head: Uint8Array): boolean {
  return bomOf(head)?.width !== 2 && head.subarray(0, BINARY_SAMPLE).includes(0);
}

/** Decodes a whole file; `encodeText` gives exactly these bytes back. */
export async function decodeText(bytes: Uint8Array): Promise<DecodedText> {
  const mark = bomOf(bytes);
  const body = bytes.subarray(mark?.length ?? 0);
  if (mark?.width === 2 && body.length % 2 === 0) {
    return { text: decodeUtf16(body, mark.name), encoding: { name: mark.name, bom: true } };
  }
  if (mark?.width !== 2) {
    const text = decodeUtf8(body);
    if (text !== undefined) return { text, encoding: { name: "utf-8", bom: mark !== undefined } };
  }
  const name = await detectLegacy(bytes);
  const { decode } = await loadIconv();
  return { text: decode(Buffer.from(bytes), name), encoding: { name, bom: false } };
}

/**
 * Encodes a text as a file's encoding demands.
 * @throws {ToolError} user: the encoding lacks one of the characters
 */
export async function encodeText(text: string, encoding: Encoding): Promise<Uint8Array> {
  const { name, bom } = encoding;
  const body = bom && text.startsWith("\ufeff") ? text.slice(1) : text;
  if (name === "utf-16le" || name === "utf-16be") return encodeUtf16(body, encoding);
  if (name === "utf-8") {
    if (!body.isWellFormed()) throw unencodableError(body, name, body.toWellFormed());
    return new TextEncoder().encode(bom ? `\ufeff${body}` : body);
  }
  const { encode, decode } = await loadIconv();
  const bytes = encode(body, name);
  const back = decode(bytes, name);
  if (back !== body) throw unencodableError(body, name, back);
  return bytes;
}

/** Decodes a file piece by piece; `last` makes an incomplete character visible. */
export type ChunkDecoder = (piece: Uint8Array, last: boolean) => string;

/** A decoder for a file that starts with `head`; it is fed the file from its first byte on. */
export async function createChunkDecoder(head: Uint8Array): Promise<ChunkDecoder> {
  const mark = bomOf(head);
  if (mark !== undefined || startsAsUtf8(head)) {
    const decoder = new TextDecoder(mark?.name ?? "utf-8");
    return (piece, last) => decoder.decode(piece, { stream: !last });
  }
  const { getDecoder } = await loadIconv();
  const decoder = getDecoder(await detectLegacy(head));
  return (piece, last) => decoder.write(Buffer.from(piece)) + (last ? decoder.end() ?? "" : "");
}

function bomOf(bytes: Uint8Array): { name: string; length: number; width: 1 | 2 } | undefined {
  const [a, b, c] = bytes;
  if (a === 0xff && b === 0xfe) return { name: "utf-16le", length: 2, width: 2 };
  if (a === 0xfe && b === 0xff) return { name: "utf-16be", length: 2, width: 2 };
  if (a === 0xef && b === 0xbb && c === 0xbf) return { name: "utf-8", length: 3, width: 1 };
  return undefined;
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether the bytes are UTF-8, but for a character cut off at their end. */
function startsAsUtf8(head: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Unlike TextDecoder this keeps unpaired surrogates. */
function decodeUtf16(body: Uint8Array, name: string): string {
  const bytes = Buffer.from(body);
  return (name === "utf-16be" ? bytes.swap16() : bytes).toString("utf16le");
}

function encodeUtf16(text: string, encoding: Encoding): Uint8Array {
  const bytes = Buffer.from(encoding.bom ? `\ufeff${text}` : text, "utf16le");
  return encoding.name === "utf-16be" ? bytes.swap16() : bytes;
}

async function detectLegacy(bytes: Uint8Array): Promise<string> {
  const { default: { analyse } } = await import("chardet");
  const { decode, encode, encodingExists } = await loadIconv();
  const buffer = Buffer.from(bytes);
  let evidence = 0;
  for (const byte of bytes) if (byte > 0x7f) evidence++;
  const sample = bytes.subarray(0, DETECTION_SAMPLE);
  const guesses = evidence < MIN_EVIDENCE ? [] : analyse(sample).map((match) => match.name);
  for (const guess of [...guesses, COMMON_LEGACY]) {
    const name = whatwgName(guess);
    if (!encodingExists(name)) continue;
    if (encode(decode(buffer, name), name).equals(buffer)) return name;
  }
  return LOSSLESS;
}

/** As in browsers, Latin-1 and ASCII are read as their superset. */
function whatwgName(detected: string): string {
  const name = detected.toLowerCase();
  return name === "iso-8859-1" || name === "ascii" ? COMMON_LEGACY : name;
}

async function loadIconv(): Promise<typeof import("iconv-lite")> {
  return (await import("iconv-lite")).default;
}

function unencodableError(text: string, encoding: string, back: string): ToolError {
  let at = 0;
  while (at < text.length && text[at] === back[at]) at++;
  const code = text.codePointAt(at) ?? 0;
  const line = text.slice(0, at).split("\n").length;
  const point = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  const shown = code >= 0xd800 && code <= 0xdfff
    ? point
    : `${String.fromCodePoint(code)} (${point})`;
  return new ToolError(
    `Cannot write ${shown} in line ${line}: the file's encoding is ${encoding}.`,
    {
      kind: "user",
      suggestion: `Use only characters that ${encoding} has, or convert the file to UTF-8 first.`,
    },
  );
}
