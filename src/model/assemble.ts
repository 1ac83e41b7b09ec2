/**
 * The chunks of one streamed answer -> a reply: a fold that knows where servers put text, thinking, calls,
 * usage and the reason they stopped. It does no I/O; the client feeds it and shows the deltas it returns.
 * A complete answer, as some servers send in spite of `stream: true`, is taken like a single chunk.
 */
import type { AssistantMessage } from "../core/message.ts";
import type { Delta, Reply, Usage } from "../core/model.ts";
import { CallPieces } from "./call_pieces.ts";
import { listOf, numberOf, objectOf, textOf } from "./fields.ts";
import { ThinkTags, type Told } from "./think_tags.ts";

export interface AssemblyOptions {
  /** Call ids already used in the conversation. */
  readonly takenIds: ReadonlySet<string>;
  /** Makes an id for a call that came without a usable one. @default "call_" and random characters */
  readonly newId?: () => string;
}

/** The legacy `function_call` has no number; this one keeps its pieces together. */
const LEGACY_INDEX = -1;

/** One reply while it arrives. */
export class ReplyAssembly {
  readonly #takenIds: ReadonlySet<string>;
  readonly #newId: () => string;
  readonly #tags = new ThinkTags();
  readonly #pieces = new CallPieces();
  #text = "";
  #thinking = "";
  #usage: Usage | undefined;
  #finishReason: string | undefined;

  constructor({ takenIds, newId = randomCallId }: AssemblyOptions) {
    this.#takenIds = takenIds;
    this.#newId = newId;
  }

  /** Whether the server said why it stopped, after which nothing but usage is to come. */
  get finished(): boolean {
    return this.#finishReason !== undefined;
  }

  /** Takes one chunk and returns what it adds for people. */
  add(chunk: unknown): Delta[] {
    const fields = objectOf(chunk);
    this.#usage = usageOf(fields?.["usage"]) ?? this.#usage;
    const choice = objectOf(listOf(fields?.["choices"])[0]);
    if (choice === undefined) return [];
    this.#finishReason = textOf(choice["finish_reason"]) ?? this.#finishReason;
    const delta = objectOf(choice["delta"]) ?? objectOf(choice["message"]) ?? {};
    for (const entry of listOf(delta["tool_calls"])) this.#pieces.add(entry);
    const legacy = objectOf(delta["function_call"]);
    if (legacy !== undefined) this.#pieces.add({ index: LEGACY_INDEX, function: legacy });
    const thinking = textOf(delta["reasoning_content"]) ?? textOf(delta["reasoning"]) ?? "";
    const told = this.#tags.push(textOf(delta["content"]) ?? textOf(delta["refusal"]) ?? "");
    return this.#take({ thinking: thinking + told.thinking, text: told.text });
  }

  /** Takes the end of the stream and returns what was held back until then. */
  end(): Delta[] {
    return this.#take(this.#tags.end());
  }

  /** The whole reply. */
  reply(): Reply {
    const calls = this.#pieces.calls({ takenIds: this.#takenIds, newId: this.#newId });
    return {
      message: { ...this.#message(), calls },
      usage: this.#usage,
      finishReason: this.#finishReason,
    };
  }

  /** What has arrived, for a reply that the user cut off; a call that may be half is none. */
  interrupted(): Reply {
    return { message: { ...this.#message(), interrupted: true }, usage: this.#usage };
  }

  #message(): AssistantMessage {
    const thinking = this.#thinking.trim();
    return { role: "assistant", content: this.#text, calls: [], ...thinking && { thinking } };
  }

  #take({ thinking, text }: Told): Delta[] {
    this.#thinking += thinking;
    this.#text += text;
    const deltas: Delta[] = [];
    if (thinking !== "") deltas.push({ kind: "thinking", text: thinking });
    if (text !== "") deltas.push({ kind: "text", text });
    return deltas;
  }
}

function usageOf(value: unknown): Usage | undefined {
  const fields = objectOf(value);
  const promptTokens = numberOf(fields?.["prompt_tokens"]);
  const completionTokens = numberOf(fields?.["completion_tokens"]);
  if (promptTokens === undefined && completionTokens === undefined) return undefined;
  return { promptTokens: promptTokens ?? 0, completionTokens: completionTokens ?? 0 };
}

function randomCallId(): string {
  return `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
}
