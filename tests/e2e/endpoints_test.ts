import assert from "node:assert/strict";
import { join } from "node:path";
import { type ScriptedServer, startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { startFakeOllama } from "../support/fake_ollama.ts";
import { makePlace, type Place, runAlly, runAllyProcess } from "../support/program.ts";

const LAB_KEY = "lab-7Qm2xZ81kPw0";
const HOME_KEY = "home-91bVt6Ls3dYc";

interface Servers extends AsyncDisposable {
  readonly place: Place;
  readonly lab: ScriptedServer;
  readonly home: ScriptedServer;
}

/** Two configured endpoints, each with a key of its own: one from the environment, one from a file. */
async function twoEndpoints(config: Readonly<Record<string, unknown>> = {}): Promise<Servers> {
  const lab = await startScriptedServer({ replies: [], models: ["big", "small"] });
  const home = await startScriptedServer({ replies: [], models: ["tiny"] });
  const place = await makePlace();
  await writeHome(place, "config.json", {
    endpoint: "lab",
    model: "big",
    endpoints: {
      lab: { url: lab.url, key_env: "LAB_PASS" },
      home: { url: home.url, model: "tiny", prices: { input: 2, output: 10, cached_input: 0.5 } },
    },
    ...config,
  });
  await Deno.mkdir(join(place.home, "keys"), { mode: 0o700 });
  await Deno.writeTextFile(join(place.home, "keys", "home"), `${HOME_KEY}\n`, { mode: 0o600 });
  return {
    place,
    lab,
    home,
    async [Symbol.asyncDispose]() {
      await Promise.all([lab.close(), home.close()]);
      await place[Symbol.asyncDispose]();
    },
  };
}

async function writeHome(place: Place, name: string, value: unknown): Promise<void> {
  await Deno.mkdir(place.home, { recursive: true });
  await Deno.writeTextFile(join(place.home, name), JSON.stringify(value));
}

const ENV = { ALLY_MODEL: "", LAB_PASS: LAB_KEY };

Deno.test("the configured endpoint gets the request, with its own key and its own model's name", async () => {
  await using servers = await twoEndpoints();
  const { code, stderr } = await runAlly(servers.place, { args: ["-p", "hi"], env: ENV });
  assert.equal(code, 0, stderr);
  assert.equal(servers.lab.requests[0]?.body.model, "big");
  assert.equal(servers.lab.requests[0]?.headers.get("authorization"), `Bearer ${LAB_KEY}`);
  assert.equal(servers.home.requests.length, 0);
});

Deno.test("--endpoint NAME and a model's name with an endpoint before it lead elsewhere, and no key comes along", async () => {
  await using servers = await twoEndpoints();
  const { place, home } = servers;
  const env = { ...ENV, OPENAI_API_KEY: "sk-openai-4h2Kd8s9" };
  for (const args of [["--endpoint", "home"], ["--model", "home/tiny"]]) {
    const { code, stderr } = await runAlly(place, { args: ["-p", ...args, "hi"], env });
    assert.equal(code, 0, stderr);
    assert.equal(home.requests.at(-1)?.body.model, "tiny");
    assert.equal(home.requests.at(-1)?.headers.get("authorization"), `Bearer ${HOME_KEY}`);
  }
  assert.equal(home.requests.length, 2);
});

Deno.test("a named endpoint without a key of its own gets none", async () => {
  await using servers = await twoEndpoints();
  const { place, lab } = servers;
  const env = { ALLY_MODEL: "", OPENAI_API_KEY: "sk-openai-4h2Kd8s9" };
  await runAlly(place, { args: ["-p", "hi"], env });
  assert.equal(lab.requests[0]?.headers.get("authorization"), null);
});

Deno.test("a server that lists no models works with a model that is named, in ally, init and doctor", async () => {
  await using model = await startScriptedServer({ replies: [] });
  const gateway = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    if (!pathname.endsWith("/chat/completions")) return new Response("not found", { status: 404 });
    return fetch(new Request(`${model.url}/chat/completions`, request));
  });
  const endpoint = `http://127.0.0.1:${gateway.addr.port}/v1`;
  await using place = await makePlace();
  const run = (...args: string[]) =>
    runAlly(place, { args: [...args, "--endpoint", endpoint], env: { ALLY_MODEL: "" } });
  const unnamed = await run("-p", "hi");
  assert.equal(unnamed.code, 75);
  assert.match(unnamed.stderr, /name one with --model/);
  const named = await run("-p", "hi", "--model", "m");
  assert.equal(named.stdout, "(end of script)\n");
  const init = await run("init", "--yes", "--model", "m");
  assert.equal(init.code, 0, init.stderr);
  const doctor = await run("doctor", "--quick", "--json", "--model", "m");
  const { checks, profile } = JSON.parse(doctor.stdout);
  assert.match(checks.find((one: { id: string }) => one.id === "server").detail, /does not list/);
  assert.equal(profile.streaming, false);
  await gateway.shutdown();
});

Deno.test("ally init --endpoint NAME tries a configured endpoint with its own key, and keeps its name", async () => {
  await using servers = await twoEndpoints();
  const { code, stderr } = await runAlly(servers.place, {
    args: ["init", "--yes", "--endpoint", "home"],
    env: { ...ENV, OPENAI_API_KEY: "sk-openai-4h2Kd8s9" },
  });
  assert.equal(code, 0, stderr);
  const keys = servers.home.requests.map(({ headers }) => headers.get("authorization"));
  assert.deepEqual([...new Set(keys)], [`Bearer ${HOME_KEY}`]);
  const config = JSON.parse(await Deno.readTextFile(join(servers.place.home, "config.json")));
  assert.deepEqual([config.endpoint, config.model], ["home", "tiny"]);
});

Deno.test("an address without its scheme, or with the path of a request, is understood as far as it can be", async () => {
  await using server = await startScriptedServer({ replies: [] });
  await using place = await makePlace();
  const run = (endpoint: string) => runAlly(place, { args: ["-p", "--endpoint", endpoint, "hi"] });
  const whole = await run(`${server.url}/chat/completions/`);
  assert.equal(whole.code, 0, whole.stderr);
  const bare = await run(server.url.replace("http://", ""));
  assert.equal(bare.code, 2);
  assert.match(bare.stderr, /Did you mean http:\/\/127\.0\.0\.1:\d+\/v1\?/);
});

Deno.test("an endpoint that is neither a URL nor a name is refused with the names there are", async () => {
  await using servers = await twoEndpoints();
  const args = ["-p", "--endpoint", "lav", "hi"];
  const { code, stderr } = await runAlly(servers.place, { args, env: ENV });
  assert.equal(code, 2);
  assert.match(stderr, /'lav'.*names lab, home/);
});

Deno.test("a key that others may read is refused with the mend, and is not shown", async () => {
  await using servers = await twoEndpoints();
  const { place } = servers;
  await Deno.chmod(join(place.home, "keys", "home"), 0o644);
  const args = ["-p", "--endpoint", "home", "hi"];
  const { code, stderr } = await runAlly(place, { args, env: ENV });
  assert.equal(code, 2);
  assert.match(stderr, /others may read it \(mode 0644\)\. Close it: chmod 600 .*keys\/home/);
  assert.doesNotMatch(stderr, new RegExp(HOME_KEY));
});

Deno.test("keys are in no session, log, error or output, though server and model repeat them", async () => {
  const reply = (index: number) => ({ text: `Your key is ${[HOME_KEY, LAB_KEY][index % 2]}.` });
  const call = { calls: [{ name: "bash", arguments: { command: "env; cat ../home/keys/home" } }] };
  const home = await startScriptedServer({
    replies: [reply(0), call, reply(1), { status: 401, text: `bad key ${HOME_KEY}`, repeat: 9 }],
  });
  await using servers = await twoEndpoints({
    endpoint: "home",
    endpoints: {
      home: { url: home.url, headers: { "x-api-key": "header-5Tg8sLq2" } },
      lab: { url: "http://127.0.0.1:1/v1", key_env: "LAB_PASS" },
    },
  });
  const { place } = servers;
  const outputs: string[] = [];
  for (const format of ["text", "stream-json", "json"]) {
    const args = ["-p", "-A", "--output-format", format, "hi"];
    const { stdout, stderr } = await runAlly(place, { args, env: ENV });
    outputs.push(stdout, stderr);
  }
  assert.ok(home.requests.length > 2);
  assert.equal(home.requests[0]?.headers.get("x-api-key"), "header-5Tg8sLq2");
  await home.close();
  const seen = outputs.join("\n") + await bytesBelow(place.home, ["keys", "config.json"]);
  assert.ok(!seen.includes("LAB_PASS"));
  for (const secret of [HOME_KEY, LAB_KEY, "header-5Tg8sLq2"]) {
    assert.ok(!seen.includes(secret), secret);
  }
});

/** All bytes of a directory but for some names in it. */
async function bytesBelow(directory: string, but: readonly string[]): Promise<string> {
  let all = "";
  for await (const { name, isDirectory, isFile } of Deno.readDir(directory)) {
    if (but.includes(name)) continue;
    const path = join(directory, name);
    if (isDirectory) all += await bytesBelow(path, []);
    if (isFile) all += new TextDecoder("latin1").decode(await Deno.readFile(path));
  }
  return all;
}

Deno.test("the JSON result tells cached and thought tokens, and what they cost", async () => {
  const usage = {
    prompt_tokens: 1_000_000,
    completion_tokens: 100_000,
    prompt_tokens_details: { cached_tokens: 400_000 },
    completion_tokens_details: { reasoning_tokens: 60_000 },
  };
  const deepseek = { ...usage, prompt_tokens_details: null, prompt_cache_hit_tokens: 400_000 };
  for (const one of [usage, deepseek]) {
    const chunks = [{ choices: [{ index: 0, delta: { content: "hi" }, finish_reason: "stop" }] }, {
      choices: [],
      usage: one,
    }];
    const home = await startScriptedServer({
      replies: [{ sse: [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"] }],
    });
    await using place = await makePlace({ endpoint: home.url });
    const price = { input: 2, output: 10, cached_input: 0.5 };
    await writeHome(place, "config.json", {
      prices: { scripted: price, "*": { input: 9, output: 9 } },
    });
    const { stdout } = await runAlly(place, { args: ["-p", "--output-format", "json", "hi"] });
    await home.close();
    assert.deepEqual(JSON.parse(stdout).usage, {
      prompt_tokens: 1_000_000,
      completion_tokens: 100_000,
      cached_tokens: 400_000,
      reasoning_tokens: 60_000,
      cost: 0.6 * 2 + 0.4 * 0.5 + 0.1 * 10,
    });
  }
});

Deno.test("a prompt that may not fit waits for the server's word on its window, which is remembered", async () => {
  await using server = startFakeOllama({ window: 32_768, trained: 32_768 });
  await using place = await makePlace({ endpoint: server.url });
  const env = { ALLY_MODEL: "qwen3:8b" };
  const args = ["-p", "word ".repeat(18_000)];
  const { code, stderr } = await runAlly(place, { args, env });
  assert.equal(code, 0, stderr);
  assert.match(await Deno.readTextFile(join(place.home, "models.json")), /"size": 32768/);
});

for (const flags of [[], ["--deny-net"]]) {
  const how = flags.length > 0 ? `, under ${flags.join(" ")} too` : "";
  Deno.test(`where a server leads on, neither key nor words follow${how}`, () => leadOn(flags));
}

async function leadOn(flags: readonly string[]): Promise<void> {
  await using other = await startScriptedServer({ replies: [] });
  let asked = 0;
  let followed = 0;
  const first = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname, origin } = new URL(request.url);
    if (pathname.startsWith("/moved/")) followed++;
    else asked++;
    // Under --deny-net another host is out of reach anyway; another path of the same one is not.
    const location = flags.length > 0
      ? `${origin}/moved${pathname}`
      : new URL(pathname, other.url).href;
    return new Response(null, { status: 307, headers: { location } });
  });
  await using place = await makePlace({ endpoint: `http://127.0.0.1:${first.addr.port}/v1` });
  const { code, stderr } = await runAlly(place, {
    args: ["-p", ...flags, "hi"],
    env: { OPENAI_API_KEY: "sk-openai-4h2Kd8s9" },
  });
  await first.shutdown();
  assert.equal(code, 75);
  assert.match(stderr, /answered 307.*leads on to http:\/\/127\.0\.0\.1:\d+(\/moved)?\/v1, where/);
  assert.ok(asked > 0);
  assert.equal(other.requests.length + followed, 0);
}

// Deno itself reads these variables, once, when a process starts.
Deno.test("a proxy named by the environment is used, and a host in NO_PROXY is reached without it", async () => {
  await using server = await startScriptedServer({ replies: [{ text: "through the proxy" }] });
  const asked: string[] = [];
  const proxy = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    asked.push(request.url);
    const { pathname } = new URL(request.url);
    const body = request.body && await request.text();
    const { method, headers } = request;
    return await fetch(new URL(pathname, server.url), { method, headers, body });
  });
  await using place = await makePlace({ endpoint: "http://models.test/v1" });
  const HTTP_PROXY = `http://127.0.0.1:${proxy.addr.port}`;
  const { code, stdout, stderr } = await runAllyProcess(place, {
    args: ["-p", "hi"],
    env: { HTTP_PROXY },
  });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, "through the proxy\n");
  const count = asked.length;
  assert.ok(count > 0);
  const direct = await runAllyProcess(place, {
    args: ["-p", "--endpoint", server.url, "hi"],
    env: { HTTP_PROXY, NO_PROXY: "127.0.0.1" },
  });
  assert.equal(direct.code, 0, direct.stderr);
  assert.equal(asked.length, count);
  await proxy.shutdown();
});

Deno.test("/model offers the models of all endpoints, names those that do not answer, and switches", async () => {
  await using servers = await twoEndpoints();
  const { place, home } = servers;
  const config = JSON.parse(await Deno.readTextFile(join(place.home, "config.json")));
  config.endpoints.gone = { url: "http://127.0.0.1:1/v1" };
  await writeHome(place, "config.json", config);
  const env = { ALLY_MODEL: "", LAB_PASS: LAB_KEY };
  await using screen = startInTerminal(place, { columns: 70, env });
  await screen.shows("lab/big");
  await screen.keys("/model", "Enter");
  await screen.shows(/Not asked: http:\/\/127\.0\.0\.1:1/);
  await screen.shows(/❯ lab\/big\n {2}lab\/small\n {2}home\/tiny/);
  await screen.keys("tin");
  await screen.shows(/❯ home\/tiny/);
  await screen.keys("Enter");
  await screen.shows("The model is now home/tiny");
  await screen.keys("hello", "Enter");
  await screen.shows(/\(end of script\)[^]*›$/);
  assert.equal(home.requests[0]?.body.model, "tiny");
  assert.equal(home.requests[0]?.headers.get("authorization"), `Bearer ${HOME_KEY}`);
  await screen.keys("/stats", "Enter");
  await screen.shows(/cost 0\.00/);
});

Deno.test("a request waits for a server that is loading its model, longer than for any other error", async () => {
  let left = 12;
  await using server = startFakeOllama({ loading: () => left-- > 0 });
  await using place = await makePlace({ endpoint: server.url });
  const args = ["-p", "hi", "--output-format", "stream-json"];
  const { code, stdout, stderr } = await runAlly(place, {
    args,
    env: { ALLY_MODEL: "qwen3:8b", ALLY_RETRIES: "0" },
  });
  assert.equal(code, 0, stderr + stdout);
  const events: Record<string, unknown>[] = stdout.trim().split("\n").map((line) =>
    JSON.parse(line)
  );
  const told = events.filter(({ loading }) => loading === true);
  assert.deepEqual(told.map(({ text, level }) => [text, level]), [
    ["the server is loading its model", "info"],
  ]);
});

Deno.test("at a terminal the status line says that the server loads its model", async () => {
  let loading = true;
  await using server = startFakeOllama({ loading: () => loading });
  await using place = await makePlace({ endpoint: server.url });
  await using screen = startInTerminal(place, { env: { ALLY_MODEL: "qwen3:8b" } });
  await screen.shows("›");
  await screen.keys("count", "Enter");
  await screen.shows("The server loads its model");
  loading = false;
  await screen.shows(/29\s+30/);
});

Deno.test("without a model's name a start waits for the server to load one", async () => {
  let left = 2;
  await using server = startFakeOllama({ loading: () => left-- > 0 });
  await using place = await makePlace({ endpoint: server.url });
  const { code, stdout, stderr } = await runAlly(place, {
    args: ["-p", "count"],
    env: { ALLY_MODEL: "" },
  });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /29 30/);
});
