import assert from "node:assert/strict";
import { join } from "node:path";
import { startInTerminal } from "../support/ally_terminal.ts";
import { startFakeOllama } from "../support/fake_ollama.ts";
import { hasModelServer } from "../support/local_servers.ts";
import { makePlace, type Place, runAlly } from "../support/program.ts";

const ENV = { ALLY_MODEL: "" };

/** A test of what is done where no model server but its own is found. */
const ignore = await hasModelServer();
function testFirstStart(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore, fn });
}

async function configOf(place: Place): Promise<Record<string, unknown>> {
  return JSON.parse(await Deno.readTextFile(join(place.home, "config.json")));
}

async function modeOf(path: string): Promise<number> {
  return ((await Deno.stat(path)).mode ?? 0) & 0o777;
}

Deno.test("ally init --yes finds the server on its port, tries a tool and writes a closed configuration", async () => {
  await using server = startFakeOllama();
  await using place = await makePlace();
  const args = ["init", "--yes", "--ports", `${server.port}`];
  const env = { ...ENV, OPENAI_API_KEY: "sk-not-for-this-one-8Kd2" };
  const { code, stdout, stderr } = await runAlly(place, { args, env });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Ollama 0\.12\.3 at http:\/\/localhost:\d+\/v1/);
  assert.match(stdout, /it calls tools/);
  assert.match(stdout, /4,096 tokens, which is small/);
  const url = `http://localhost:${server.port}/v1`;
  assert.deepEqual(await configOf(place), { endpoint: url, model: "qwen3:8b" });
  assert.equal(await modeOf(join(place.home, "config.json")), 0o600);
  const answered = await runAlly(place, { args: ["-p", "hi"], env: ENV });
  assert.equal(answered.code, 0, answered.stderr);
});

Deno.test("ally init shows a server that it found no key that was meant for another", async () => {
  await using server = startFakeOllama();
  await using place = await makePlace();
  const args = ["init", "--yes", "--ports", `${server.port}`];
  await runAlly(place, { args, env: { ...ENV, OPENAI_API_KEY: "sk-not-for-this-one-8Kd2" } });
  assert.deepEqual(new Set(server.keys), new Set([null]));
});

Deno.test("ally init keeps what is in the configuration, and replaces nothing unasked", async () => {
  await using server = startFakeOllama();
  await using place = await makePlace();
  await Deno.mkdir(place.home);
  const path = join(place.home, "config.json");
  const before = { endpoint: "http://localhost:9999/v1", max_turns: 7, unknown: [1] };
  await Deno.writeTextFile(path, JSON.stringify(before));
  const args = ["init", "--endpoint", server.url, "--model", "qwen3:8b"];
  const refused = await runAlly(place, { args, env: ENV });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /names http:\/\/localhost:9999\/v1 already.*--yes/);
  assert.deepEqual(await configOf(place), before);
  const { code, stderr } = await runAlly(place, { args: [...args, "--yes"], env: ENV });
  assert.equal(code, 0, stderr);
  const after = { ...before, endpoint: server.url, model: "qwen3:8b" };
  assert.deepEqual(await configOf(place), after);
});

Deno.test("ally init --name keeps an endpoint beside others, with the variable of its key", async () => {
  await using server = startFakeOllama({ key: "lab-7Qm2xZ81kPw0" });
  await using place = await makePlace();
  const args = [
    "init",
    "--yes",
    "--endpoint",
    server.url,
    "--name",
    "lab",
    "--key-env",
    "LAB_PASS",
  ];
  const env = { ...ENV, LAB_PASS: "lab-7Qm2xZ81kPw0" };
  const { code, stdout, stderr } = await runAlly(place, { args, env });
  assert.equal(code, 0, stderr);
  const lab = { url: server.url, key_env: "LAB_PASS" };
  assert.deepEqual(await configOf(place), {
    endpoint: "lab",
    model: "qwen3:8b",
    endpoints: { lab },
  });
  assert.doesNotMatch(stdout, /7Qm2xZ81/);
  const answered = await runAlly(place, { args: ["-p", "hi"], env });
  assert.equal(answered.code, 0, answered.stderr);
});

Deno.test("ally init --yes writes nothing where the model does not answer, and ends with 75", async () => {
  await using place = await makePlace();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const isList = new URL(request.url).pathname === "/v1/models";
    return isList
      ? Response.json({ data: [{ id: "m" }] })
      : Response.json({ error: { message: "broken" } }, { status: 400 });
  });
  const args = ["init", "--yes", "--endpoint", `http://127.0.0.1:${server.addr.port}/v1`];
  const { code, stderr } = await runAlly(place, { args, env: ENV });
  await server.shutdown();
  assert.equal(code, 75);
  assert.match(stderr, /answered 400: broken/);
  await assert.rejects(Deno.stat(join(place.home, "config.json")), Deno.errors.NotFound);
});

Deno.test("ally init takes the server that has a model in memory, whatever its port", async () => {
  await using idle = startFakeOllama({ models: ["big:70b"] });
  await using busy = startFakeOllama({ models: ["small:1b"] });
  const model = "small:1b";
  const messages = [{ role: "user", content: "hi" }];
  const body = JSON.stringify({ model, messages });
  await (await fetch(`${busy.url}/chat/completions`, { method: "POST", body })).text();
  await using place = await makePlace();
  const args = ["init", "--yes", "--ports", `${idle.port},${busy.port}`];
  const { code, stdout, stderr } = await runAlly(place, { args, env: ENV });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /, loaded: small:1b\n.*, models: 1\n/);
  assert.deepEqual(await configOf(place), { endpoint: `http://localhost:${busy.port}/v1`, model });
});

Deno.test("ally init waits for a server that is loading its model, and says so", async () => {
  let left = 2;
  const loading = () => left-- > 0;
  await using server = startFakeOllama({ loading });
  await using place = await makePlace();
  const args = ["init", "--yes", "--ports", `${server.port}`];
  const { code, stdout, stderr } = await runAlly(place, { args, env: ENV });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /localhost:\d+\/v1: the server is loading its model\n.*Ollama 0\.12\.3/);
  left = 2;
  const again = ["init", "--yes", "--endpoint", server.url];
  const done = await runAlly(place, { args: again, env: ENV });
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /the server is loading its model/);
});

Deno.test("ally init without a server says how to get one, and writes nothing", async () => {
  const { port, ...closed } = startFakeOllama();
  await closed[Symbol.asyncDispose]();
  await using place = await makePlace();
  const { code, stderr } = await runAlly(place, { args: ["init", "--ports", `${port}`], env: ENV });
  assert.equal(code, 2);
  assert.match(stderr, /ollama pull.*llama-server.*ally init --endpoint URL/s);
  await assert.rejects(Deno.stat(join(place.home, "config.json")));
});

Deno.test("ally init at a terminal takes three answers, and Ctrl+C leaves nothing half", async () => {
  await using server = startFakeOllama({ models: ["qwen3:8b", "llama3.1:8b"] });
  await using place = await makePlace();
  const args = ["init", "--ports", `${server.port}`];
  {
    await using screen = startInTerminal(place, { args, env: ENV });
    await screen.shows("❯ Ollama");
    await screen.keys("Enter");
    await screen.shows("❯ qwen3:8b");
    await screen.keys("C-c");
    await screen.shows(/Nothing was written\.\nleft 130/);
    await assert.rejects(Deno.stat(join(place.home, "config.json")));
  }
  await using screen = startInTerminal(place, { args, columns: 40, env: ENV });
  await screen.shows("❯ Ollama");
  await screen.keys("Enter");
  await screen.shows("❯ qwen3:8b");
  await screen.keys("Down", "Enter");
  await screen.shows("❯ Write it");
  await screen.keys("Enter");
  await screen.shows("left 0");
  assert.equal((await configOf(place)).model, "llama3.1:8b");
});

Deno.test("a typed key goes to a file for its owner alone, and is never on the screen", async () => {
  const key = "typed-3Rk9vB27qLx5";
  await using server = startFakeOllama({ key });
  await using place = await makePlace();
  const url = server.url.replace("127.0.0.1", "localhost");
  const args = ["init", "--ports", "1", "--endpoint", url];
  await using screen = startInTerminal(place, { args, env: ENV });
  await screen.shows("The key for");
  await screen.keys(key, "Enter");
  await screen.shows("❯ Write it");
  await screen.keys("Enter");
  const shown = await screen.shows("left 0");
  assert.ok(!shown.includes(key), shown);
  const path = join(place.home, "keys", "localhost");
  assert.equal(await Deno.readTextFile(path), `${key}\n`);
  assert.equal(await modeOf(path), 0o600);
  assert.equal((await configOf(place)).endpoint, "localhost");
  const answered = await runAlly(place, { args: ["-p", "hi"], env: ENV });
  assert.equal(answered.code, 0, answered.stderr);
});

/** The environment of a first start on a machine where Ollama listens at a port. */
function firstEnv({ port }: { readonly port: number }): Record<string, string> {
  return { ...ENV, OLLAMA_HOST: `127.0.0.1:${port}` };
}

testFirstStart(
  "the first start takes the model in memory unasked, and the first keys are words for it",
  async () => {
    await using server = startFakeOllama({
      models: ["big:70b", "small:1b"],
      loaded: ["small:1b"],
    });
    await using place = await makePlace();
    await using screen = startInTerminal(place, { env: firstEnv(server) });
    await screen.shows(/small:1b now; \/model chooses another one[^]*›/);
    await screen.keys("hi", "Enter");
    await screen.shows(/› hi\n(?:\n|· small:1b answers)[^]*\d in · /);
    assert.deepEqual(await configOf(place), {
      endpoint: `http://127.0.0.1:${server.port}/v1`,
      model: "small:1b",
    });
    assert.deepEqual(new Set(server.keys), new Set([null]));
  },
);

Deno.test("the first start asks one question where several models wait, and offers those that chat first", async () => {
  const models = ["nomic-embed-text:latest", "qwen3:8b", "llama3.1:8b"];
  await using server = startFakeOllama({ models });
  await using place = await makePlace();
  await using screen = startInTerminal(place, { env: firstEnv(server) });
  await screen.shows(/❯ qwen3:8b[^]*llama3\.1:8b[^]*nomic-embed-text/);
  await screen.keys("Enter");
  await screen.shows(/ally talks to qwen3:8b now[^]*›/);
  await screen.keys("hi", "Enter");
  await screen.shows(/\d in · /);
});

testFirstStart(
  "the first start says that a model does not answer while the person types already",
  async () => {
    const { promise: isTyped, resolve: onTyped } = Promise.withResolvers<void>();
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        if (new URL(request.url).pathname === "/v1/models") {
          return Response.json({ data: [{ id: "m" }] });
        }
        await isTyped;
        return Response.json({ error: { message: "out of memory" } }, { status: 400 });
      },
    );
    await using place = await makePlace();
    {
      await using screen = startInTerminal(place, { env: firstEnv(server.addr) });
      await screen.shows(/ally talks to m now[^]*›/);
      await screen.keys("half a line");
      await screen.shows("› half a line");
      onTyped();
      await screen.shows(
        /m does not answer: [^]*out of\s+memory[^]*\/model chooses[^]*› half a line$/,
      );
    }
    await server.shutdown();
  },
);

Deno.test("the first start asks nothing of a person whose environment names a server", async () => {
  await using server = startFakeOllama();
  await using place = await makePlace();
  const env = { ...ENV, OPENAI_BASE_URL: server.url };
  await using screen = startInTerminal(place, { env });
  const shown = await screen.shows("›");
  assert.doesNotMatch(shown, /Welcome|Looking for/);
  await assert.rejects(Deno.stat(join(place.home, "config.json")));
});

testFirstStart(
  "the first start says how a server without models gets one, and looks again",
  async () => {
    const models: string[] = [];
    await using server = startFakeOllama({ models });
    await using place = await makePlace();
    await using screen = startInTerminal(place, { env: firstEnv(server) });
    await screen.shows(/has no model; get one with: ollama pull[^]*❯ look again/);
    models.push("qwen3:8b");
    await screen.keys("Enter");
    await screen.shows(/ally talks to qwen3:8b now[^]*›/);
  },
);

testFirstStart(
  "the first start without any server says how to start one, and takes one elsewhere with its key",
  async () => {
    const key = "typed-8Hq2mZ55wTd1";
    await using server = startFakeOllama({ key });
    await using place = await makePlace();
    await using screen = startInTerminal(place, { columns: 60, env: ENV });
    await screen.shows(/ollama\s+pull[^]*llama-server --jinja[^]*❯ look again/);
    await screen.keys("Down", "Enter");
    await screen.shows(/❯ OpenAI/);
    await screen.keys("another", "Enter");
    await screen.shows(/URL of an\s+OpenAI-compatible/);
    await screen.keys(server.url.replace("127.0.0.1", "localhost"), "Enter");
    await screen.shows("The key for");
    await screen.keys("wrong", "Enter");
    await screen.shows(/Check\s+what\s+you\s+typed[^]*Esc\s+leaves[^]*The key for/);
    await screen.keys(key, "Enter");
    const shown = await screen.shows(/ally talks to qwen3:8b now[^]*›/);
    assert.ok(!shown.includes(key), shown);
    assert.equal(await Deno.readTextFile(join(place.home, "keys", "localhost")), `${key}\n`);
  },
);

testFirstStart("Ctrl+C in the setup of a first start leaves, and nothing is written", async () => {
  await using place = await makePlace();
  await using screen = startInTerminal(place, { columns: 40, env: ENV });
  await screen.shows("❯ look again");
  await screen.keys("C-c");
  await screen.shows(/Nothing was written\.\nleft 130/);
  await assert.rejects(Deno.stat(join(place.home, "config.json")));
});
