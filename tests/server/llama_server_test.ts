import assert from "node:assert/strict";
import { join } from "node:path";
import { startInTerminal } from "../support/ally_terminal.ts";
import { findLlamaServer, RANDOM_MODEL, startLlamaServer } from "../support/llama_server.ts";
import { makePlace, runAlly } from "../support/program.ts";
import { until } from "../support/wait.ts";

const program = await findLlamaServer();
const ENV = { ALLY_MODEL: RANDOM_MODEL };
/** Such a model would talk until its window is full. */
const TALKS_ON = ["--ignore-eos"];
/** Characters of a screen on which an answer has begun. */
const LONG = 600;
/** Where llama-server listens unless told otherwise. */
const LLAMA_PORT = 9931;

function withServer(name: string, run: (found: NonNullable<typeof program>) => Promise<void>) {
  Deno.test(name, { ignore: program === undefined }, () => run(program!));
}

withServer("llama-server answers a chat with the random model", async (found) => {
  await using server = await startLlamaServer(found);
  const { choices, usage } = await server.ask("/v1/chat/completions", {
    messages: [{ role: "user", content: "Good morning" }],
    max_tokens: 8,
  }) as { choices: { message: { content: string } }[]; usage: { completion_tokens: number } };
  assert.notEqual(choices[0]?.message.content, "");
  assert.ok(usage.completion_tokens > 0);
});

withServer("ally -p streams what llama-server says, and counts as it does", async (found) => {
  await using server = await startLlamaServer(found, { args: TALKS_ON });
  await using place = await makePlace({ endpoint: server.url });
  const args = ["-p", "hi", "--max-tokens", "30", "--output-format", "stream-json"];
  const { code, stdout, stderr } = await runAlly(place, { args, env: ENV });
  assert.equal(code, 0, stderr);
  const events: Record<string, unknown>[] = stdout.trim().split("\n").map((line) =>
    JSON.parse(line)
  );
  const pieces = events.filter(({ type }) => type === "text_delta").map(({ text }) => text);
  assert.ok(pieces.length > 1, stdout);
  const result = events.at(-1) as { text: string; usage: { completion_tokens: number } };
  assert.equal(result.text.trim(), pieces.join("").trim());
  assert.equal(result.usage.completion_tokens, 30);
});

withServer("Ctrl+C in the middle of an answer frees the server's slot", async (found) => {
  await using server = await startLlamaServer(found, { args: TALKS_ON });
  await using place = await makePlace({ endpoint: server.url });
  await using screen = startInTerminal(place, { env: ENV });
  await screen.shows("›");
  await screen.keys("Tell me a long story", "Enter");
  await screen.shows((text) => text.length > LONG);
  const start = performance.now();
  await screen.keys("C-c");
  await until("the slot to be free", async () => !await server.isBusy());
  // deno-lint-ignore no-console -- A figure to look at: how long it may take depends on the machine.
  console.log(`The slot was free after ${Math.round(performance.now() - start)} ms.`);
});

withServer(
  "a prompt over the window is refused before it is sent, and by the server",
  async (found) => {
    await using server = await startLlamaServer(found, { args: ["--ctx-size", "8192"] });
    await using place = await makePlace({ endpoint: server.url });
    const args = ["-p", "word and more ".repeat(3_000), "--max-tokens", "8"];
    const known = await runAlly(place, { args, env: ENV });
    assert.equal(known.code, 5);
    assert.match(known.stderr, /The prompt has about [\d,]+ tokens, and the window has room for/);
    const mistaken = await runAlly(place, {
      args: [...args, "--context-size", "100000"],
      env: ENV,
    });
    assert.equal(mistaken.code, 5);
    assert.match(mistaken.stderr, /400: .*8192.*The conversation does not fit the model's context/);
  },
);

withServer("an answer goes on when its server was killed and comes back", async (found) => {
  await using server = await startLlamaServer(found, { args: TALKS_ON });
  await using place = await makePlace({ endpoint: server.url });
  await using screen = startInTerminal(place, { env: ENV });
  await screen.shows("›");
  await screen.keys("Tell me a long story", "Enter");
  await until("the slot to be at work", () => server.isBusy());
  await server.kill();
  await using again = await startLlamaServer(found, { args: TALKS_ON, port: server.port });
  await until("ally to ask the new server", () => again.isBusy());
  await screen.keys("C-c");
  await until("the slot to be free", async () => !await again.isBusy());
});

withServer(
  "two allies at once both get their answer from a server with one slot",
  async (found) => {
    await using server = await startLlamaServer(found, { args: TALKS_ON });
    await using one = await makePlace({ endpoint: server.url });
    await using other = await makePlace({ endpoint: server.url });
    const args = ["-p", "hi", "--max-tokens", "60"];
    const done = await Promise.all([one, other].map((place) => runAlly(place, { args, env: ENV })));
    for (const { code, stdout, stderr } of done) {
      assert.equal(code, 0, stderr);
      assert.notEqual(stdout.trim(), "");
    }
  },
);

withServer("ally doctor tells what llama-server is, and its window", async (found) => {
  const args = ["--ctx-size", "16384", "--predict", "64"];
  await using server = await startLlamaServer(found, { args });
  await using place = await makePlace({ endpoint: server.url });
  const { stdout } = await runAlly(place, { args: ["doctor"], env: ENV });
  assert.match(stdout, /✓ server +llama\.cpp \S+, 1 model/);
  assert.match(stdout, /✓ model +random/);
  assert.match(stdout, /✓ streaming/);
  assert.match(stdout, /✓ usage/);
  assert.match(stdout, /✓ window +16,384 tokens \(\/props\)/);
});

withServer(
  "ally init finds llama-server on its port and writes the configuration",
  async (found) => {
    await using server = await startLlamaServer(found, { args: ["--predict", "64"] });
    await using place = await makePlace();
    const args = ["init", "--yes", "--ports", `${server.port}`];
    const { code, stdout, stderr } = await runAlly(place, { args, env: { ALLY_MODEL: "" } });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /llama\.cpp \S+ at http:\/\/localhost:\d+\/v1/);
    assert.match(stdout, /its window has 65,536 tokens/);
    const written = JSON.parse(await Deno.readTextFile(join(place.home, "config.json")));
    assert.deepEqual(written, {
      endpoint: `http://localhost:${server.port}/v1`,
      model: RANDOM_MODEL,
    });
  },
);

Deno.test(
  "the first start takes the llama-server on its default port with its model, unasked",
  { ignore: program === undefined || !isFree(LLAMA_PORT) },
  async () => {
    const args = ["--predict", "64"];
    await using server = await startLlamaServer(program!, { args, port: LLAMA_PORT });
    await using place = await makePlace();
    await using screen = startInTerminal(place, { env: { ALLY_MODEL: "" } });
    await screen.shows(/llama\.cpp \S+ at http:\/\/localhost:9931\/v1,\s+loaded: random/);
    await screen.shows(/ally talks to random\S* now[^]*›/);
    const written = JSON.parse(await Deno.readTextFile(join(place.home, "config.json")));
    assert.equal(written.endpoint, `http://localhost:${server.port}/v1`);
  },
);

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch {
    return false;
  }
}
