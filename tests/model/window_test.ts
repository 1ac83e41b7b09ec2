import assert from "node:assert/strict";
import { findLocalServers, identifyServer } from "../../src/model/server_kind.ts";
import { fetchWindow } from "../../src/model/window.ts";

/** A server that answers some paths with JSON, and nothing else. */
function serve(answers: Readonly<Record<string, unknown>>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const answer = answers[new URL(request.url).pathname];
    return answer === undefined ? new Response("?", { status: 404 }) : Response.json(answer);
  });
  const { port } = server.addr;
  const url = `http://localhost:${port}/v1`;
  return { port, url: url, [Symbol.asyncDispose]: () => server.shutdown() };
}

const MODELS = { data: [{ id: "m" }] };

const ROWS: readonly {
  readonly name: string;
  readonly kind: string;
  readonly size: number | undefined;
  readonly answers: Readonly<Record<string, unknown>>;
}[] = [
  {
    name: "Ollama with the model loaded",
    kind: "ollama",
    size: 8192,
    answers: {
      "/v1/models": MODELS,
      "/api/version": { version: "0.12.3" },
      "/api/ps": { models: [{ name: "m:latest", context_length: 8192 }] },
      "/api/show": { model_info: { "llama.context_length": 131072 }, parameters: "" },
    },
  },
  {
    name: "Ollama with num_ctx in the Modelfile",
    kind: "ollama",
    size: 20480,
    answers: {
      "/v1/models": MODELS,
      "/api/version": { version: "0.5.1" },
      "/api/show": {
        model_info: { "llama.context_length": 131072 },
        parameters: 'stop "<eos>"\nnum_ctx                        20480\n',
      },
    },
  },
  {
    name: "Ollama that says only what the model was trained for",
    kind: "ollama",
    size: 4096,
    answers: {
      "/v1/models": MODELS,
      "/api/version": { version: "0.5.1" },
      "/api/show": { model_info: { "llama.context_length": 131072 } },
    },
  },
  {
    name: "llama.cpp, whose slots share the context",
    kind: "llamacpp",
    size: 12288,
    answers: {
      "/v1/models": { data: [{ id: "m", owned_by: "llamacpp", meta: { n_ctx_train: 40960 } }] },
      "/props": { default_generation_settings: { n_ctx: 12288 }, build_info: "b6000" },
    },
  },
  {
    name: "vLLM",
    kind: "vllm",
    size: 24576,
    answers: {
      "/v1/models": {
        data: [{ id: "other" }, { id: "m", owned_by: "vllm", max_model_len: 24576 }],
      },
      "/version": { version: "0.11.0" },
    },
  },
  {
    name: "LM Studio with the model loaded",
    kind: "lmstudio",
    size: 6144,
    answers: {
      "/v1/models": MODELS,
      "/api/v0/models": {
        data: [{ id: "m", max_context_length: 40960, loaded_context_length: 6144 }],
      },
    },
  },
  {
    name: "LM Studio before the model is loaded",
    kind: "lmstudio",
    size: undefined,
    answers: {
      "/v1/models": MODELS,
      "/api/v0/models": { data: [{ id: "m", max_context_length: 40960 }] },
    },
  },
  {
    name: "a hosted list with context_length",
    kind: "other",
    size: 200000,
    answers: { "/v1/models": { data: [{ id: "m", context_length: 200000 }] } },
  },
  {
    name: "a list that says nothing",
    kind: "other",
    size: undefined,
    answers: { "/v1/models": MODELS },
  },
  {
    name: "a list without an object around it",
    kind: "other",
    size: 32768,
    answers: { "/v1/models": [{ id: "m", context_length: 32768 }] },
  },
  {
    name: "a gateway that answers everything with some JSON",
    kind: "other",
    size: undefined,
    answers: {
      "/v1/models": MODELS,
      "/api/show": { data: [] },
      "/api/version": { ok: true },
      "/api/v0/models": MODELS,
      "/props": {},
    },
  },
  {
    name: "a list with nonsense in it",
    kind: "other",
    size: undefined,
    answers: { "/v1/models": { data: [null, 7, { id: "m", context_length: "-1", n_ctx: 0.5 }] } },
  },
];

for (const { name, kind, size, answers } of ROWS) {
  Deno.test(`fetchWindow() and identifyServer() understand ${name}`, async () => {
    await using server = serve(answers);
    assert.equal((await fetchWindow(server, { model: "m" })).size, size);
    assert.equal((await identifyServer(server)).kind, kind);
  });
}

Deno.test("findLocalServers() asks all ports at once, and leaves out what is no model server", async () => {
  await using ollama = serve(ROWS[0]!.answers);
  await using vllm = serve(ROWS[4]!.answers);
  await using web = serve({ "/": { hello: "world" } });
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const ports = [ollama.port, web.port, silent.addr.port, vllm.port];
  const found = await findLocalServers({ ports });
  silent.close();
  assert.deepEqual(found.map(({ name, models }) => [name, models.length]), [
    ["Ollama 0.12.3", 1],
    ["vLLM 0.11.0", 2],
  ]);
});

Deno.test("findLocalServers() names what is in memory, and puts servers and models that are in front", async () => {
  const entry = (id: string, value: string) => ({ id, owned_by: "llamacpp", status: { value } });
  await using idle = serve({ "/v1/models": { data: [{ id: "m", owned_by: "library" }] } });
  await using router = serve({
    "/v1/models": { data: [entry("a", "unloaded"), entry("b", "loaded")] },
    "/props": { default_generation_settings: {}, build_info: "b1" },
  });
  await using studio = serve({
    "/v1/models": { data: [{ id: "c" }, { id: "d" }] },
    "/api/v0/models": { data: [{ id: "c", state: "not-loaded" }, { id: "d", state: "loaded" }] },
  });
  const found = await findLocalServers({ ports: [idle.port, router.port, studio.port] });
  assert.deepEqual(found.map(({ kind, models, loaded }) => [kind, models, loaded]), [
    ["llamacpp", ["b", "a"], ["b"]],
    ["lmstudio", ["d", "c"], ["d"]],
    ["ollama", ["m"], []],
  ]);
});

Deno.test("fetchWindow() gives up on a server that never answers", async () => {
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${silent.addr.port}/v1`;
  assert.deepEqual(await fetchWindow({ url }, { model: "m", timeoutMs: 50 }), {});
  silent.close();
});

Deno.test("fetchWindow() tells what llama-server shows of its slots and its template", async () => {
  const asked = async (shown: Record<string, unknown>) => {
    const props = { default_generation_settings: { n_ctx: 12288 }, ...shown };
    await using server = serve({ "/v1/models": MODELS, "/props": props });
    return (await fetchWindow(server, { model: "m" })).features;
  };
  assert.deepEqual(await asked({}), {
    kind: "llamacpp",
    slots: 1,
    lists_slots: false,
    template_caps: [],
    template_arguments: [],
  });
  const template = "{% if enable_thinking and not clear_thinking %}<think>{% endif %}";
  const features = await asked({
    total_slots: 4,
    endpoint_slots: true,
    chat_template: template,
    chat_template_caps: { supports_preserve_reasoning: true, supports_typed_content: false },
  });
  assert.deepEqual(features, {
    kind: "llamacpp",
    slots: 4,
    lists_slots: true,
    template_caps: ["supports_preserve_reasoning"],
    template_arguments: ["enable_thinking", "clear_thinking"],
  });
});
