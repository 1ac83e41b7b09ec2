/**
 * The stream of a connection whose input may end while requests have no answer: it ends once they have one. A prompt is
 * not waited for, since its questions could not be answered any more.
 */
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isObject } from "../../lib/schema.ts";

/** Of JSON-RPC: what it says has been left free for such a case. */
const CLIENT_LEFT = { code: -32000, message: "The client sends nothing more" };

/** Puts off the end of the stream's messages until what was asked before is answered. */
export function awaitAnswers({ readable, writable }: Stream): Stream {
  const received = new Set<unknown>();
  const sent = new Set<unknown>();
  const answered = Promise.withResolvers<void>();
  let refuse: ((id: unknown) => void) | undefined;
  const check = () => refuse !== undefined && received.size === 0 && answered.resolve();
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const { id, method } = fieldsOf(message);
      if (method === undefined) sent.delete(id);
      else if (id !== undefined && method !== "session/prompt") received.add(id);
      controller.enqueue(message);
    },
    async flush(controller) {
      refuse = (id) => controller.enqueue({ jsonrpc: "2.0", id, error: CLIENT_LEFT } as AnyMessage);
      sent.forEach(refuse);
      check();
      await answered.promise;
    },
  });
  const writer = writable.getWriter();
  const outgoing = new WritableStream<AnyMessage>({
    async write(message) {
      await writer.write(message);
      const { id, method } = fieldsOf(message);
      if (method === undefined) received.delete(id);
      else if (id !== undefined) refuse === undefined ? sent.add(id) : refuse(id);
      check();
    },
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
  return { readable: readable.pipeThrough(incoming), writable: outgoing };
}

function fieldsOf(message: unknown): { id?: unknown; method?: unknown } {
  return isObject(message) ? message : {};
}
