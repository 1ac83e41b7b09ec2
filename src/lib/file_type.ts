/**
 * What a file is by its first bytes, as far as ally makes something of files that are no text. Names do not count.
 */
import { formatBytes } from "./text.ts";

/** A type of file that models can be shown. */
export type FileType = "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "application/pdf";

/** Each type by what begins with it; "?" stands for any byte. */
const SIGNATURES: readonly (readonly [string, FileType])[] = [
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["RIFF????WEBPVP8", "image/webp"],
  ["%PDF-", "application/pdf"],
];

/** The type of a file that begins so; undefined if it is another one. */
export function fileTypeOf(head: Uint8Array): FileType | undefined {
  return SIGNATURES.find(([signature]) =>
    signature.length <= head.length &&
    [...signature].every((sign, at) => sign === "?" || head[at] === sign.charCodeAt(0))
  )?.[1];
}

/** What an image is, in a few words: "PNG image, 640x480, 12 KB". */
export function describeImage(
  { mime, width, height, size }: {
    readonly mime: string;
    readonly width: number;
    readonly height: number;
    readonly size: number;
  },
): string {
  const type = mime === "image/webp" ? "WebP" : mime.replace(/^image\//, "").toUpperCase();
  return `${type} image, ${width}x${height}, ${formatBytes(size)}`;
}
