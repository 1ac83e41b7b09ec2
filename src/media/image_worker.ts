/**
 * The worker in which pictures are decoded, and drawn smaller where they are too large; of all others, what is no picture
 * is taken out of the file. A decoder that hangs, takes all
 * memory or breaks harms nothing but the worker, which has no permissions.
 */
import type { ImageType } from "../core/image.ts";
import { serveJob } from "./serve_job.ts";
import { stripImage } from "./strip_image.ts";
import { initPhoton, PhotonImage, resize, rotate, SamplingFilter } from "@cf-wasm/photon/others";

/** What is asked of the worker. */
export interface ImageJob {
  /** The decoder. */
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: ImageType;
  /** Pixels of the longer side at most. */
  readonly maxSide: number;
  /** Bytes at most. */
  readonly maxBytes: number;
  /** Degrees by which it is to be turned to stand upright. */
  readonly turn: number;
}

/** What came of it. */
export interface DecodedImage {
  readonly width: number;
  readonly height: number;
  /** The file without what is no picture; drawn anew, if it was too large, not upright or oddly built. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mime: ImageType;
}

/** Tried one after the other until the picture is small enough. */
const JPEG_QUALITIES = [85, 70, 50, 30];

async function decode(
  { wasm, bytes, type, maxSide, maxBytes, turn }: ImageJob,
): Promise<DecodedImage> {
  await initPhoton({ module_or_path: wasm });
  const decoded = PhotonImage.new_from_byteslice(bytes);
  const upright = turn === 0 ? decoded : rotate(decoded, turn);
  const [width, height] = [upright.get_width(), upright.get_height()];
  const scale = Math.min(1, maxSide / Math.max(width, height));
  const stripped = turn === 0 && scale === 1 ? stripImage(bytes, type) : undefined;
  if (stripped && stripped.length <= maxBytes) {
    return { width, height, bytes: stripped, mime: type };
  }
  const size = { width: scaled(width, scale), height: scaled(height, scale) };
  const small = scale === 1
    ? upright
    : resize(upright, size.width, size.height, SamplingFilter.Triangle);
  return { ...size, ...encode(small, maxBytes) };
}

function scaled(side: number, scale: number): number {
  return Math.max(1, Math.round(side * scale));
}

/** Without loss if that is small enough. */
function encode(image: PhotonImage, maxBytes: number): Pick<DecodedImage, "bytes" | "mime"> {
  const png = image.get_bytes();
  if (png.length <= maxBytes) return { bytes: new Uint8Array(png), mime: "image/png" };
  let jpeg = png;
  for (const quality of JPEG_QUALITIES) {
    jpeg = image.get_bytes_jpeg(quality);
    if (jpeg.length <= maxBytes) break;
  }
  return { bytes: new Uint8Array(jpeg), mime: "image/jpeg" };
}

// This module is the entry of a process of its own, or of a worker: others import its types only.
await serveJob(decode);
