/**
 * Stands between ally and a llama-server, and answers with a script as if the model had said it: what the server has
 * read and would have generated is put into its slot, so that its cache is that of a real conversation. Everything but
 * chats goes through.
 */
import { type ScriptedReply, startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import type { LlamaServer } from "./llama_server.ts";

/** What one request cost, in tokens. */
export interface CachedRequest {
  /** What the model sees: the request as the server's template writes it. */
  readonly rendered: string;
  /** Of all that it sees. */
  readonly prompt: number;
  /** Of the prompt, what the slot still had. */
  readonly cached: number;
  /** Of the prompt, what had to be read. */
  readonly read: number;
  /** What the model would have generated, calls and thinking included. */
  readonly reply: number;
}

/** The server that ally talks to. */
export interface ScriptedLlama extends AsyncDisposable {
  /** Base URL, ending in `/v1`. */
  readonly url: string;
  /** What was asked, in order. */
  readonly requests: readonly CachedRequest[];
}

/** Starts one; after the last reply it says "(end of script)", as a scripted server does. */
export async function startScriptedLlama(
  server: LlamaServer,
  replies: readonly ScriptedReply[],
): Promise<ScriptedLlama> {
  const requests: CachedRequest[] = [];
  const script = await startScriptedServer({
    replies: replies.map((reply) => async ({ body }) => {
      const cost = await putIntoSlot(server, { body, reply });
      requests.push(cost);
      return {
        ...reply,
        usage: { prompt_tokens: cost.prompt, completion_tokens: cost.reply },
      };
    }),
  });
  const front = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    const isChat = pathname === "/v1/chat/completions";
    const base = isChat ? script.url : server.url;
    const { method, headers, body } = request;
    return fetch(new URL(pathname, base), { method, headers, body });
  });
  return {
    url: `http://127.0.0.1:${front.addr.port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      await front.shutdown();
      await script.close();
    },
  };
}

/** Has the server read the prompt, and then the prompt with the reply after it. */
async function putIntoSlot(
  server: LlamaServer,
  { body, reply }: { body: Record<string, unknown>; reply: ScriptedReply },
): Promise<CachedRequest> {
  const render = async (request: Record<string, unknown>) =>
    String((await server.ask("/apply-template", request))["prompt"]);
  const prompt = await render(body);
  const { cached, read } = await readPrompt(server, prompt);
  const messages = [...body["messages"] as unknown[], messageOf(reply)];
  const answered = await render({ ...body, messages, add_generation_prompt: false });
  if (!answered.startsWith(prompt)) {
    throw new Error(
      "The template does not end a prompt as it begins a reply: nothing can be generated so.",
    );
  }
  const whole = await readPrompt(server, answered);
  return {
    rendered: prompt,
    prompt: cached + read,
    cached,
    read,
    reply: whole.cached + whole.read - cached - read,
  };
}

/** The reply as the message that the template would render. */
function messageOf({ text = "", thinking, calls = [] }: ScriptedReply): Record<string, unknown> {
  return {
    role: "assistant",
    content: text,
    ...thinking !== undefined && { reasoning_content: thinking },
    ...calls.length > 0 && {
      tool_calls: calls.map(({ name, arguments: given }, index) => ({
        id: `call_${index}`,
        type: "function",
        function: { name, arguments: typeof given === "string" ? given : JSON.stringify(given) },
      })),
    },
  };
}

/** Reads a prompt into the slot, and returns its tokens. */
async function readPrompt(
  server: LlamaServer,
  prompt: string,
): Promise<{ cached: number; read: number }> {
  const { timings } = await server.ask("/completion", {
    prompt,
    n_predict: 0,
    cache_prompt: true,
  }) as { timings: { cache_n: number; prompt_n: number } };
  return { cached: timings.cache_n, read: timings.prompt_n };
}
