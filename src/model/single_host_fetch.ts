/**
 * A `fetch` that reaches the model server and nothing else, for `--deny-net`: Deno cannot revoke all hosts but
 * one, but a worker can be given one host before the network is revoked.
 */
import { assetUrl } from "../lib/assets.ts";
import { hostOf } from "./endpoint.ts";
import type { FromWorker, ToWorker } from "./fetch_worker.ts";

/** A `fetch` that can be closed. */
export interface SingleHostFetch {
  readonly fetch: typeof fetch;
  close(): void;
}

interface PendingFetch {
  head: (head: Extract<FromWorker, { kind: "head" }>) => void;
  fail: (error: unknown) => void;
  body?: ReadableStreamDefaultController<Uint8Array>;
  /** Set while a chunk is awaited. */
  pulled?: () => void;
}

/** Starts the worker for the server at a base URL; all its other permissions are off. */
export function openSingleHostFetch(endpoint: string): SingleHostFetch {
  const worker = new Worker(assetUrl("fetch_worker.js"), {
    type: "module",
    name: "model server",
    deno: {
      permissions: {
        net: [hostOf(endpoint)],
        read: false,
        write: false,
        run: false,
        env: false,
        sys: false,
        ffi: false,
        import: false,
      },
    },
  });
  const bridge = new Bridge(worker);
  return {
    fetch: (input, init) => bridge.send(new Request(input, init)),
    close: () => worker.terminate(),
  };
}

class Bridge {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PendingFetch>();
  #last = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#take(data);
    worker.onerror = (event) => {
      event.preventDefault();
      for (const one of this.#waiting.values()) one.fail(new Error(event.message));
      this.#waiting.clear();
    };
  }

  async send(request: Request): Promise<Response> {
    const { signal, url, method, redirect } = request;
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
    signal.throwIfAborted();
    const id = ++this.#last;
    const answered = Promise.withResolvers<Extract<FromWorker, { kind: "head" }>>();
    const waiting: PendingFetch = { head: answered.resolve, fail: answered.reject };
    this.#waiting.set(id, waiting);
    const abort = () => {
      this.#waiting.delete(id);
      this.#post({ kind: "abort", id });
      waiting.fail(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    const headers = [...request.headers];
    this.#post({ kind: "request", id, url, method, headers, body, redirect });
    const head = await answered.promise;
    const { status, statusText } = head;
    const empty = status === 204 || status === 304;
    return new Response(empty ? null : this.#bodyOf(id, waiting), {
      status,
      statusText,
      headers: head.headers.map(([name, value]): [string, string] => [name, value]),
    });
  }

  #bodyOf(id: number, waiting: PendingFetch): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      start(controller) {
        waiting.body = controller;
        waiting.fail = (error) => {
          controller.error(error);
          waiting.pulled?.();
        };
      },
      pull: () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.pulled = resolve;
        this.#post({ kind: "pull", id });
        return promise;
      },
      cancel: () => {
        this.#waiting.delete(id);
        this.#post({ kind: "abort", id });
      },
    }, { highWaterMark: 0 });
  }

  #take(message: FromWorker): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    switch (message.kind) {
      case "head":
        return waiting.head(message);
      case "chunk":
        waiting.body?.enqueue(message.bytes);
        return waiting.pulled?.();
      case "end":
        this.#waiting.delete(message.id);
        waiting.body?.close();
        return waiting.pulled?.();
      case "error":
        this.#waiting.delete(message.id);
        return waiting.fail(errorFrom(message.messages));
    }
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }
}

/** The error as the worker had it, causes included: failures are recognized by their messages. */
function errorFrom([first = "", ...causes]: readonly string[]): Error {
  return new TypeError(first, causes.length > 0 ? { cause: errorFrom(causes) } : {});
}
