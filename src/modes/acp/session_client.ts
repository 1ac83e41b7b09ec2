/**
 * The client as one session sees it: gets the session's updates in order, and answers its questions. What happens
 * before the client knows the session's id is sent once it does.
 */
import {
  type AgentContext,
  type ClientCapabilities,
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
  type SessionUpdate,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { mapStrings } from "../../lib/json_strings.ts";
import { isObject } from "../../lib/schema.ts";

/** Milliseconds that the text of a file may take: the client has it in memory, or ally reads the disk. */
const READ_TIMEOUT_MS = 5_000;

/** An answer on offer, with its id. */
export type OfferedAnswer = Pick<PermissionOption, "kind" | "name" | "optionId">;

/** Ready to use after `new`. */
export class SessionClient {
  readonly capabilities: ClientCapabilities;
  readonly #client: AgentContext;
  #sessionId: string | undefined;
  /** Updates from before the client knew the session. */
  #early: SessionUpdate[] = [];
  #questions = 0;
  readonly #closed = new AbortController();

  constructor(client: AgentContext, capabilities: ClientCapabilities) {
    this.#client = client;
    this.capabilities = capabilities;
  }

  /** The client knows the session by this id from now on. */
  open(sessionId: string): void {
    this.#sessionId = sessionId;
    for (const update of this.#early.splice(0)) this.send(update);
  }

  /** Ends the questions that are about no prompt; the session is over. */
  close(): void {
    this.#closed.abort();
  }

  /** Aborted once the session is over. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Sends an update after all earlier ones. A client that has left gets none. */
  send(update: SessionUpdate): void {
    if (this.#sessionId === undefined) {
      this.#early.push(update);
      return;
    }
    const notification = whole({ sessionId: this.#sessionId, update });
    this.#client.notify(methods.client.session.update, notification)
      .catch(() => {});
  }

  /** Asks about a call; the id of the answer, or undefined if there is none. */
  async ask(
    toolCall: ToolCallUpdate,
    { options, signal }: { options: OfferedAnswer[]; signal: AbortSignal },
  ): Promise<string | undefined> {
    if (this.#sessionId === undefined || signal.aborted) return undefined;
    const question: RequestPermissionRequest = whole({
      sessionId: this.#sessionId,
      toolCall,
      options,
    });
    const { outcome } = await this.#client.request(
      methods.client.session.requestPermission,
      question,
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    return outcome.outcome === "selected" ? outcome.optionId : undefined;
  }

  /**
   * Asks something before the client knows the session, by a form; undefined if it has none, or nothing is chosen. The
   * question belongs to the request that begins the session.
   */
  async chooseEarly(
    message: string,
    answers: readonly { readonly value: string; readonly name: string }[],
  ): Promise<string | undefined> {
    const { requestId } = this.#client;
    if (!this.capabilities.elicitation?.form || requestId === undefined) return undefined;
    const oneOf = answers.map(({ value, name }) => ({ const: value, title: name }));
    try {
      const given = await this.#client.request(methods.client.elicitation.create, {
        mode: "form",
        requestId,
        message,
        requestedSchema: {
          type: "object",
          properties: { answer: { type: "string", title: "Answer", oneOf } },
          required: ["answer"],
        },
      });
      const answer = given.action === "accept" && isObject(given.content)
        ? given.content.answer
        : undefined;
      return typeof answer === "string" ? answer : undefined;
    } catch {
      return undefined;
    }
  }

  /** Whether the client knows the session. */
  get isOpen(): boolean {
    return this.#sessionId !== undefined;
  }

  /** The text of a file as the client's editor has it; undefined if it is not open there, or takes too long. */
  readonly readBuffer = async (path: string): Promise<string | undefined> => {
    if (!this.capabilities.fs?.readTextFile || this.#sessionId === undefined) return undefined;
    try {
      const { content } = await this.#client.request(
        methods.client.fs.readTextFile,
        { sessionId: this.#sessionId, path },
        { cancellationSignal: AbortSignal.timeout(READ_TIMEOUT_MS), stopWaitingOnCancel: true },
      );
      return content;
    } catch {
      return undefined;
    }
  };

  /** Asks something that is about no call of a tool; the index of the answer, or undefined if there is none. */
  async choose(
    { title, text }: { title: string; text?: string | undefined },
    { answers, signal }: {
      answers: readonly Omit<OfferedAnswer, "optionId">[];
      signal: AbortSignal;
    },
  ): Promise<number | undefined> {
    const toolCallId = `question_${++this.#questions}`;
    const content = text === undefined
      ? []
      : [{ type: "content" as const, content: { type: "text" as const, text } }];
    this.send({
      sessionUpdate: "tool_call",
      toolCallId,
      title,
      kind: "other",
      status: "pending",
      content,
    });
    const options = answers.map((answer, index) => ({ ...answer, optionId: String(index) }));
    const chosen = await this.ask({ toolCallId, title, content }, { options, signal })
      .catch(() => undefined);
    const status = chosen === undefined ? "failed" as const : "completed" as const;
    this.send({ sessionUpdate: "tool_call_update", toolCallId, status });
    const index = options.findIndex(({ optionId }) => optionId === chosen);
    return index < 0 ? undefined : index;
  }
}

/** The same without halves of characters, which a model may write: many clients cannot read a message with one. */
function whole<T>(message: T): T {
  return mapStrings(message, (text) => text.toWellFormed());
}
