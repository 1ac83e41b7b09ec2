/**
 * What a run makes of images and PDFs: images are checked, made fit for models and kept with the session, PDFs give their
 * text. One at a time: each may take much memory.
 */
import type { CurrentConversation } from "../agent/current_conversation.ts";
import { ToolError } from "../core/errors.ts";
import type {
  ImageInput,
  ImagePart,
  Media,
  MediaJobOptions,
  PdfPages,
  PdfRange,
} from "../core/image.ts";
import type { Environment } from "./environment.ts";
import type { Models } from "./models.ts";
import type { Sessions } from "./sessions.ts";

/** The same, with the images that go with the user's next words. */
export interface WaitingMedia extends Media {
  readonly waiting: ImagePart[];
}

/** What images are taken with. */
export interface MediaOptions {
  readonly models: Pick<Models, "takesImages">;
  readonly current: CurrentConversation;
  readonly sessions: Pick<Sessions, "keepImage">;
  readonly env: Pick<Environment, "get">;
}

/** Ready to use after `new`. */
export class RunMedia implements Media {
  readonly #options: MediaOptions;
  /** Settles when the last of them is done. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: MediaOptions) {
    this.#options = options;
  }

  async takeImage(image: ImageInput, { signal }: MediaJobOptions = {}): Promise<ImagePart> {
    const { models, current, sessions } = this.#options;
    const { model } = current.settings;
    if (await models.takesImages(model) === false) {
      throw new ToolError(`${model} takes no images: ${image.name} is not shown to it.`, {
        kind: "user",
        suggestion: "Go on without it, or use a model that takes images.",
      });
    }
    const { checkImage } = await import("../media/check_image.ts");
    const { part, bytes } = await this.#afterLast(() => checkImage(image, signal));
    sessions.keepImage(part, bytes);
    return part;
  }

  async readPdf(
    bytes: Uint8Array<ArrayBuffer>,
    pages: PdfRange & MediaJobOptions,
  ): Promise<PdfPages> {
    const { readPdf } = await import("../media/read_pdf.ts");
    return await this.#afterLast(() => readPdf(bytes, { ...pages, env: this.#options.env }));
  }

  async #afterLast<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#last.then(run);
    this.#last = result.catch(() => {});
    return await result;
  }
}
