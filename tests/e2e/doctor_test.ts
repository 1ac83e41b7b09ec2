import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { type FakeOllamaOptions, startFakeOllama } from "../support/fake_ollama.ts";
import type { ReplyFunction } from "../../src/modes/demo/scripted_server.ts";
import { makePlace, type Place, runAlly, stage } from "../support/program.ts";
import { hasBubblewrap, programsOnly } from "../support/sandbox.ts";
import { describeTree } from "../support/tree.ts";

interface Report {
  readonly ok: boolean;
  readonly server: string;
  readonly model: string;
  readonly checks: readonly { id: string; status: string; detail: string; mend?: string }[];
  readonly profile: { window?: { size: number; source: string }; [field: string]: unknown };
}

/** Runs `ally doctor --json` against a server of the kind asked for. */
async function examined(options: FakeOllamaOptions, args: readonly string[] = []) {
  await using server = startFakeOllama(options);
  await using place = await makePlace({ endpoint: server.url });
  const env = { ALLY_MODEL: "" };
  const { code, stdout, stderr } = await runAlly(place, {
    args: ["doctor", "--json", ...args],
    env,
  });
  const report: Report = JSON.parse(stdout);
  const check = (id: string) => report.checks.find((one) => one.id === id);
  const kept = await Deno.readTextFile(`${place.home}/models.json`).catch(() => "");
  return { code, stderr, report, check, kept, prompts: [...server.prompts] };
}

Deno.test("ally doctor finds the 4,096 tokens that Ollama silently cuts to, and says what to set", async () => {
  const { code, report, check, kept } = await examined({});
  assert.equal(code, 0);
  assert.equal(report.server, "Ollama 0.12.3");
  assert.equal(report.profile.window?.size, 4096);
  const window = check("window");
  assert.equal(window?.status, "warning");
  assert.match(window?.mend ?? "", /OLLAMA_CONTEXT_LENGTH=32768/);
  assert.match(window?.mend ?? "", /num_ctx/);
  assert.match(window?.mend ?? "", /context_size to 4096/);
  assert.match(kept, /"size": 4096/);
});

for (
  const [name, options] of [
    ["that does not say its window", { tellsWindow: false }],
    ["that neither says its window nor counts tokens", { tellsWindow: false, counts: false }],
    ["that refuses longer prompts", { tellsWindow: false, refuses: true }],
  ] as const
) {
  Deno.test(`ally doctor finds the window of a server ${name} by few long prompts`, async () => {
    for (const window of [4096, 8192]) {
      const { report, check, prompts } = await examined({ ...options, window });
      assert.equal(report.profile.window?.size, window);
      assert.equal(report.profile.window?.source, "probe");
      assert.match(check("window")?.detail ?? "", /cut off silently|refused/);
      assert.ok(prompts.length <= 14, `${prompts}`);
    }
  });
}

Deno.test("ally doctor tries all of a large window that the server vouches for, in one more prompt", async () => {
  const { report, check, prompts } = await examined({ window: 131_072, trained: 131_072 });
  assert.equal(report.profile.window?.size, 131_072);
  assert.match(check("window")?.detail ?? "", /131,072 tokens \(\/api\/ps, tried\)/);
  assert.equal(prompts.filter((tokens) => tokens > 32_768).length, 1);
  assert.ok(Math.max(...prompts) > 115_000, `${prompts}`);
});

Deno.test("ally doctor finds that a server holds less than the large window that it vouches for", async () => {
  const { report, check } = await examined({
    window: 65_536,
    trained: 131_072,
    vouchesFor: 131_072,
  });
  assert.equal(report.profile.window?.size, 65_536);
  assert.equal(check("window")?.status, "warning");
});

Deno.test("ally doctor says that a configured window is larger than the real one, and fails", async () => {
  const { code, check } = await examined({}, ["--context-size", "32768"]);
  assert.equal(code, 1);
  assert.equal(check("window")?.status, "failed");
  assert.match(check("window")?.detail ?? "", /4,096.*configuration says 32,768/);
});

Deno.test("ally doctor --quick sends no long prompt", async () => {
  const { prompts, report } = await examined({ tellsWindow: false }, ["--quick"]);
  assert.ok(Math.max(...prompts) < 500, `${prompts}`);
  assert.equal(report.profile.window?.source, "default");
});

Deno.test("ally doctor leaves nothing on a terminal of what it was trying", async () => {
  await using at = await stage([{ text: "Hi.", repeat: 9 }]);
  await using session = startInTerminal(at.place, { args: ["doctor", "--quick"], rows: 80 });
  const screen = await session.shows(/left \d+/);
  assert.match(screen, /window[^]*\n\n\d+ failed/);
  assert.doesNotMatch(screen, /trying the cache/);
});

Deno.test("ally doctor finds what the model can do, and what the machine has", async () => {
  const { report, check } = await examined({ window: 32_768 });
  const { streaming, usage, reasoning, tools, parallel_calls } = report.profile;
  assert.deepEqual(
    { streaming, usage, reasoning, tools, parallel_calls },
    { streaming: true, usage: true, reasoning: false, tools: "native", parallel_calls: true },
  );
  for (const id of ["ally", "home", "git", "ripgrep", "sandbox", "terminal"]) {
    assert.ok(check(id), id);
  }
});

Deno.test("a model that makes several calls only if asked for them is asked from then on", async () => {
  await using server = startFakeOllama({ window: 32_768, parallelIfAsked: true });
  await using place = await makePlace({ endpoint: server.url });
  const env = { ALLY_MODEL: "" };
  const { stdout } = await runAlly(place, { args: ["doctor", "--quick"], env });
  assert.match(stdout, /parallel +several calls in one reply if the request asks/);
  await runAlly(place, { args: ["-p", "hi"], env });
  assert.equal(server.asked.at(-1)?.parallel_tool_calls, true);
});

Deno.test("ally doctor ends with 75 where nothing answers", async () => {
  const { url, ...closed } = startFakeOllama();
  await closed[Symbol.asyncDispose]();
  await using place = await makePlace({ endpoint: url });
  const { code, stdout } = await runAlly(place, { args: ["doctor"] });
  assert.equal(code, 75);
  assert.match(stdout, /server +http:\/\/127\.0\.0\.1:\d+\/v1 refused the\s+connection/);
});

Deno.test("a later run keeps within the window that ally doctor found", async () => {
  await using server = startFakeOllama({ tellsWindow: false });
  await using place = await makePlace({ endpoint: server.url });
  const env = { ALLY_MODEL: "" };
  await runAlly(place, { args: ["doctor"], env });
  const args = ["-p", "--output-format", "json", "word ".repeat(20_000)];
  const { code, stdout } = await runAlly(place, { args, env });
  assert.equal(code, 5);
  const room = Number(/room for (\d+)/.exec(JSON.parse(stdout).error)?.[1]);
  assert.ok(room > 500 && room < 4096, stdout);
});

/** What holds each promise, by `ally doctor --json` in a place. */
async function guaranteesIn(
  place: Place,
  options: { args?: readonly string[]; path?: string } = {},
) {
  const { args = [], path = place.env.PATH! } = options;
  const { stdout } = await runAlly(place, {
    args: ["doctor", "--quick", "--json", ...args],
    env: { PATH: path },
  });
  const { guarantees } = JSON.parse(stdout) as { guarantees: { id: string; held_by: string }[] };
  return Object.fromEntries(guarantees.map(({ id, held_by }) => [id, held_by]));
}

const PROMISES = "files_outside workspace network keys sockets git processes memory".split(" ");

Deno.test({
  name: "ally doctor tries what the sandbox holds, and leaves nothing behind",
  ignore: !hasBubblewrap(),
  async fn() {
    await using place = await makePlace({ endpoint: "http://127.0.0.1:1/v1" });
    const home = place.env.HOME!;
    await Deno.mkdir(join(home, ".ssh"));
    await Deno.writeTextFile(join(home, ".ssh/id_rsa"), "a key\n");
    const before = await describeTree(home);
    const held = await guaranteesIn(place);
    assert.deepEqual(Object.keys(held), PROMISES);
    for (const id of PROMISES) assert.equal(held[id], "bubblewrap", id);
    assert.deepEqual(await describeTree(home), before);
    const shown = await runAlly(place, { args: ["doctor", "--quick"] });
    assert.match(shown.stdout, /held by bubblewrap: files outside, /);
  },
});

Deno.test({
  name: "ally doctor says of a sandbox that shows the keys that it does not hold them",
  ignore: !hasBubblewrap(),
  async fn() {
    await using place = await makePlace({ endpoint: "http://127.0.0.1:1/v1" });
    const keys = join(place.env.HOME!, ".ssh");
    await Deno.mkdir(keys);
    await Deno.writeTextFile(join(keys, "id_rsa"), "a key\n");
    const bin = await programsOnly(place, ["bash", "sh", "cat", "grep", "readlink", "env"]);
    const { stdout } = await new Deno.Command("sh", { args: ["-c", "command -v bwrap"] }).output();
    const real = new TextDecoder().decode(stdout).trim();
    // It gets its arguments at a descriptor.
    const lines = [
      "#!/bin/bash",
      "shown() {",
      "  while IFS= read -r -d '' word; do",
      "    if [[ $last == --tmpfs && $word == KEYS ]]; then printf '%s\\0' --ro-bind KEYS KEYS",
      "    elif [[ $last == --tmpfs ]]; then printf '%s\\0' --tmpfs \"$word\"",
      "    elif [[ $word != --tmpfs ]]; then printf '%s\\0' \"$word\"; fi",
      "    last=$word",
      "  done",
      "}",
      `exec ${real} "$@" 8< <(shown <&8 2>/dev/null)`,
    ];
    await writeProgram(join(bin, "bwrap"), lines.join("\n").replaceAll("KEYS", keys));
    const held = await guaranteesIn(place, { path: bin });
    assert.equal(held.keys, "judgement");
    assert.equal(held.files_outside, "bubblewrap");
  },
});

Deno.test("ally doctor says what nothing but judgement holds without a sandbox", async () => {
  await using place = await makePlace({ endpoint: "http://127.0.0.1:1/v1" });
  const held = await guaranteesIn(place, { args: ["--no-sandbox"] });
  assert.deepEqual(Object.keys(held), PROMISES);
  for (const id of PROMISES) assert.equal(held[id], id === "memory" ? "nothing" : "judgement");
});

/** The check of the cache of a server that counts what it had cached; one token is four characters. */
async function checkCacheOf(keeps: (before: string, now: string) => number) {
  let before = "";
  const reply: ReplyFunction = ({ text }) => {
    const prompt_tokens = Math.ceil(text.length / 4);
    const cached_tokens = Math.floor(keeps(before, text) / 4);
    before = text;
    const prompt_tokens_details = { cached_tokens };
    return { text: "one", usage: { prompt_tokens, completion_tokens: 1, prompt_tokens_details } };
  };
  await using at = await stage(Array.from({ length: 40 }, () => reply));
  const { stdout } = await runAlly(at.place, { args: ["doctor", "--json"] });
  const report: Report = JSON.parse(stdout);
  return report.checks.find(({ id }) => id === "cache");
}

function countCommon(before: string, now: string): number {
  let count = 0;
  while (count < before.length && before[count] === now[count]) count++;
  return count;
}

Deno.test("ally doctor sees by two requests that a server keeps what it has read", async () => {
  const check = await checkCacheOf(countCommon);
  assert.equal(check?.status, "ok");
  assert.match(check?.detail ?? "", /[\d,]+ of [\d,]+ tokens were cached/);
});

Deno.test("ally doctor says what to do about a server that keeps nothing", async () => {
  const check = await checkCacheOf(() => 0);
  assert.equal(check?.status, "warning");
  assert.match(check?.detail ?? "", /is read as a whole: 0 of/);
  assert.match(check?.mend ?? "", /prompt cache/);
});

Deno.test("ally doctor knows a server that keeps a request only for one that goes on where it ended", async () => {
  const check = await checkCacheOf((before, now) => {
    const question = before.lastIndexOf("\\nReply with");
    const common = countCommon(before, now);
    return common >= question && question > 1_000 ? common : 0;
  });
  assert.equal(check?.status, "warning");
  assert.match(check?.detail ?? "", /sliding windows \(SWA\) and recurrent models/);
});

Deno.test("ally doctor says how long Ollama keeps a model, if that is short", async () => {
  const short = await examined({ keepsMinutes: 5 }, ["--quick"]);
  assert.match(short.check("keep_alive")?.detail ?? "", /5 minutes after the last request/);
  assert.match(short.check("keep_alive")?.mend ?? "", /OLLAMA_KEEP_ALIVE/);
  const long = await examined({ keepsMinutes: 120 }, ["--quick"]);
  assert.equal(long.check("keep_alive"), undefined);
});

/** Whether this user may write what nobody may, as root does on most machines. */
function writesEverywhere(): boolean {
  const closed = Deno.makeTempDirSync();
  try {
    Deno.chmodSync(closed, 0o500);
    Deno.mkdirSync(join(closed, "x"));
    return true;
  } catch {
    return false;
  } finally {
    Deno.chmodSync(closed, 0o700);
    Deno.removeSync(closed, { recursive: true });
  }
}

Deno.test({
  name: "ally doctor says where nothing can be made for a home that is not there yet",
  ignore: Deno.build.os === "windows" || writesEverywhere(),
  async fn() {
    await using place = await makePlace();
    const closed = join(place.dir, "closed");
    await Deno.mkdir(closed, { mode: 0o500 });
    const env = { ALLY_HOME: join(closed, "deep", "home"), OPENAI_BASE_URL: "http://127.0.0.1:9" };
    const { stdout } = await runAlly(place, { args: ["doctor", "--json"], env });
    const { checks }: Report = JSON.parse(stdout);
    const home = checks.find(({ id }) => id === "home");
    assert.deepEqual(
      [home?.status, home?.detail],
      ["failed", `cannot write to ${env.ALLY_HOME}: nothing can be made in ${closed}`],
    );
  },
});
