/**
 * Images that a call reads, for the client's model instead of ally's: checked and made smaller as for any, and kept as
 * long as the call takes.
 */
import type { ImagePart, Media } from "../../core/image.ts";

/** An image as MCP sends it. */
interface ImageContent {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
}

/** The images of one call. */
export class ClientImages implements Media {
  readonly #bytes = new Map<string, Uint8Array>();
  readonly readPdf: Media["readPdf"];

  /** What ally's own model gets of other files, the client's gets as well. */
  constructor({ readPdf }: Pick<Media, "readPdf">) {
    this.readPdf = readPdf;
  }

  async takeImage(...[image, { signal } = {}]: Parameters<Media["takeImage"]>): Promise<ImagePart> {
    const { checkImage } = await import("../../media/check_image.ts");
    const { part, bytes } = await checkImage(image, signal);
    this.#bytes.set(part.hash, bytes);
    return part;
  }

  /** Images of the result as they are sent. */
  contentOf(images: readonly ImagePart[]): ImageContent[] {
    return images.flatMap(({ hash, mime }) => {
      const bytes = this.#bytes.get(hash);
      return bytes ? [{ type: "image", data: bytes.toBase64(), mimeType: mime }] : [];
    });
  }
}
