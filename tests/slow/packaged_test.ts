/**
 * The bundle as it is shipped: copied to a directory of its own, with nothing of the clone, no packages, an empty cache
 * of Deno's and no way to a registry.
 */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { RUN_FLAGS } from "../../scripts/permissions.ts";
import { HELP_TOPICS } from "../../src/help/topics.ts";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { bundledMain } from "../support/bundle.ts";
import { scripted, writeServers } from "../support/mcp_place.ts";
import { type Finished, runAllyProcess, type Stage, stage } from "../support/program.ts";
import { bash, hasBubblewrap } from "../support/sandbox.ts";
import { dirname, fromFileUrl, join } from "../support/source_tree.ts";

const PLUGINS = join(dirname(fromFileUrl(import.meta.url)), "..", "fixtures", "plugins");
const END: ScriptedReply = { text: "Done." };

/** A stage, and a copy of the bundle that runs on it. */
interface Package extends AsyncDisposable {
  readonly at: Stage;
  /** The directory of the copy. */
  readonly bundle: string;
  run(args: readonly string[]): Promise<Finished>;
}

async function unpack(
  replies: readonly ScriptedReply[],
  files: Readonly<Record<string, string>> = {},
): Promise<Package> {
  const at = await stage(replies, files);
  const bundle = join(dirname(at.place.dir), "package");
  await cp(dirname(bundledMain()), bundle, { recursive: true });
  const programs = join(dirname(at.place.dir), "bin");
  await Deno.mkdir(programs);
  await Deno.symlink(Deno.execPath(), join(programs, "deno"));
  const env = {
    PATH: `${programs}:${at.place.env.PATH}`,
    DENO_DIR: join(dirname(at.place.dir), "deno"),
    // Nothing listens there.
    HTTP_PROXY: "http://127.0.0.1:9",
    HTTPS_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1,localhost",
    NPM_CONFIG_REGISTRY: "http://127.0.0.1:9",
  };
  const program = [Deno.execPath(), "run", ...RUN_FLAGS, join(bundle, "main.js")];
  return {
    at,
    bundle,
    run: (args) => runAllyProcess(at.place, { program, args, env }),
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

function call(name: string, input: Record<string, unknown> = {}): ScriptedReply {
  return { calls: [{ name, arguments: input }] };
}

/** The ends of the main agent's calls, in order. */
function toolEnds({ stdout }: Finished): { name: string; result: Record<string, unknown> }[] {
  return stdout.trim().split("\n").map((line) => JSON.parse(line))
    .filter(({ type, agent }) => type === "tool_end" && agent.depth === 0);
}

Deno.test("packaged: the demo runs", async () => {
  await using one = await unpack([]);
  const { code, stdout, stderr } = await one.run(["demo"]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /All three tests pass now/);
});

Deno.test("packaged: every tool works", async () => {
  const calls = [
    call("glob", { pattern: "*.ts" }),
    call("grep", { pattern: "cou+nt" }),
    call("read", { file_paths: ["a.ts"] }),
    call("edit", { file_path: "a.ts", old_string: "= 1", new_string: "= 2" }),
    call("line_edit", {
      file_path: "a.ts",
      edits: [{ start_line: 1, end_line: 1, new_content: ["export const count = (3;"] }],
    }),
    call("write", { file_path: "b.ts", content: "export const  b=1\n" }),
    call("format", { file_paths: ["b.ts"] }),
    call("lint", { file_paths: ["b.ts"] }),
    call("todo_add", { tasks: ["One", "Two"] }),
    call("todo_update", { id: "t1", status: "in_progress" }),
    call("todo_complete", { id: "t1" }),
    call("todo_clear"),
    call("ally_write", { section: "Testing", content: "- deno test" }),
    call("agent", { agents: [{ agent_name: "general", task_prompt: "Look around." }] }),
    { text: "I looked around." },
    bash("echo ran"),
  ];
  const clean = { calls: [{ name: "cleanup_tool_call", arguments: { tool_call_ids: ["c1"] } }] };
  await using one = await unpack(
    [{ calls: [{ id: "c1", name: "ls", arguments: { file_path: "." } }] }, ...calls, clean, END],
    { "a.ts": "export const count = 1;\n", "deno.json": "{}" },
  );
  const done = await one.run(["-p", "-A", "--output-format=stream-json", "go"]);
  assert.equal(done.code, 0, done.stderr);
  const ends = toolEnds(done);
  const failed = ends.filter(({ result }) => result.success !== true);
  assert.deepEqual(failed, []);
  assert.equal(new Set(ends.map(({ name }) => name)).size, 17);
  const check = ends.find(({ name }) => name === "line_edit")?.result.file_check;
  assert.match(JSON.stringify(check), /"passed":false.*'\)'/);
  assert.equal(await one.at.place.read("b.ts"), "export const b = 1;\n");
});

Deno.test("packaged: each kind of file is checked for errors of syntax", async () => {
  const wrong: Readonly<Record<string, string>> = {
    "a.sh": "if true; then\n",
    "a.c": "int f( {\n",
    "a.cs": "class A { void F( }\n",
    "a.cpp": "int f( {\n",
    "a.css": "a { color: red\n",
    "a.go": "package a\nfunc f( {\n",
    "a.html": "<p><b>x</p>\n",
    "a.java": "class A { void f( }\n",
    "a.js": "f(;\n",
    "a.php": "<?php f(;\n",
    "a.py": "def f(:\n",
    "a.rb": "def f(\n",
    "a.rs": "fn f( {\n",
    "a.tsx": "f(;\n",
    "a.ts": "f(;\n",
    "a.json": "{",
    "a.yaml": "a: [1\n",
    "a.toml": "a = \n",
  };
  const calls = Object.entries(wrong).map(([file_path, content]) => ({
    name: "write",
    arguments: { file_path, content },
  }));
  await using one = await unpack([{ calls }, END]);
  const done = await one.run(["-p", "-A", "--output-format=stream-json", "go"]);
  assert.equal(done.code, 0, done.stderr);
  const unchecked = toolEnds(done)
    .filter(({ result }) =>
      (result.file_check as { passed: boolean } | undefined)?.passed !== false
    )
    .map(({ result }) => result.file_path);
  assert.deepEqual(unchecked, []);
});

Deno.test("packaged: a text that is not in UTF-8 is read", async () => {
  await using one = await unpack([call("read", { file_paths: ["old.txt"] }), END]);
  // Windows-1252.
  const text = new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x20, 0x6e, 0x61, 0xef, 0x76, 0x65, 0x0a]);
  await Deno.writeFile(join(one.at.place.dir, "old.txt"), text);
  const done = await one.run(["-p", "--output-format=stream-json", "go"]);
  assert.match(JSON.stringify(toolEnds(done)), /café naïve/);
});

Deno.test("packaged: a plugin in TypeScript and an MCP server answer", async () => {
  await using one = await unpack([
    call("tracker_search", { query: "login" }),
    call("s__echo", { text: "hi" }),
    END,
  ]);
  await writeServers(one.at.place.home, { s: scripted("good") });
  const done = await one.run([
    "-p",
    "-A",
    `--plugin-dir=${PLUGINS}`,
    "--allow-plugin=tracker",
    "--allow-net=mcp:s",
    "--output-format=stream-json",
    "go",
  ]);
  assert.equal(done.code, 0, done.stderr);
  assert.deepEqual(toolEnds(done).map(({ result }) => result.success), [true, true]);
  assert.match(done.stdout, /Login fails on Sundays/);
  assert.match(done.stdout, /echo: hi/);
});

Deno.test("packaged: with --deny-net the model server is reached all the same", async () => {
  await using one = await unpack([END]);
  const done = await one.run(["-p", "--deny-net", "go"]);
  assert.equal(done.stdout, "Done.\n", done.stderr);
});

Deno.test({
  name: "packaged: a command runs in the sandbox, and grep finds the same with ripgrep and without",
  ignore: !hasBubblewrap(),
  async fn() {
    const grep = call("grep", { pattern: "cou+nt" });
    const replies = [grep, bash("cat /proc/self/status | grep CapEff; touch ../outside"), END];
    await using one = await unpack([...replies, grep, END], { "a.ts": "count\nnone\ncouunt\n" });
    const args = ["-p", "-A", "--sandbox", "--output-format=stream-json", "go"];
    const [searched, ran] = toolEnds(await one.run(args));
    assert.match(String(ran?.result.output), /CapEff:\s+0+\n[^]*(?:Read-only|denied)/);
    await Deno.remove(join(one.bundle, "assets", "rg"));
    const [again] = toolEnds(await one.run(args));
    assert.deepEqual(again?.result.matches, searched?.result.matches);
    assert.equal((again?.result.matches as unknown[]).length, 2);
  },
});

Deno.test("packaged: every page of help is there", async () => {
  await using one = await unpack([]);
  for (const { name, load } of HELP_TOPICS) {
    const { stdout } = await one.run(["help", name]);
    const [heading] = (await load()).split("\n");
    assert.ok(stdout.includes(heading!.replace(/^#+ /, "")), name);
  }
});
