/**
 * Text of a stream, line by line, for programs that tests start.
 */

/** Bytes in, lines out, without their ends. */
export class TextLineStream extends TransformStream<Uint8Array, string> {
  constructor() {
    const decoder = new TextDecoder();
    let held = "";
    super({
      transform(chunk, controller) {
        const lines = (held + decoder.decode(chunk, { stream: true })).split("\n");
        held = lines.pop() ?? "";
        for (const line of lines) controller.enqueue(line);
      },
    });
  }
}
