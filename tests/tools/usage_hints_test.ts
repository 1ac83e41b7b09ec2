import assert from "node:assert/strict";
import type { ToolMessage } from "../../src/core/message.ts";
import { runCalls } from "../../src/tools/scheduler.ts";
import { UsageHints } from "../../src/tools/usage_hints.ts";
import { type Call, harness, toolCall } from "../support/agent_harness.ts";

const FILES = { "a.txt": "alpha\n", "b.txt": "beta\n", "c.txt": "gamma\n", "d.txt": "delta\n" };

/** What the model is advised after each call, one call a reply. */
async function adviceAfter(...calls: Call[]): Promise<(string | undefined)[]> {
  await using made = await harness({
    files: FILES,
    rules: { allowAll: true },
    replies: calls.map((call) => ({ calls: [call] })),
  });
  await made.agent.run("Go");
  const results = made.saved.filter((message): message is ToolMessage => message.role === "tool");
  assert.equal(results.length, calls.length);
  return results.map(({ content }) => /\n\n\[Suggestion: (.*)\]$/.exec(content)?.[1]);
}

const read = (name: string): Call => ["read", { file_paths: [name] }];
const bash = (command: string): Call => ["bash", { command }];
const miss = (old_string: string): Call => [
  "edit",
  { file_path: "a.txt", old_string, new_string: "x" },
];

Deno.test("reading file by file is advised against once, with the call that reads them all", async () => {
  const advice = await adviceAfter(read("a.txt"), read("b.txt"), read("c.txt"), read("d.txt"));
  assert.deepEqual(advice, [
    undefined,
    undefined,
    'read takes several files in one call: file_paths=["a.txt", "b.txt", "c.txt"].',
    undefined,
  ]);
});

Deno.test("reading one file again and again, or failing to, is no reading file by file", async () => {
  const part = (offset: number): Call => ["read", { file_paths: ["a.txt"], offset, limit: 1 }];
  assert.deepEqual(await adviceAfter(part(1), part(2), part(3)), [undefined, undefined, undefined]);
  const missing = await adviceAfter(read("x.txt"), read("y.txt"), read("z.txt"));
  assert.deepEqual(missing, [undefined, undefined, undefined]);
});

Deno.test("a second failed edit of a file brings the advice to read it again", async () => {
  const advice = await adviceAfter(read("a.txt"), miss("omega"), miss("psi"), miss("chi"));
  assert.match(advice[2] ?? "", /^Changes of a\.txt failed repeatedly: read the place again/);
  assert.deepEqual([advice[0], advice[1], advice[3]], [undefined, undefined, undefined]);
});

Deno.test("the same call failing twice brings the advice to change it", async () => {
  const advice = await adviceAfter(read("x.txt"), read("a.txt"), read("x.txt"));
  assert.match(advice[2] ?? "", /^The same call failed before in this turn/);
  assert.equal(advice[0], undefined);
});

Deno.test("a test that fails again after a change was made is no repetition", async () => {
  const write: Call = ["write", { file_path: "new.txt", content: "x" }];
  const advice = await adviceAfter(bash("test -e none"), write, bash("test -e none"));
  assert.deepEqual(advice, [undefined, undefined, undefined]);
});

const SHELL: readonly [command: string, tool: string | undefined][] = [
  ["cat a.txt", "read"],
  ["head -3 a.txt", "read"],
  ["sed -n '1,2p' a.txt", "read"],
  ["grep -n alpha a.txt", "grep"],
  ["ls", "ls"],
  ["ls -la .", "ls"],
  ["find . -name a.txt", "glob"],
  ["sed -i s/x/y/ a.txt", "edit"],
  ["find . -name none -delete", undefined],
  ["cat a.txt | wc -l", undefined],
  ["cat > e.txt <<X\nX", undefined],
  ["ls && true", undefined],
  ["lsof -v; true", undefined],
  ["echo cat", undefined],
];
for (const [command, tool] of SHELL) {
  Deno.test(`\`${command}\` brings ${tool ? `the advice to use ${tool}` : "no advice"}`, async () => {
    const [advice] = await adviceAfter(bash(command));
    if (tool === undefined) assert.equal(advice, undefined);
    else assert.match(advice ?? "", new RegExp(`^Use ${tool} instead of a shell command`));
  });
}

Deno.test("advice is given once a turn, and again in the next", async () => {
  await using made = await harness({
    files: FILES,
    rules: { allowAll: true },
    replies: [
      { calls: [bash("cat a.txt"), bash("cat b.txt")] },
      { text: "Done." },
      { calls: [bash("cat c.txt")] },
      { text: "Done." },
    ],
  });
  await made.agent.run("Go");
  await made.agent.run("Go on");
  const advised = made.saved.filter((message) => message.role === "tool")
    .map(({ content }) => content.includes("[Suggestion: Use read"));
  assert.deepEqual(advised, [true, false, true]);
});

Deno.test("advice follows the suggestion in a result's record", async () => {
  await using made = await harness();
  const hints = new UsageHints({ tools: ["read"] });
  const deps = { ...made.deps, hints };
  const calls = [toolCall(read("x.txt")), toolCall(read("x.txt"))];
  const records = [];
  for (const call of calls) {
    const { results } = await runCalls([call], { deps, signal: new AbortController().signal });
    records.push(results[0]!.record);
  }
  assert.equal(
    records[1]!.suggestion,
    `${records[0]!.suggestion} The same call failed before in this turn: ` +
      "change the arguments or take another way.",
  );
});

Deno.test("of calls that run side by side the last in the reply brings the advice", async () => {
  await using made = await harness({
    files: { ...FILES, "a.txt": "alpha\n".repeat(100) },
    replies: [{ calls: [read("a.txt"), read("b.txt"), read("c.txt")] }],
  });
  await made.agent.run("Go");
  const advised = made.saved.filter((message) => message.role === "tool")
    .map(({ content }) => content.includes("[Suggestion: "));
  assert.deepEqual(advised, [false, false, true]);
});

Deno.test("a command that the user typed brings no advice", async () => {
  await using made = await harness({ files: FILES, rules: { allowAll: true } });
  const outcome = await made.agent.runCommand("cat a.txt", made.deps);
  assert.equal(outcome.results[0]?.hint, undefined);
});
