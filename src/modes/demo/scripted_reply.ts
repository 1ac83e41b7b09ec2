/**
 * One reply of a scripted server, and its rendering as the chunks of a streamed chat completion the way
 * OpenAI sends them: role, thinking, text, calls in pieces, finish reason, usage, `[DONE]`.
 */

/** One call of a reply. */
interface ScriptedCall {
  readonly name: string;
  /** A string is sent as it stands, so that broken JSON can be scripted. */
  readonly arguments: Readonly<Record<string, unknown>> | string;
  /** @default "call_" and random characters */
  readonly id?: string;
}

/** What the server says to one request. */
export interface ScriptedReply {
  /** The answer, or with a `status` of 400 and more the error's message. */
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly ScriptedCall[];
  /** @default a quarter of the characters, near enough for a display */
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens: number };
  };
  /** @default "tool_calls" with calls, else "stop" */
  readonly finishReason?: string;
  /** Characters in one piece of text, thinking or arguments. @default 24 */
  readonly chunkSize?: number;
  /** Milliseconds between chunks. @default none */
  readonly delayMs?: number;
  /** What is waited for before a chunk of this index. @default nothing */
  readonly pause?: (index: number) => Promise<unknown> | undefined;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body, instead of a stream. */
  readonly body?: string;
  /** The bytes of the body in these pieces, instead of anything above. */
  readonly raw?: readonly (string | Uint8Array)[];
  /** The data of each event, instead of what text, thinking and calls would make. */
  readonly sse?: readonly string[];
  /** Tears the connection after this many chunks; -1: resets it before the headers. */
  readonly breakAfter?: number;
  /** Tears it with a reset instead of an end. */
  readonly reset?: true;
  /** Sends what there is without an end, then nothing until the client leaves. */
  readonly hang?: true;
  /** Sends nothing at all, not even headers. */
  readonly stall?: true;
  /** How many requests get this reply. @default 1 */
  readonly repeat?: number;
}

/** The data of each event of a reply, in order; `prompt` is the request's text. */
export function chunksOf(reply: ScriptedReply, prompt: string): string[] {
  if (reply.sse !== undefined) return [...reply.sse];
  const chunks = deltasOf(reply).map((delta) =>
    formatChunk({ choices: [{ index: 0, delta, finish_reason: null }] })
  );
  if (reply.hang) return chunks;
  const finish = reply.finishReason ?? (reply.calls?.length ? "tool_calls" : "stop");
  return [
    ...chunks,
    formatChunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }),
    formatChunk({ choices: [], usage: usageOf(reply, prompt) }),
    "[DONE]",
  ];
}

function deltasOf(reply: ScriptedReply): Record<string, unknown>[] {
  const size = reply.chunkSize ?? 24;
  const deltas: Record<string, unknown>[] = [];
  for (const piece of splitText(reply.thinking ?? "", size)) {
    deltas.push({ reasoning_content: piece });
  }
  for (const piece of splitText(reply.text ?? "", size)) deltas.push({ content: piece });
  for (const [index, call] of (reply.calls ?? []).entries()) {
    const id = call.id ?? `call_${crypto.randomUUID().slice(0, 8)}`;
    const head = { index, id, type: "function", function: { name: call.name, arguments: "" } };
    deltas.push({ tool_calls: [head] });
    for (const piece of splitText(argumentText(call), size)) {
      deltas.push({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  const [first = {}, ...rest] = deltas;
  return [{ role: "assistant", ...first }, ...rest];
}

function usageOf(reply: ScriptedReply, prompt: string) {
  const calls = (reply.calls ?? []).map((call) => call.name + argumentText(call)).join("");
  const text = `${reply.thinking ?? ""}${reply.text ?? ""}${calls}`;
  const usage = reply.usage ?? {
    prompt_tokens: Math.ceil(prompt.length / 4),
    completion_tokens: Math.ceil(text.length / 4),
  };
  return { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens };
}

function argumentText(call: ScriptedCall): string {
  return typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
}

/** Cuts text into pieces of `size` characters, never inside a surrogate pair. */
function splitText(text: string, size: number): string[] {
  const characters = [...text];
  const result: string[] = [];
  for (let start = 0; start < characters.length; start += size) {
    result.push(characters.slice(start, start + size).join(""));
  }
  return result;
}

function formatChunk(fields: Record<string, unknown>): string {
  return JSON.stringify({ id: "chatcmpl-scripted", object: "chat.completion.chunk", ...fields });
}
