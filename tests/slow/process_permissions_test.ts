/**
 * What each denial really takes from the process: a probe that is loaded with ally tries it, at a terminal too.
 */
import assert from "node:assert/strict";
import { hasTmux } from "../support/tmux.ts";
import { fileURLToPath } from "node:url";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { startInTmux } from "../support/ally_terminal.ts";
import {
  allyCommand,
  allyUnder,
  finish,
  runAllyProcess,
  spawnAlly,
  stage,
} from "../support/program.ts";
import { until } from "../support/wait.ts";

const PROBE = fileURLToPath(new URL("../support/probe.ts", import.meta.url));

const WORK: readonly ScriptedReply[] = [
  { calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] },
  { calls: [{ name: "grep", arguments: { pattern: "hel+o" } }] },
  { calls: [{ name: "write", arguments: { file_path: "new.txt", content: "new\n" } }] },
  { calls: [{ name: "bash", arguments: { command: "echo ran > ran.txt" } }] },
  { text: "Done." },
];

interface Run {
  readonly code: number;
  readonly stderr: string;
  readonly probed: Readonly<Record<string, string>>;
  /** What the model read of each call. */
  readonly results: readonly string[];
  readonly tools: readonly string[];
  readonly system: string;
  /** Files of the workspace at the end. */
  readonly files: readonly string[];
}

/** Runs the work under some flags of ally's. */
async function work(flags: readonly string[]): Promise<Run> {
  await using at = await stage(WORK, { "a.txt": "hello\n" });
  const { code, stderr } = await runAllyProcess(at.place, {
    program: allyUnder(["--allow-all", `--preload=${PROBE}`]),
    args: ["-p", ...flags, "go"],
  });
  const body = at.server.requests.at(-1)!.body;
  const messages = body.messages as { role: string; content: string }[];
  const saved = await at.place.session();
  assert.equal(saved.filter(({ type }) => type === "message").length, 1 + 2 * 4 + 1);
  return {
    code,
    stderr,
    probed: JSON.parse(/^PROBE (.*)$/m.exec(stderr)![1]!),
    results: messages.filter(({ role }) => role === "tool").map(({ content }) => content),
    tools: (body.tools as { function: { name: string } }[]).map((tool) => tool.function.name),
    system: messages[0]!.content,
    files: (await Array.fromAsync(Deno.readDir(at.place.dir))).map(({ name }) => name).sort(),
  };
}

Deno.test("without a denial the process can do everything, so that the probe is known to work", async () => {
  const run = await work(["-A"]);
  assert.deepEqual(run.probed, { write: "done", run: "done", net: "done", env: "done" });
  assert.deepEqual(run.files, ["a.txt", "new.txt", "probe.txt", "ran.txt"]);
  assert.equal(run.code, 0);
});

Deno.test("--plan: the process can neither write nor run, reading works, and the model is told", async () => {
  const run = await work(["-A", "--plan"]);
  assert.deepEqual(run.probed, {
    write: "NotCapable",
    run: "NotCapable",
    net: "done",
    env: "done",
  });
  assert.deepEqual(run.files, ["a.txt"]);
  assert.match(run.results[0]!, /hello/);
  assert.match(run.results[1]!, /a\.txt/);
  for (const result of run.results.slice(2)) assert.match(result, /plan mode: only reading/);
  assert.match(run.system, /This session only reads/);
  for (const name of ["read", "grep", "glob", "ls", "todo_add"]) {
    assert.ok(run.tools.includes(name));
  }
  for (const name of ["write", "edit", "line_edit", "bash", "format", "lint", "ally_write"]) {
    assert.ok(!run.tools.includes(name), name);
  }
  assert.equal(run.code, 3);
});

Deno.test("--deny-write: the process cannot write, nor a command for it, and the session is still saved", async () => {
  const run = await work(["-A", "--deny-write"]);
  assert.deepEqual(run.probed, {
    write: "NotCapable",
    run: "done",
    net: "done",
    env: "done",
  });
  assert.ok(!run.files.includes("new.txt") && !run.files.includes("ran.txt"));
  assert.match(run.results[2]!, /--deny-write forbids it/);
  assert.match(run.results[3]!, /--deny-write forbids it: the command may change files/);
});

Deno.test("--deny-run: the process cannot run anything, searching goes on without ripgrep", async () => {
  const run = await work(["-A", "--deny-run"]);
  assert.equal(run.probed.run, "NotCapable");
  assert.deepEqual(run.files, ["a.txt", "new.txt", "probe.txt"]);
  assert.match(run.results[1]!, /a\.txt/);
  assert.match(run.results[3]!, /--deny-run forbids it/);
});

Deno.test("--deny-net: the process has no network but the model server, which still answers", async () => {
  const run = await work(["-A", "--deny-net"]);
  assert.equal(run.probed.net, "NotCapable");
  assert.deepEqual(run.files, ["a.txt", "new.txt", "probe.txt", "ran.txt"]);
  assert.equal(run.code, 0);
});

Deno.test("--deny-env: the environment is out of reach once ally has what it needs", async () => {
  const run = await work(["-A", "--deny-env"]);
  assert.equal(run.probed.env, "NotCapable");
  assert.equal(run.code, 0);
});

Deno.test("--deny-env: a command sees nothing of the environment but what programs need", async () => {
  await using at = await stage([
    { calls: [{ name: "bash", arguments: { command: "env" } }] },
    { text: "Done." },
  ]);
  await runAllyProcess(at.place, {
    args: ["-p", "-A", "--deny-env", "go"],
    env: { COLOUR: "blue" },
  });
  const messages = at.server.requests.at(-1)!.body.messages as { content: string }[];
  assert.match(messages.at(-1)!.content, /^PATH=/m);
  assert.doesNotMatch(messages.at(-1)!.content, /COLOUR/);
});

Deno.test("--deny-net: a server that is down, one that fails and a list of models are told as without it", async () => {
  await using at = await stage([{ status: 401, body: '{"error":{"message":"no such key"}}' }]);
  const refused = await runAllyProcess(at.place, { args: ["-p", "--deny-net", "go"] });
  assert.equal(refused.code, 75);
  assert.match(refused.stderr, /no such key/);
  const listed = await runAllyProcess(at.place, {
    args: ["-p", "--deny-net", "go"],
    env: { ALLY_MODEL: "" },
  });
  assert.doesNotMatch(listed.stderr, /net access/);
  await at.server.close();
  const down = await runAllyProcess(at.place, { args: ["-p", "--deny-net", "go"] });
  assert.equal(down.code, 75);
  assert.match(down.stderr, /refused|cannot be reached/i);
});

Deno.test("--deny-net: an interrupt ends a request that the server never answers", async () => {
  await using at = await stage([{ stall: true }]);
  const child = spawnAlly(at.place, { args: ["-p", "--deny-net", "go"] });
  await until("the request", () => at.server.requests[0]);
  child.kill("SIGINT");
  assert.equal((await finish(child)).code, 130);
});

for (
  const { name, program, args } of [
    { name: "with --deny-env", program: allyCommand, args: ["--deny-env"] },
    {
      name: "started by Deno without the environment",
      program: () => allyUnder(["--allow-read", "--allow-write", "--allow-run", "--allow-net"]),
      args: [],
    },
    // Without --no-prompt Deno asks at a terminal wherever a permission is missing and something tries.
    {
      name: "with all that can be denied, where Deno itself could ask",
      program: () => allyCommand().filter((flag) => flag !== "--no-prompt"),
      args: ["--deny-env", "--deny-net", "--deny-run", "--deny-write"],
    },
  ]
) {
  Deno.test({
    name: `at a terminal, ${name}, nothing looks at what it may not, and text is drawn`,
    ignore: !hasTmux(),
    async fn() {
      await using at = await stage([
        { calls: [{ name: "grep", arguments: { pattern: "hel+o" } }] },
        { text: "# Found\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n" },
        { text: "Second." },
      ], { "a.txt": "hello\n" });
      const home = at.place.env.ALLY_HOME!;
      await using terminal = await startInTmux(at.place, {
        program: program(),
        args: [...args, "--endpoint", at.server.url, "--model", "scripted", "go"],
        env: { HOME: home },
      });
      await terminal.shows("const a = 1;");
      await terminal.shows(/^›$/m);
      await terminal.keys("/clear", "Enter");
      await terminal.shows("A new conversation begins");
      await terminal.keys("more", "Enter");
      const screen = await terminal.shows("Second.");
      assert.doesNotMatch(screen, /left \d|Uncaught|[Pp]rompt for|Allow\?/);
      assert.match(screen, /1 match/);
    },
  });
}

Deno.test({
  name: "/plan refuses changes until it is turned off, and the model is told of both",
  ignore: !hasTmux(),
  async fn() {
    await using at = await stage([
      { calls: [{ name: "write", arguments: { file_path: "b.txt", content: "b\n" } }] },
      { text: "Planned." },
      { text: "Ready." },
    ]);
    await using terminal = await startInTmux(at.place);
    await terminal.shows("›");
    await terminal.keys("/plan", "Enter");
    await terminal.shows("plan ›");
    await terminal.keys("go", "Enter");
    // What is typed before such a turn is over comes back for editing.
    await terminal.shows(/A call was denied\.[^]*plan ›$/);
    await terminal.keys("/plan off", "Enter");
    await terminal.shows("Plan mode is off");
    await terminal.keys("now", "Enter");
    await terminal.shows("Ready.");
    const [first, second, third] = at.server.requests.map(({ body }) =>
      body.messages as { content: string }[]
    );
    const tools = at.server.requests.map(({ body }) => JSON.stringify(body.tools));
    assert.deepEqual(tools, [tools[0], tools[0], tools[0]]);
    assert.match(tools[0]!, /"name":"write"/);
    assert.match(first!.at(-1)!.content, /^go\n\n\[Plan mode is on/);
    assert.match(second!.at(-1)!.content, /plan mode: only reading/);
    assert.match(third!.at(-1)!.content, /^now\n\n\[Plan mode is over/);
    await assert.rejects(at.place.read("b.txt"));
  },
});

Deno.test({
  name: "a session started with --plan says why /plan cannot end it",
  ignore: !hasTmux(),
  async fn() {
    await using at = await stage([{ text: "Hello." }]);
    await using terminal = await startInTmux(at.place, { args: ["--plan"], columns: 40 });
    await terminal.shows("plan ›");
    await terminal.keys("/plan", "Enter");
    await terminal.shows(/Cannot leave plan mode/);
    await terminal.keys("!touch x", "Enter");
    await terminal.shows(/plan mode: only\s+reading/);
    await assert.rejects(at.place.read("x"));
  },
});
