/**
 * Secrets in texts that are cut, through the real program: of none of them a part is shown, wherever the cut falls.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { RecordedRequest, ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { type Place, runAlly, stage } from "../support/program.ts";
import { walkFiles } from "../support/source_tree.ts";
import { until } from "../support/wait.ts";

const SHOWN_PART = 8;

/** Tokens that have nothing in common, so that a part tells from which one it is. */
function tokens(count: number): string[] {
  const alphabet = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  let state = 7;
  const next = () => alphabet[(state = (state * 48271) % 2147483647) % alphabet.length];
  return Array.from({ length: count }, () => `ghp_${Array.from({ length: 36 }, next).join("")}`);
}

/** No part of a secret stands in a text. */
function assertNoPart(text: string, secrets: readonly string[]): void {
  const parts = new Set(secrets.flatMap((secret) => pieces(secret)));
  for (let at = 0; at + SHOWN_PART <= text.length; at++) {
    const part = text.slice(at, at + SHOWN_PART);
    if (parts.has(part)) assert.fail(`${part} of a secret: ${text.slice(at - 60, at + 80)}`);
  }
}

function pieces(secret: string): string[] {
  const count = secret.length - SHOWN_PART + 1;
  return Array.from({ length: count }, (_, at) => secret.slice(at, at + SHOWN_PART));
}

function call(name: string, args: Record<string, unknown>): ScriptedReply {
  return { calls: [{ name, arguments: args }] };
}

/** What the model was told by its calls, one after the other. */
function told(requests: readonly RecordedRequest[]): string[] {
  const messages = requests.at(-1)!.body.messages as { role: string; content: string }[];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

async function kept({ home }: Place): Promise<string> {
  const files = walkFiles(home, ["."]).filter((path) => /\.jsonl$|\/logs\//.test(path));
  return (await Promise.all(files.map((path) => Deno.readTextFile(path)))).join("\n");
}

/** Runs calls with the flags and asserts that nothing that is told or kept shows a part of a secret. */
async function run(
  { calls, files, secrets, args = [] }: {
    calls: readonly (ScriptedReply | ((request: RecordedRequest) => Promise<ScriptedReply>))[];
    files: Record<string, string>;
    secrets: readonly string[];
    args?: readonly string[];
  },
): Promise<string[]> {
  await using at = await stage([...calls, { text: "Done." }], files);
  const { code, stdout, stderr } = await runAlly(at.place, {
    args: [
      "--context-size",
      "400000",
      "--debug",
      ...args,
      "-p",
      "--output-format=stream-json",
      "go",
    ],
  });
  assert.equal(code, 0, stderr + stdout);
  for (const { text } of at.server.requests) assertNoPart(text, secrets);
  assertNoPart(stdout, secrets);
  assertNoPart(stderr, secrets);
  assertNoPart(await kept(at.place), secrets);
  return told(at.server.requests);
}

/** Lets a task that waits for a file write its next piece, and looks at it once that is written. */
async function nextLook({ dir }: Place, number: number): Promise<ScriptedReply> {
  await Deno.writeTextFile(join(dir, `go${number}`), "");
  await until("the next piece", () => exists(join(dir, `done${number}`)));
  return call("bash", { bash_output: "task_1" });
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

Deno.test("of a task that still runs no part of a secret is told that it is about to write", async () => {
  const [secret = ""] = tokens(1);
  for (const [first, second] of [[10, 24], [24, 33], [3, 30]] as const) {
    const pieces = [
      `begun\nhere is ${secret.slice(0, first)}`,
      secret.slice(first, second),
      `${secret.slice(second)} and\nthe end\n`,
    ];
    const script = pieces.map((piece) =>
      `until [ $N = 0 ] || [ -e go$N ]; do sleep 0.05; done; printf '${piece}'; : >done$N; N=$((N + 1))`
    );
    await using at = await stage([
      call("bash", { command: "sh p.sh", run_in_background: true }),
      () => nextLook(at.place, 1),
      () => nextLook(at.place, 2),
      { text: "Done." },
    ], { "p.sh": ["N=0", ...script, "exec sleep 100", ""].join("\n") });
    const { code, stdout, stderr } = await runAlly(at.place, {
      args: ["--debug", "-A", "-p", "--output-format=stream-json", "go"],
    });
    assert.equal(code, 0, stderr + stdout);
    const looks = told(at.server.requests);
    assert.match(looks[0]!, /begun/);
    assert.match(looks[0]!, /The last of its output is still incomplete\./);
    assert.match(
      looks[1]!,
      /and the last of its output is still incomplete: .*\n\(no new output\)/,
    );
    assert.match(looks[2]!, /\n(?:here is )?\[secret:github_token:\w{8}\] and\nthe end\n/);
    const all = [...looks, stdout, stderr, await kept(at.place)].join("\n");
    const parts = pieces.flatMap((piece) => piece.match(/[\w-]{9,}/g) ?? []);
    for (const part of parts) assert.ok(!all.includes(part), part);
    assertNoPart(all, [secret.slice(4)]);
  }
});

Deno.test("numbers that a task writes for ever are told, though they may be a dump", async () => {
  await using at = await stage([
    call("bash", {
      command: "for n in 10000001 10000002; do echo $n; done; touch one; exec sleep 100",
      run_in_background: true,
    }),
    call("bash", { bash_output: "task_1" }),
    { text: "Done." },
  ]);
  const { code } = await runAlly(at.place, { args: ["-A", "-p", "go"] });
  assert.equal(code, 0);
  assert.match(told(at.server.requests).join("\n"), /10000001\n10000002/);
});

Deno.test("grep shows all of a token or nothing of it, wherever it cuts a line", async () => {
  const secrets = tokens(120);
  const files: Record<string, string> = {};
  for (let n = 0; n < 60; n++) {
    const [early, late] = secrets.slice(2 * n);
    const before = `${"aaa ".repeat(60)}{"githubToken":"${early}","x":"${
      "lorem ipsum ".repeat(n / 6)
    }`;
    const after = `${"dolor ".repeat(70 - n)}${"z".repeat(n % 7)} ${late} ${"amet ".repeat(80)}`;
    files[`f${n}.json`] = `${before}${"-".repeat(n % 13)} needle ${after}`;
  }
  const [own = "", ...others] = tokens(200).slice(120);
  files["c.json"] = `{"githubToken":"${own}","x":"${"a".repeat(37)}needle${"b".repeat(700)}"}`;
  files["long.txt"] = `x needle ${others.join(".")} ${"y ".repeat(300)}`;
  const searches = [
    { pattern: "needle", max_results: 200 },
    { pattern: "a{37}n", path: "c.json" },
    { pattern: "dolor|lorem", max_results: 200 },
    { pattern: "needle", replace: "pin", preview_replace: true, max_results: 200 },
    { pattern: secrets[7]!.slice(-6), path: "f3.json" },
    { pattern: others[0]!.slice(-6), path: "long.txt" },
  ];
  for (const args of [[], ["--plan"]]) {
    const texts: string[] = [];
    // What is known from one search would be masked in the next.
    for (const search of searches) {
      texts.push(
        ...await run({
          calls: [call("grep", search)],
          files,
          secrets: [...secrets, own, ...others].map((secret) => secret.slice(4)),
          args,
        }),
      );
    }
    assert.match(texts[0]!, /Found 62 matches/);
    assert.equal(texts[0]!.match(/needle/g)!.length, 62);
    assert.match(texts[1]!, /\[secret:\w+:\w+\]","x":"a{37}needleb/);
    assert.match(texts[4]!, /Char \d+: .*\[secret:\w+:\w+\]/);
    assert.match(texts[5]!, /Char \d+: \[a long run of characters without a blank is not shown\]…/);
  }
});

Deno.test("head and tail of a long output begin and end with whole words", async () => {
  const secrets = tokens(20_000);
  const line = secrets.join(" ");
  const files = { "line.txt": line, "quoted.json": `["${secrets.join('","')}"]` };
  const results = await run({
    calls: [
      "cat line.txt",
      "cat line.txt >&2; exit 3",
      "cat quoted.json",
    ].map((command) => call("bash", { command })),
    files,
    secrets: secrets.map((one) => one.slice(4)),
    args: ["-A"],
  });
  for (const text of results) assert.match(text, /characters cut here/);
});

Deno.test("a long line that is read, and a page that goes on, are cut between words", async () => {
  const secrets = tokens(120);
  await using site = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(secrets.join(" ")),
  );
  const host = `127.0.0.1:${site.addr.port}`;
  const fetched = (offset: number) => call("fetch", { url: `http://${host}/`, offset });
  const texts = await run({
    calls: [
      call("read", { file_paths: ["a.txt", "b.txt", "c.txt"] }),
      ...[0, 1, 14, 24, 39, 40, 41, 60].map(fetched),
    ],
    files: {
      "a.txt": `xx ${secrets.join(" ")}`,
      "b.txt": secrets.map((one) => `password: "7${one.slice(4, 24)}1x2"`).join(", "),
      "c.txt": secrets.map((one) => `{'dbPassword': '7${one.slice(4, 24)}1x2'}`).join(""),
    },
    secrets: secrets.map((one) => one.slice(4)),
    args: ["--allow-net=" + host],
  });
  assert.match(texts[0]!, /xx \[secret:github_token:/);
  assert.match(texts[0]!, /\[line cut: it has \d+ characters\]/);
  assert.match(texts[2]!, /characters 40 to/);
});

Deno.test("a page with a run that is longer than what is told of it is read past that run", async () => {
  const run = Array.from({ length: 4000 }, (_, at) => `word${at}`).join("/");
  await using site = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(`Begin. ${run} End.`),
  );
  const host = `127.0.0.1:${site.addr.port}`;
  const go = (request: RecordedRequest) => {
    const offset = Number(/Go on with offset (\d+)/.exec(request.text)?.[1] ?? 0);
    return call("fetch", { url: `http://${host}/`, offset });
  };
  const next = (request: RecordedRequest) => {
    const all = [...request.text.matchAll(/Go on with offset (\d+)/g)];
    return call("fetch", { url: `http://${host}/`, offset: Number(all.at(-1)![1]) });
  };
  await using at = await stage([go, next, next, { text: "Read." }]);
  const { code } = await runAlly(at.place, { args: [`--allow-net=${host}`, "-p", "go"] });
  assert.equal(code, 0);
  const texts = told(at.server.requests);
  assert.match(texts[0]!, /Begin\./);
  assert.match(texts[1]!, /characters without a blank are left out/);
  assert.match(texts[2]!, /End\./);
});

Deno.test("lines of a private key are masked where neither its beginning nor its end is shown", async () => {
  const alphabet = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  let state = 7;
  const next = () => alphabet[(state = (state * 48271) % 2147483647) % alphabet.length];
  const lines = Array.from({ length: 26 }, () => Array.from({ length: 64 }, next).join(""));
  const key = ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----", ""].join("\n");
  const above = Array.from({ length: 400 }, (_, n) => `line ${n}`).join("\n");
  const [read, found, changed, printed] = await run({
    calls: [
      call("read", { file_paths: ["a.pem"], offset: 413, limit: 1 }),
      call("grep", { pattern: lines[20]!.slice(9, 14), case_sensitive: true }),
      call("grep", {
        pattern: lines[5]!.slice(9, 14),
        replace: "x",
        preview_replace: true,
        case_sensitive: true,
      }),
      call("bash", { command: "sed -n 405,409p a.pem" }),
    ],
    files: { "a.pem": `${above}\n${key}` },
    secrets: lines.map((line) => line.slice(20)),
    args: ["-A"],
  });
  for (const told of [read!, found!, printed!]) assert.match(told, /\[secret:private_key:/);
  assert.match(changed!, /a\.pem/);
});
