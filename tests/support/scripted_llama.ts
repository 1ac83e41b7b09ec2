/**
 * A real llama-server that says what a script has it say: what it reads and would have generated is put into its slot,
 * so that its cache is that of a real conversation. It stands before the server; everything but chats goes through, and
 * so do chats that only warm the cache.
 */
import type { LlamaServerProgram } from "../../scripts/llama_server.ts";
import {
  type ReplyFunction,
  type ScriptedReply,
  startScriptedServer,
} from "../../src/modes/demo/scripted_server.ts";
import { messagesOf } from "./by_content.ts";
import { agentOf, type RenderedRequest } from "./cache_rule.ts";
import { startFrontServer } from "./front_server.ts";
import { type LlamaServer, type LlamaServerOptions, startLlamaServer } from "./llama_server.ts";

/** What one request cost, in tokens. */
export interface CachedRequest extends RenderedRequest {
  /** "main", or what a sub-agent was told. */
  readonly agent: string;
  /** Of all that the model sees. */
  readonly prompt: number;
  /** Of the prompt, what the server still had. */
  readonly cached: number;
  /** Of the prompt, what had to be read. */
  readonly read: number;
  /** Of the prompt, what the agent's conversation did not have before: words, results, and the marks around them. */
  readonly added: number;
  /** What the model would have generated, calls and thinking included. */
  readonly reply: number;
}

/** A request that asks for no reply: it has the server read what the next one begins with. */
export interface Warming {
  readonly body: Record<string, unknown>;
  readonly cached: number;
  readonly read: number;
}

/** What is started. */
export interface ScriptedLlamaOptions extends LlamaServerOptions {
  /**
   * In the order of the requests, or by what they say. Thinking and calls are written as the template has them; one
   * that knows no thinking gets none.
   */
  readonly replies: readonly (ScriptedReply | ReplyFunction)[];
  /** Port that ally talks to. @default a free one */
  readonly frontPort?: number;
}

/** The server that ally talks to. */
export interface ScriptedLlama extends AsyncDisposable {
  /** Base URL, ending in `/v1`. */
  readonly url: string;
  /** The real one. */
  readonly server: LlamaServer;
  /** What was asked, in the order in which it was answered. */
  readonly requests: readonly CachedRequest[];
  readonly warmings: readonly Warming[];
  /** The first messages of a request, as the template writes them. */
  renderFirst(body: Record<string, unknown>, count: number): Promise<string>;
  /** Tokens of a text. */
  countTokens(text: string): Promise<number>;
}

/** Where the template ends a prompt, and a reply. */
const END_OF_REPLY = "<|im_end|>\n";
/** A reply is rendered as a last message, which is otherwise taken for the beginning of an answer. */
const REPLY_LAST = "--no-prefill-assistant";

/** Starts one; after the last reply it says "(end of script)", as a scripted server does. */
export async function startScriptedLlama(
  program: LlamaServerProgram,
  { replies, frontPort, ...options }: ScriptedLlamaOptions,
): Promise<ScriptedLlama> {
  const server = await startLlamaServer(program, {
    ...options,
    args: [REPLY_LAST, ...options.args ?? []],
  });
  const cache = new ScriptedCache(server);
  // A server with free slots works on several requests at once; one after the other they are the same ones each time.
  let last: Promise<unknown> = Promise.resolve();
  const scripted = await startScriptedServer({
    replies: replies.map((next): ReplyFunction => async (request, index) => {
      const reply = await fitTo(options, next)(request, index);
      const turn = last.then(() => cache.add(request.body, reply));
      last = turn.catch(() => {});
      const { prompt, cached, reply: completion_tokens } = await turn;
      const prompt_tokens_details = { cached_tokens: cached };
      return {
        ...reply,
        usage: { prompt_tokens: prompt, completion_tokens, prompt_tokens_details },
      };
    }),
  });
  const front = await startFrontServer(async ({ url = "/", method = "GET" }, { text, signal }) => {
    const isChat = url === "/v1/chat/completions";
    const isReal = !isChat || isWarming(JSON.parse(text));
    const to = new URL(url, isReal ? server.url : scripted.url);
    const response = await fetch(to, { method, signal, ...text !== "" && { body: text } });
    if (!isChat || !isReal) return response;
    const answer = await response.text();
    cache.noteWarming(JSON.parse(text), answer);
    return new Response(answer, response);
  }, frontPort);
  return {
    url: `${front.url}/v1`,
    server,
    requests: cache.requests,
    warmings: cache.warmings,
    renderFirst: (body, count) => cache.renderFirst(body, count),
    countTokens: (text) => cache.countTokens(text),
    async [Symbol.asyncDispose]() {
      await front.close();
      await scripted.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Whether a request wants no reply, or a token of one. */
function isWarming(body: Record<string, unknown>): boolean {
  return body["n_predict"] === 0 || Number(body["max_tokens"] ?? Infinity) <= 1;
}

/** The reply as a model with the template would give it. */
function fitTo(
  { template = "none" }: LlamaServerOptions,
  reply: ScriptedReply | ReplyFunction,
): ReplyFunction {
  return async (request, index) => {
    const given = typeof reply === "function" ? await reply(request, index) : reply;
    const { thinking: _unknown, ...spoken } = given;
    if (template === "strips" || template === "keeps") return given;
    return request.body["tools"] === undefined ? writeCalls(spoken) : spoken;
  };
}

/** Calls in the form in which ally asks for them where a server takes no tools. */
function writeCalls({ calls = [], text, ...reply }: ScriptedReply): ScriptedReply {
  const lines = calls.map((call) =>
    `<tool_call>{"name": "${call.name}", "arguments": ${argumentText(call)}}</tool_call>`
  );
  return { ...reply, text: [...text ? [text] : [], ...lines].join("\n") };
}

/** The cache of a server, filled by script. */
class ScriptedCache {
  readonly requests: CachedRequest[] = [];
  readonly warmings: Warming[] = [];
  readonly #server: LlamaServer;

  constructor(server: LlamaServer) {
    this.#server = server;
  }

  /** Has the server read the prompt, and then the prompt with the reply after it. */
  async add(body: Record<string, unknown>, reply: ScriptedReply): Promise<CachedRequest> {
    const rendered = await this.#render(body);
    const agent = agentOf({ body });
    const added = await this.#countAdded(agent, { body, rendered });
    const { cached, read } = await this.#read(rendered, body);
    const messages = [...body["messages"] as unknown[], messageOf(reply)];
    const whole = await this.#render({ ...body, messages, add_generation_prompt: false });
    const answered = reply.hang ? whole.slice(0, -END_OF_REPLY.length) : whole;
    if (!answered.startsWith(rendered)) {
      throw new Error(
        "The template does not end a prompt as it begins a reply: nothing can be generated so.",
      );
    }
    const after = await this.#read(answered, body);
    const prompt = cached + read;
    const request = {
      ...{ agent, body, rendered, answered, prompt, cached, read, added },
      reply: after.cached + after.read - prompt,
    };
    this.requests.push(request);
    return request;
  }

  /** Notes what a real request has read, by its answer. */
  noteWarming(body: Record<string, unknown>, answer: string): void {
    const figure = (name: string) => Number(new RegExp(`"${name}":(\\d+)`).exec(answer)?.[1] ?? 0);
    this.warmings.push({ body, cached: figure("cache_n"), read: figure("prompt_n") });
  }

  async renderFirst(body: Record<string, unknown>, count: number): Promise<string> {
    const messages = body["messages"] as unknown[];
    const words = messagesOf({ body }).findLastIndex(({ role }) => role === "user");
    // What the template does with thinking depends on where the user's last words are.
    const mark = "(the user's words)";
    const last = words < count ? [] : [{ role: "user", content: mark }];
    const text = await this.#render({
      ...body,
      messages: [...messages.slice(0, count), ...last],
      add_generation_prompt: false,
    });
    return last.length === 0 ? text : text.slice(0, text.lastIndexOf(`<|im_start|>user\n${mark}`));
  }

  async countTokens(content: string): Promise<number> {
    const { tokens } = await this.#server.ask("/tokenize", { content });
    return (tokens as unknown[]).length;
  }

  /** All of the prompt but what the request before and its reply take in it now. */
  async #countAdded(
    agent: string,
    { body, rendered }: { body: Record<string, unknown>; rendered: string },
  ): Promise<number> {
    const before = this.requests.findLast((request) => request.agent === agent);
    const known = before ? messagesOf(before).length + 1 : 0;
    const all = await this.countTokens(rendered);
    if (known === 0 || known >= messagesOf({ body }).length) return all;
    return all - await this.countTokens(await this.renderFirst(body, known));
  }

  async #render(request: Record<string, unknown>): Promise<string> {
    return String((await this.#server.ask("/apply-template", request))["prompt"]);
  }

  /** Reads a prompt into the slot that the request names, or that the server chooses. */
  async #read(
    prompt: string,
    { id_slot }: Record<string, unknown>,
  ): Promise<{ cached: number; read: number }> {
    const slot = id_slot === undefined ? {} : { id_slot };
    const { timings } = await this.#server.ask("/completion", {
      prompt,
      n_predict: 0,
      cache_prompt: true,
      ...slot,
    }) as { timings: { cache_n: number; prompt_n: number } };
    return { cached: timings.cache_n, read: timings.prompt_n };
  }
}

/** The reply as the message that the template would render. */
function messageOf({ text = "", thinking, calls = [] }: ScriptedReply): Record<string, unknown> {
  return {
    role: "assistant",
    content: text,
    ...thinking !== undefined && { reasoning_content: thinking },
    ...calls.length > 0 && {
      tool_calls: calls.map((call, index) => ({
        id: `call_${index}`,
        type: "function",
        function: { name: call.name, arguments: argumentText(call) },
      })),
    },
  };
}

function argumentText({ arguments: given }: NonNullable<ScriptedReply["calls"]>[number]): string {
  return typeof given === "string" ? given : JSON.stringify(given);
}
