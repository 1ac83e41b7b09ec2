/**
 * The chunks of one streamed answer -> a reply: a fold that knows where servers put text, thinking, calls,
 * usage and the reason they stopped. It does no I/O. A complete answer, as some servers send in spite of
 * `stream: true`, counts as a single chunk.
 */
import type { AssistantMessage, Reasoning, ToolCall } from "../core/message.ts";
import type { Reply, Usage } from "../core/model.ts";
import { finalizeCalls } from "./call_arguments.ts";
import { CallAssembler } from "./call_assembler.ts";
import { ChannelParser } from "./channels.ts";
import { keepableOf, listOf, numberOf, objectOf, textOf } from "./fields.ts";
import { TextHoldback, type WithheldText } from "./text_holdback.ts";
import type { RescueContext } from "./text_tool_calls.ts";
import { type ContentParts, splitAtClosingTag, ThinkTagParser } from "./think_tags.ts";
import { usageOf } from "./token_counts.ts";

/** What a reply is put together with. */
interface AssemblyOptions extends RescueContext {
  /** The model that replies, as its server calls it. @default "" */
  readonly model?: string;
  /** Makes an id for a call that came without a usable one. @default "call_" and random characters */
  readonly newId?: () => string;
}

type Fields = Readonly<Record<string, unknown>>;

/** A piece of the reply, to be shown. */
export interface TextDelta {
  readonly kind: "thinking" | "text";
  readonly text: string;
}

/** The legacy `function_call` has no number; this one keeps its pieces together. */
const LEGACY_INDEX = -0.5;

/** Fields for thinking, from the most to the least usual; servers that send two say the same in both. */
const THINKING_FIELDS = ["reasoning_content", "reasoning", "thinking", "reasoning_text"];
/** Fields of a detail that come in pieces. */
const PIECEWISE = ["text", "summary", "data"];

/** One reply while it arrives. */
export class ReplyAssembler {
  readonly #rescueContext: RescueContext;
  readonly #takenIds: ReadonlySet<string>;
  readonly #newId: () => string;
  readonly #channels = new ChannelParser();
  readonly #thinkTags = new ThinkTagParser();
  readonly #reasoning = new ReasoningFields();
  readonly #model: string;
  readonly #callAssembler = new CallAssembler();
  readonly #holdback: TextHoldback | undefined;
  #rescued: ToolCall[] = [];
  /** The text of the rescued calls. */
  #written = "";
  #text = "";
  #thinking = "";
  #usage: Usage | undefined;
  #finishReason: string | undefined;

  constructor(options: AssemblyOptions) {
    const { newId = randomCallId, messages, tools, model = "" } = options;
    this.#model = model;
    this.#rescueContext = { messages, tools };
    this.#takenIds = callIdsIn(messages);
    this.#newId = newId;
    this.#holdback = tools.length > 0 ? new TextHoldback() : undefined;
  }

  /** Whether the server said why it stopped, after which nothing but usage is to come. */
  get finished(): boolean {
    return this.#finishReason !== undefined;
  }

  /** Characters of text and thinking so far. */
  get length(): number {
    return this.#text.length + this.#thinking.length + (this.#holdback?.length ?? 0);
  }

  /** Takes one chunk and returns what it adds for people. */
  add(chunk: unknown): TextDelta[] {
    const fields = objectOf(chunk);
    this.#usage = usageOf(fields) ?? this.#usage;
    const choice = choiceOf(fields);
    if (choice === undefined) return [];
    this.#finishReason = textOf(choice["finish_reason"]) ?? this.#finishReason;
    const delta = objectOf(choice["delta"]) ?? objectOf(choice["message"]) ?? {};
    const calls = delta["tool_calls"];
    for (const entry of objectOf(calls) ? [calls] : listOf(calls)) this.#callAssembler.add(entry);
    const legacy = objectOf(delta["function_call"]);
    if (legacy !== undefined) this.#callAssembler.add({ index: LEGACY_INDEX, function: legacy });
    const content = contentOf(delta["content"] ?? choice["text"]);
    const parsed = this.#channels.push(content.text || (textOf(delta["refusal"]) ?? ""));
    const parts = this.#thinkTags.push(parsed.text);
    return this.#take({
      thinking: this.#reasoning.add(delta) + this.#reasoning.addPart(content.thinking) +
        parsed.thinking + parts.thinking,
      text: this.#holdback?.push(parts.text) ?? parts.text,
    });
  }

  /** Ends a stream that broke off and returns all text that was held back. */
  flush(): TextDelta[] {
    const { thinking, text } = this.#endOfContent();
    const passed = this.#holdback === undefined
      ? text
      : this.#holdback.push(text) + this.#holdback.end().text;
    return this.#take({ thinking, text: passed });
  }

  /** Ends the stream and returns the text that was held back and is not a call. */
  async end(): Promise<TextDelta[]> {
    const rest = this.#endOfContent();
    const text = this.#holdback?.push(rest.text) ?? rest.text;
    const pieces = this.#take({ thinking: rest.thinking, text });
    const held = this.#holdback?.end();
    if (held === undefined || held.text === "") return pieces;
    const mayRescue = this.#calls().length === 0 && this.#finishReason !== "length";
    const rescued = mayRescue ? await this.#rescue(held) : undefined;
    if (rescued === undefined) {
      return [...pieces, ...this.#take({ thinking: "", text: held.text })];
    }
    const calls = rescued.map((call) => ({ ...call, id: this.#newId(), rescued: true }));
    this.#rescued = calls;
    this.#written = held.text;
    return pieces;
  }

  /** The whole reply, once `end` was called. */
  async reply(): Promise<Reply> {
    const tools = this.#rescueContext.tools.map((tool) => tool.name);
    const finishReason = this.#finishReason;
    const made = await finalizeCalls(this.#calls(), { tools, finishReason });
    const { thinking, text } = this.#thinking !== ""
      ? { thinking: this.#thinking, text: this.#text }
      : splitAtClosingTag(this.#text);
    const thought = thinking.trim();
    const place = this.#thinking === "" ? this.#placeBefore(text) : this.#place;
    const content = this.#rescued.length > 0 ? text.trimEnd() : text;
    const message: AssistantMessage = {
      role: "assistant",
      content,
      calls: [...made, ...this.#rescued],
      ...this.#rescued.length > 0 && { written: text.slice(content.length) + this.#written },
      ...thought && { thinking: thought },
      ...thought && place && { reasoning: { model: this.#model, place } },
    };
    return { message, usage: this.#usage, finishReason };
  }

  /** How the thinking so far goes back to the server; undefined if there is none. */
  get reasoning(): Reasoning | undefined {
    const place = this.#place;
    return place && { model: this.#model, place };
  }

  get #place(): Reasoning["place"] | undefined {
    const { before } = this.#thinkTags;
    return this.#reasoning.place ?? (before === "" ? undefined : { in: "text", text: before });
  }

  /** The place of a thought that only its closing tag has shown. */
  #placeBefore(text: string): Reasoning["place"] {
    return { in: "text", text: this.#text.slice(0, this.#text.length - text.length) };
  }

  /** The calls in the held text; loaded on demand, since hardly any reply needs it. */
  async #rescue(held: WithheldText) {
    const { rescueCalls } = await import("./text_tool_calls.ts");
    return await rescueCalls(held, this.#rescueContext);
  }

  /** What is still held back before the text is looked through for calls. */
  #endOfContent(): ContentParts {
    const parsed = this.#channels.end();
    const last = this.#thinkTags.push(parsed.text);
    const rest = this.#thinkTags.end();
    return {
      thinking: parsed.thinking + last.thinking + rest.thinking,
      text: last.text + rest.text,
    };
  }

  #calls(): ToolCall[] {
    return this.#callAssembler.calls({ takenIds: this.#takenIds, newId: this.#newId });
  }

  #take({ thinking, text }: ContentParts): TextDelta[] {
    this.#thinking += thinking;
    this.#text += text;
    const pieces: TextDelta[] = [];
    if (thinking !== "") pieces.push({ kind: "thinking", text: thinking });
    if (text !== "") pieces.push({ kind: "text", text });
    return pieces;
  }
}

/** The first choice; Ollama's own format has a message instead. */
function choiceOf(fields: Fields | undefined): Fields | undefined {
  const choice = listOf(fields?.["choices"]).map(objectOf)
    .find((one) => one !== undefined && !((numberOf(one["index"]) ?? 0) > 0));
  if (choice !== undefined || objectOf(fields?.["message"]) === undefined) return choice;
  const { message, done, done_reason: reason } = fields!;
  return { message, ...done === true && { finish_reason: reason ?? "stop" } };
}

/** Content as text, or as the parts that some servers send. */
function contentOf(content: unknown): ContentParts {
  const text = textOf(content);
  if (text !== undefined) return { thinking: "", text };
  const parts = listOf(content).map(objectOf);
  const join = (type: RegExp, field: string) =>
    parts.filter((part) => type.test(String(part?.["type"])))
      .map((part) => textOf(part?.[field]) ?? contentOf(part?.[field]).text).join("");
  return { thinking: join(/^thinking$/, "thinking"), text: join(/^(output_)?text$/, "text") };
}

function callIdsIn(messages: RescueContext["messages"]): ReadonlySet<string> {
  return new Set(
    messages.flatMap((message) =>
      message.role === "assistant" ? message.calls.map((call) => call.id) : []
    ),
  );
}

function randomCallId(): string {
  return `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
}

/** Takes the thinking out of the deltas of one reply. */
class ReasoningFields {
  #field: string | undefined;
  #text = "";
  #details: Fields[] = [];
  #part = "";

  /** Takes a delta's fields; returns what they add for people. */
  add(delta: Fields): string {
    const details = listOf(delta["reasoning_details"]).map(keepableOf)
      .filter((one) => one !== undefined);
    details.forEach((detail) => this.#addDetail(detail));
    const field = THINKING_FIELDS.find((name) => textOf(delta[name]) !== undefined);
    const text = field === undefined ? undefined : textOf(delta[field]);
    if (text === undefined) return details.map((one) => textOf(one["text"]) ?? "").join("");
    if (text !== "") this.#field ??= field;
    this.#text += text;
    return text;
  }

  /** Takes thinking that came as parts of the content, and returns it. */
  addPart(thinking: string): string {
    this.#part += thinking;
    return thinking;
  }

  /** Where it goes when it goes back; undefined if no field held any. */
  get place(): Reasoning["place"] | undefined {
    if (this.#details.length > 0) {
      return { in: "fields", fields: { reasoning_details: this.#details } };
    }
    if (this.#field !== undefined) return { in: "fields", fields: { [this.#field]: this.#text } };
    return this.#part === "" ? undefined : { in: "part", text: this.#part };
  }

  #addDetail(detail: Fields): void {
    const last = this.#details.at(-1);
    const isSame = last !== undefined && last["type"] === detail["type"] &&
      last["index"] === detail["index"] && (detail["id"] ?? last["id"]) === last["id"];
    if (!isSame) return void this.#details.push(detail);
    const joined = PIECEWISE.flatMap((name) => {
      const text = textOf(detail[name]);
      return text === undefined ? [] : [[name, (textOf(last[name]) ?? "") + text]];
    });
    const said = Object.entries(detail).filter(([, value]) => value !== null);
    this.#details[this.#details.length - 1] = {
      ...last,
      ...Object.fromEntries(said),
      ...Object.fromEntries(joined),
    };
  }
}
