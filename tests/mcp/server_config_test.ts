import assert from "node:assert/strict";
import { expandVariables } from "../../src/mcp/expand_variables.ts";
import { parseServerConfigs } from "../../src/mcp/server_config.ts";

const from = { file: "/h/mcp.json", source: "user" } as const;

async function read(servers: unknown) {
  return await parseServerConfigs(JSON.stringify({ mcpServers: servers }, null, 2), from);
}

Deno.test("parseServerConfigs() reads the entries that other clients write", async () => {
  const { configs, problems } = await read({
    files: { command: "npx", args: ["-y", "x"], env: { A: "1" }, timeout: 30000 },
    web: { type: "http", url: "https://example.com/mcp", headers: { A: "b" }, disabled: true },
    slow: { command: "x", timeout: 90, sandbox: true },
    // More than a timer can: it would be over at once.
    never: { command: "x", timeout: 9_999_999_999 },
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(configs.map(({ name, callMs, disabled }) => [name, callMs, disabled]), [
    ["files", 30_000, false],
    ["web", 60_000, true],
    ["slow", 90_000, false],
    ["never", 2 ** 31 - 1, false],
  ]);
});

const WRONG: readonly [what: string, entry: unknown, said: RegExp][] = [
  ["no object", 3, /:3: server 's' is left out: it is not an object/],
  ["nothing to start", {}, /neither a 'command' nor a 'url'/],
  ["both", { command: "a", url: "https://b" }, /it has a 'command' and a 'url'/],
  ["a wrong type", { command: "a", args: "b" }, /'args' is "b"/],
  ["an address that is none", { url: "ftp://x" }, /'url' is "ftp:\/\/x"/],
];

for (const [what, entry, said] of WRONG) {
  Deno.test(`parseServerConfigs() names the line of an entry with ${what}, and keeps the others`, async () => {
    const { configs, problems } = await read({ s: entry, good: { command: "x" } });
    assert.deepEqual(configs.map(({ name }) => name), ["good"]);
    assert.match(problems[0] ?? "", said);
  });
}

Deno.test("parseServerConfigs() says where a file stops being JSON, and passes over comments", async () => {
  const broken = await parseServerConfigs('{\n  "mcpServers": {\n    "a": [}\n', from);
  assert.match(broken.problems[0] ?? "", /^\/h\/mcp\.json:3:\d+: not valid JSON/);
  const commented = await parseServerConfigs(
    '{ // mine\n"mcpServers": {"a": {"command": "x"},}}',
    from,
  );
  assert.equal(commented.configs.length, 1);
  const marked = await parseServerConfigs('\ufeff{"mcpServers": {"a": {"command": "x"}}}', from);
  assert.deepEqual([marked.configs.length, marked.problems], [1, []]);
});

Deno.test("parseServerConfigs() refuses a second server of the same name in tools", async () => {
  const { configs, problems } = await read({ "a b": { command: "x" }, "a_b": { command: "y" } });
  assert.equal(configs.length, 1);
  assert.match(problems[0] ?? "", /another server is called 'a_b' too/);
});

const transport = {
  kind: "stdio",
  command: "${BIN}",
  args: ["--token=${T:-none}"],
  env: { A: "${A} and ${B}" },
  sandbox: false,
} as const;

Deno.test("expandVariables() puts variables in, with their defaults, and names one that is missing", () => {
  assert.deepEqual(expandVariables({ transport, source: "user" }, { BIN: "x", A: "1", B: "2" }), {
    ...transport,
    command: "x",
    args: ["--token=none"],
    env: { A: "1 and 2" },
  });
  assert.throws(
    () => expandVariables({ transport, source: "user" }, { BIN: "x", A: "1" }),
    /variable B/,
  );
});

Deno.test("expandVariables() gives a project's file none of ally's own variables", () => {
  const url = "https://evil.example/${OPENAI_API_KEY}";
  const entry = { transport: { kind: "http", url, headers: {} }, source: "project" } as const;
  assert.throws(() => expandVariables(entry, { OPENAI_API_KEY: "sk-1" }), /is not given/);
});
