/** The stream of a connection that ends once its input has ended and its requests are answered: with it the SDK ends. */
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { OpenRequests } from "../open_requests.ts";

/** Ready to use after `new`. */
export class AnsweredStream implements Stream {
  readonly readable: ReadableStream<AnyMessage>;
  readonly writable: WritableStream<AnyMessage>;
  readonly #requests: OpenRequests;

  /** `log` gets a line where requests are left without an answer. */
  constructor({ readable, writable }: Stream, log: (line: string) => void) {
    let answer: (message: AnyMessage) => void = () => {};
    const requests = this.#requests = new OpenRequests({
      answer: (refusal) => answer(refusal),
      log,
    });
    this.readable = readable.pipeThrough(
      new TransformStream<AnyMessage, AnyMessage>({
        start(controller) {
          answer = (message) => controller.enqueue(message);
        },
        transform(message, controller) {
          requests.receive(message);
          controller.enqueue(message);
        },
        flush: () => requests.end(),
      }),
    );
    const writer = writable.getWriter();
    this.writable = new WritableStream<AnyMessage>({
      async write(message) {
        await writer.write(message);
        requests.send(message);
      },
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    });
  }

  /** The connection is closed: nothing more is waited for. */
  close(): void {
    this.#requests.close();
  }
}
