/**
 * A picture as a message may have it: of a type that models take, whole, upright, no larger than they look at it, and
 * nothing but the picture. Its header is read before anything is decoded, since a few bytes can promise any number of
 * pixels.
 */
import { createHash } from "node:crypto";
import { imageSize } from "image-size";
import { ToolError } from "../core/errors.ts";
import type { ImageInput, ImagePart, MediaJobOptions } from "../core/image.ts";
import { assetPath } from "../lib/assets.ts";
import { fileTypeOf } from "../lib/file_type.ts";
import { formatBytes, formatCount } from "../lib/text.ts";
import type { DecodedImage, ImageJob } from "./image_worker.ts";
import { JobFailure, runJob } from "./run_job.ts";

/** Bytes of the largest file that is looked at. */
export const MAX_IMAGE_BYTES = 20_000_000;
/** Pixels of the largest picture that is decoded. */
const MAX_PIXELS = 50_000_000;
/** Pixels of the longer side as it is sent: models make smaller what is larger. */
const MAX_SIDE = 1_568;
/** Bytes as they are sent; some services take 5 MB of base64. */
const MAX_SENT = 3_500_000;
const LIMITS = { timeMs: 30_000, memory: 1_200_000_000 };

/** Degrees by which a picture is turned for each orientation of a camera that is not upright. */
const TURNS: Readonly<Record<number, number>> = { 3: 180, 6: 90, 8: 270 };

/** A picture with its bytes as they are sent. */
export interface CheckedImage {
  readonly part: ImagePart;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Checks a picture and makes it smaller where it is too large. @throws {ToolError} user: it cannot be used */
export async function checkImage(
  { bytes, name }: ImageInput,
  signal?: AbortSignal,
): Promise<CheckedImage> {
  const type = fileTypeOf(bytes);
  if (type === undefined || type === "application/pdf") {
    throw refusal(name, "it is no PNG, JPEG, WebP or GIF image");
  }
  if (bytes.length > MAX_IMAGE_BYTES) {
    const most = formatBytes(MAX_IMAGE_BYTES);
    throw refusal(name, `it has ${formatBytes(bytes.length)}, and ${most} is the most`);
  }
  const { width, height, turn } = readHeader({ bytes, name });
  if (width * height > MAX_PIXELS) {
    const [pixels, most] = [width * height, MAX_PIXELS].map(formatCount);
    throw refusal(name, `${width}x${height} is ${pixels} pixels, and ${most} is the most`);
  }
  const decoded = await decode({ bytes, name }, { type, turn, signal });
  return { part: describe(name, decoded), bytes: decoded.bytes };
}

function readHeader({ bytes, name }: ImageInput) {
  try {
    const { width, height, orientation = 1 } = imageSize(bytes);
    if (width > 0 && height > 0) return { width, height, turn: TURNS[orientation] ?? 0 };
  } catch {
    // Said below.
  }
  throw refusal(name, "its header is damaged");
}

async function decode(
  { bytes, name }: ImageInput,
  { signal, ...how }: Pick<ImageJob, "type" | "turn"> & MediaJobOptions,
): Promise<DecodedImage> {
  const wasm = await Deno.readFile(assetPath("photon.wasm"));
  const job: ImageJob = { wasm, bytes, maxSide: MAX_SIDE, maxBytes: MAX_SENT, ...how };
  try {
    return await runJob<ImageJob, DecodedImage>("image_worker.js", {
      job,
      limits: LIMITS,
      signal,
    });
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    throw refusal(name, error.limit ?? "it is damaged", error);
  }
}

function describe(name: string, { bytes, mime, width, height }: DecodedImage): ImagePart {
  const hash = createHash("sha256").update(bytes).digest("hex");
  return { hash, mime, name, width, height, size: bytes.length };
}

function refusal(name: string, why: string, cause?: Error): ToolError {
  return new ToolError(`The image ${name} cannot be used: ${why}.`, { kind: "user", cause });
}
