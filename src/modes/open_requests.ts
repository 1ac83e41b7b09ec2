/**
 * The requests of a connection over standard input and output that wait for an answer. The input may end before they
 * have one: a script writes its requests and closes the pipe. They are answered then, within a limit of time, and what
 * ally has asked the client is answered with an error, since nothing more can come.
 */
import { isObject } from "../lib/schema.ts";

/** What a request is answered by; JSON-RPC allows others, which cannot be told apart from no request. */
type RequestId = string | number;

/** Milliseconds that requests have to be answered after the input has ended. */
const GRACE_MS = 10_000;

/** From the range that JSON-RPC leaves to implementations. */
const CLIENT_LEFT = { code: -32000, message: "The client sends nothing more" };

/** An answer to a request of ally's, as the client would give it. */
interface Refusal {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly error: { readonly code: number; readonly message: string };
}

/** What the requests are watched with. */
interface OpenRequestsOptions {
  /** Delivers an answer in the client's place. */
  readonly answer: (refusal: Refusal) => void;
  /** Gets a line where requests are left without an answer. */
  readonly log: (line: string) => void;
  /** @default 10 seconds */
  readonly graceMs?: number;
}

/** The requests of one connection, in both directions. */
export class OpenRequests {
  readonly #options: OpenRequestsOptions;
  /** Requests of the client, one that comes twice with its id twice. */
  readonly #received: RequestId[] = [];
  /** Requests to the client. */
  readonly #asked = new Set<RequestId>();
  readonly #closed = Promise.withResolvers<void>();
  #hasEnded = false;

  constructor(options: OpenRequestsOptions) {
    this.#options = options;
  }

  /** Takes a message of the client. */
  receive(message: unknown): void {
    const { id, isRequest } = readMessage(message);
    if (id === undefined) return;
    if (isRequest) this.#received.push(id);
    else this.#asked.delete(id);
  }

  /** Takes a message to the client, once it is written. */
  send(message: unknown): void {
    const { id, isRequest } = readMessage(message);
    if (id === undefined) return;
    if (!isRequest) this.forget(id);
    else if (this.#hasEnded) this.#refuse(id);
    else this.#asked.add(id);
  }

  /** A request has its answer, or gets none. */
  forget(id: RequestId): void {
    const index = this.#received.indexOf(id);
    if (index >= 0) this.#received.splice(index, 1);
    this.#closeOnceAnswered();
  }

  /** The input has ended; resolves once all requests are answered, the time is up, or it is closed. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    for (const id of this.#asked) this.#refuse(id);
    this.#asked.clear();
    const { graceMs = GRACE_MS, log } = this.#options;
    const timer = setTimeout(() => {
      log(
        `ally: the input ended ${graceMs / 1000} seconds ago; ` +
          `requests without an answer: ${this.#received.join(", ")}`,
      );
      this.close();
    }, graceMs);
    this.#closeOnceAnswered();
    await this.#closed.promise;
    clearTimeout(timer);
  }

  /** The connection is closed: nothing more is waited for. */
  close(): void {
    this.#closed.resolve();
  }

  #closeOnceAnswered(): void {
    if (this.#hasEnded && this.#received.length === 0) this.close();
  }

  #refuse(id: RequestId): void {
    this.#options.answer({ jsonrpc: "2.0", id, error: CLIENT_LEFT });
  }
}

/** What a message is; only what JSON-RPC knows has an id here. */
function readMessage(
  message: unknown,
): { readonly id: RequestId | undefined; readonly isRequest: boolean } {
  const { jsonrpc, id, method } = isObject(message) ? message : {};
  const isKnown = jsonrpc === "2.0" && (typeof id === "string" || Number.isFinite(id));
  return { id: isKnown ? id as RequestId : undefined, isRequest: typeof method === "string" };
}
