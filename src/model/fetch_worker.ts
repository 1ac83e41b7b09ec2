/**
 * The worker behind `single_host_fetch.ts`, which may reach one host and nothing else. It makes the requests it
 * is given and returns each answer, one chunk at a time as they are asked for.
 */
import { causeMessages } from "../lib/text.ts";

/** Messages to the worker. */
export type ToWorker =
  | {
    readonly kind: "request";
    readonly id: number;
    readonly url: string;
    readonly method: string;
    readonly headers: readonly (readonly [string, string])[];
    readonly body: Uint8Array<ArrayBuffer> | undefined;
    readonly redirect: RequestRedirect;
  }
  | { readonly kind: "pull" | "abort"; readonly id: number };

/** Messages from the worker. */
export type FromWorker =
  | {
    readonly kind: "head";
    readonly id: number;
    readonly status: number;
    readonly statusText: string;
    readonly headers: readonly (readonly [string, string])[];
  }
  | { readonly kind: "chunk"; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "end"; readonly id: number }
  /** Messages of the error and of its causes, outermost first. */
  | { readonly kind: "error"; readonly id: number; readonly messages: readonly string[] };

interface Exchange {
  readonly abort: AbortController;
  reader?: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
}

interface WorkerScope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}

/** Answers messages until the worker is ended. */
function serve(scope: WorkerScope): void {
  const exchanges = new Map<number, Exchange>();
  const fail = (id: number, error: unknown) => {
    exchanges.delete(id);
    scope.postMessage({ kind: "error", id, messages: causeMessages(error) });
  };
  scope.onmessage = ({ data }) => {
    const { id } = data;
    if (data.kind === "request") {
      const exchange = { abort: new AbortController() };
      exchanges.set(id, exchange);
      begin(data, { exchange, scope }).catch((error) => fail(id, error));
      return;
    }
    const exchange = exchanges.get(id);
    if (data.kind === "abort") {
      exchanges.delete(id);
      exchange?.abort.abort();
      return;
    }
    pull(id, { exchange, scope, done: () => exchanges.delete(id) })
      .catch((error) => fail(id, error));
  };
}

async function begin(
  request: Extract<ToWorker, { kind: "request" }>,
  { exchange, scope }: { exchange: Exchange; scope: WorkerScope },
): Promise<void> {
  const { id, url, method, body, redirect } = request;
  const response = await fetch(url, {
    method,
    redirect,
    headers: request.headers.map(([name, value]): [string, string] => [name, value]),
    signal: exchange.abort.signal,
    ...(body && { body }),
  });
  const reader = response.body?.getReader();
  if (reader) exchange.reader = reader;
  const { status, statusText } = response;
  scope.postMessage({ kind: "head", id, status, statusText, headers: [...response.headers] });
}

async function pull(
  id: number,
  { exchange, scope, done }: {
    exchange: Exchange | undefined;
    scope: WorkerScope;
    done: () => void;
  },
): Promise<void> {
  const read = await exchange?.reader?.read();
  if (read?.value !== undefined) {
    scope.postMessage({ kind: "chunk", id, bytes: read.value });
    return;
  }
  done();
  scope.postMessage({ kind: "end", id });
}

// This module is a worker's entry: others import its types only.
serve(self as unknown as WorkerScope);
