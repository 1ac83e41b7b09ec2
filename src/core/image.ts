/**
 * Pictures in a conversation. A message holds what is known of a picture; its bytes are kept apart, under their hash.
 */

/** A type of pictures that models take. */
export type ImageType = "image/png" | "image/jpeg" | "image/webp" | "image/gif";

/** A picture of a message. */
export interface ImagePart {
  /** SHA-256 of its bytes as they are sent, in hexadecimal. */
  readonly hash: string;
  /** Type of these bytes. */
  readonly mime: ImageType;
  /** For people and the model: "shot.png". */
  readonly name: string;
  /** Pixels, as it is sent. */
  readonly width: number;
  /** Pixels, as it is sent. */
  readonly height: number;
  /** Bytes as they are sent. */
  readonly size: number;
}

/** A picture as it comes: from a file, a server, an editor, the clipboard. */
export interface ImageInput {
  /** What its type is shows in them; what somebody says of it does not count. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** For people and the model. */
  readonly name: string;
}

/** Some pages of a PDF. */
export interface PdfPages {
  /** The text of each, from the first that was asked for. */
  readonly texts: readonly string[];
  /** Pages of the whole document. */
  readonly total: number;
}

/** The pages of a PDF that are asked for. */
export interface PdfRange {
  /** The first one, 1-based. */
  readonly offset: number;
  /** How many at most. */
  readonly limit: number;
}

/** How something is made of a file. */
export interface MediaJobOptions {
  /** Ends it. @default nothing does */
  readonly signal?: AbortSignal | undefined;
}

/** What can be made of files that are no text. */
export interface Media {
  /**
   * Checks a picture, makes it as small as models want it, and keeps it for messages.
   * @throws {ToolError} user: it is damaged, of another type or too large, or the model takes none
   */
  takeImage(image: ImageInput, options?: MediaJobOptions): Promise<ImagePart>;
  /**
   * Reads the text of a PDF: of `limit` pages from page `offset` on, which is 1-based, or fewer if that is very much.
   * @throws {ToolError} user: it is damaged, locked or too large, or has no such page
   */
  readPdf(
    bytes: Uint8Array<ArrayBuffer>,
    pages: PdfRange & MediaJobOptions,
  ): Promise<PdfPages>;
}
