/**
 * The images in a server's answer: those that can be shown become images of the result, in place of each of them stands
 * what it is, or why it is not shown.
 */
import { ToolError } from "../core/errors.ts";
import type { ImagePart, Media } from "../core/image.ts";
import { describeImage } from "../lib/file_type.ts";
import { isObject } from "../lib/schema.ts";

/** Images of one answer that are taken. */
const MAX_IMAGES = 10;
/** Characters of base64 that are decoded: about 20 MB. */
const MAX_BASE64 = 27_000_000;

/** An answer without its images, and the images. */
interface TakenImages {
  readonly result: Readonly<Record<string, unknown>>;
  readonly images: readonly ImagePart[];
}

/** Takes the images of an answer; `name` is by what they are called. */
export async function takeImages(
  result: Readonly<Record<string, unknown>>,
  { name, media }: { name: string; media: Media },
): Promise<TakenImages> {
  const parts = Array.isArray(result.content) ? result.content : [];
  const images: ImagePart[] = [];
  const content: unknown[] = [];
  for (const part of parts) {
    if (!isImage(part) || images.length >= MAX_IMAGES) {
      content.push(part);
      continue;
    }
    const label = `${name} ${images.length + 1}`;
    try {
      const image = await media.takeImage({ bytes: decode(part.data, label), name: label });
      images.push(image);
      content.push({ type: "text", text: `[${label}: ${describeImage(image)}]` });
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      content.push({ type: "text", text: `[An image is not shown: ${error.message}]` });
    }
  }
  return { result: { ...result, content }, images };
}

/** Whether a part of an answer is an image with its bytes. */
function isImage(part: unknown): part is { readonly data: string } {
  return isObject(part) && part.type === "image" && typeof part.data === "string";
}

function decode(base64: string, name: string): Uint8Array<ArrayBuffer> {
  const refuse = (why: string, cause?: unknown) =>
    new ToolError(`The image ${name} cannot be used: ${why}.`, { kind: "user", cause });
  if (base64.length > MAX_BASE64) throw refuse("it is too large");
  try {
    return Uint8Array.fromBase64(base64);
  } catch (cause) {
    throw refuse("it is no base64", cause);
  }
}
