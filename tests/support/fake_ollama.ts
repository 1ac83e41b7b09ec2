/**
 * A server that imitates Ollama: its own API beside OpenAI's, one model, and a window beyond which it drops the
 * beginning of a prompt without a word, as Ollama does.
 */

export interface FakeOllamaOptions {
  /** Tokens; a token is four characters here. */
  readonly window?: number;
  /** Tokens that the model was made for. @default 32768 */
  readonly trained?: number;
  /** What `/api/ps` says of the window. @default the truth */
  readonly vouchesFor?: number;
  /** Whether `/api/ps` says the window of the loaded model. @default true */
  readonly tellsWindow?: boolean;
  /** Whether it counts tokens. @default true */
  readonly counts?: boolean;
  /** Minutes until it unloads the model, as `/api/ps` says. @default it does not say */
  readonly keepsMinutes?: number;
  /** Refuses long prompts in OpenAI's words instead of cutting them. */
  readonly refuses?: boolean;
  /** Makes two calls in one reply only where the request asks for that, as llama.cpp does. */
  readonly parallelIfAsked?: boolean;
  /** @default ["qwen3:8b"] */
  readonly models?: readonly string[];
  /** Those in memory from the start. @default none; all once it was asked for something */
  readonly loaded?: readonly string[];
  /** The key without which it answers 401. */
  readonly key?: string;
  /** While this is true it answers everything with 503 and "Loading model", as llama-server does. @default false */
  readonly loading?: () => boolean;
  /** @default a free one */
  readonly port?: number;
}

export interface FakeOllama extends AsyncDisposable {
  /** Base URL, ending in `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Tokens of each prompt as it was sent. */
  readonly prompts: readonly number[];
  /** Bodies of the chat completion requests, in order. */
  readonly asked: readonly WireRequest[];
  /** Authorization headers of all requests, in order. */
  readonly keys: readonly (string | null)[];
}

/** Starts one on 127.0.0.1. */
export function startFakeOllama(options: FakeOllamaOptions = {}): FakeOllama {
  const { window = 4096, trained = 32_768, tellsWindow = true, models = ["qwen3:8b"] } = options;
  const prompts: number[] = [];
  const keys: (string | null)[] = [];
  const asked: WireRequest[] = [];
  let loaded = false;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: options.port ?? 0, onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      const authorization = request.headers.get("authorization");
      keys.push(authorization);
      if (options.key !== undefined && authorization !== `Bearer ${options.key}`) {
        return Response.json({ error: { message: "who are you?" } }, { status: 401 });
      }
      if (options.loading?.()) {
        const error = { message: "Loading model", type: "unavailable_error", code: 503 };
        return Response.json({ error }, { status: 503 });
      }
      switch (pathname) {
        case "/api/version":
          return Response.json({ version: "0.12.3" });
        case "/api/ps": {
          const told = tellsWindow ? { context_length: options.vouchesFor ?? window } : {};
          const running = options.loaded ?? (loaded ? models : []);
          const { keepsMinutes } = options;
          const until = keepsMinutes !== undefined && {
            expires_at: new Date(Date.now() + keepsMinutes * 60_000).toISOString(),
          };
          return Response.json({
            models: running.map((name) => ({ name, digest: "d1", ...told, ...until })),
          });
        }
        case "/api/generate":
          loaded = true;
          return Response.json({ done: true, done_reason: "load" });
        case "/api/show":
          return Response.json({ model_info: { "qwen3.context_length": trained }, parameters: "" });
        case "/v1/models":
          return Response.json({ data: models.map((id) => ({ id, owned_by: "library" })) });
        case "/v1/chat/completions":
          loaded = true;
          return complete(await bodyOf(request, asked), { window, prompts, options });
        default:
          return new Response("404 page not found", { status: 404 });
      }
    },
  );
  const { port } = server.addr;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    prompts,
    keys,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

interface WireRequest {
  readonly messages: readonly { role: string; content: string }[];
  readonly tools?: readonly { function: { name: string } }[];
  readonly parallel_tool_calls?: boolean;
}

async function bodyOf(request: Request, asked: WireRequest[]): Promise<WireRequest> {
  const body = await request.json();
  asked.push(body);
  return body;
}

function complete(
  { messages, tools, parallel_tool_calls: parallel = false }: WireRequest,
  { window, prompts, options }: {
    window: number;
    prompts: number[];
    options: FakeOllamaOptions;
  },
): Response {
  const all = messages.map(({ content }) => content).join("\n");
  const tokens = Math.ceil(all.length / 4);
  prompts.push(tokens);
  if (options.refuses && tokens > window) {
    const message = `This model's maximum context length is ${window} tokens. ` +
      `However, your messages resulted in ${tokens} tokens.`;
    return Response.json({ error: { message, code: "context_length_exceeded" } }, { status: 400 });
  }
  const seen = tokens > window ? all.slice(-window * 4) : all;
  const tool = seen.includes("Call the tool") ? tools?.[0]?.function.name : undefined;
  const deltas = tool === undefined
    ? words(answerTo(seen))
    : calls(seen, { name: tool, several: parallel || !options.parallelIfAsked });
  const usage = { prompt_tokens: Math.min(tokens, window), completion_tokens: deltas.length };
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: tool ? "tool_calls" : "stop" }] },
    ...(options.counts === false ? [] : [{ choices: [], usage }]),
  ];
  const body = [...chunks.map((one) => JSON.stringify(one)), "[DONE]"]
    .map((data) => `data: ${data}\n\n`).join("");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** It counts if asked to, and knows the code word as long as it can see it. */
function answerTo(seen: string): string {
  const word = /The code word is ([\w-]+)\./.exec(seen)?.[1];
  if (seen.includes("code word")) return word ?? "I was not given any.";
  return Array.from({ length: 30 }, (_, index) => index + 1).join(" ");
}

function words(text: string) {
  return text.split(/(?<= )/).map((content) => ({ content }));
}

function calls(seen: string, { name, several }: { name: string; several: boolean }) {
  const cities = seen.includes("Lima") && several ? ["Oslo", "Lima"] : ["Oslo"];
  return cities.map((city, index) => ({
    tool_calls: [{
      index,
      id: `call_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify({ city }) },
    }],
  }));
}
