import assert from "node:assert/strict";
import type { Answer, Verdict } from "../../src/core/permission.ts";
import { askIfRiskier } from "../../src/tools/edited_call.ts";
import type { PreparedCall } from "../../src/tools/pipeline.ts";
import { runCalls } from "../../src/tools/scheduler.ts";
import { type Call, type Harness, harness, toolCall } from "../support/agent_harness.ts";

const ALLOW: Answer = { kind: "allow" };

async function run(at: Harness, calls: readonly Call[]) {
  const signal = new AbortController().signal;
  return await runCalls(calls.map(toolCall), { deps: at.deps, signal });
}

function edited(text: string): Answer {
  return { kind: "edit", text };
}

Deno.test("an edited command runs instead, is asked about again, and is told in record, text and event", async () => {
  await using at = await harness({ answers: [edited("touch second"), ALLOW] });
  const { results, stopped } = await run(at, [["bash", { command: "touch first" }]]);
  assert.equal(stopped, false);
  assert.deepEqual(at.questions.map(([one]) => one?.editable?.text), [
    "touch first",
    "touch second",
  ]);
  assert.match(String(results[0]!.record.user_edited), /What ran: touch second/);
  assert.match(results[0]!.text, /What ran: touch second/);
  assert.equal(await at.read("second"), "");
  await assert.rejects(at.read("first"));
  assert.deepEqual(
    at.facts.flatMap((fact) => fact.type === "permission" ? [[fact.decision, fact.edited]] : []),
    [["edit", { kind: "command", text: "touch second" }], ["allow", undefined]],
  );
});

Deno.test("a command edited into one that only reads runs without another question", async () => {
  await using at = await harness({ answers: [edited("ls")], files: { "seen.txt": "" } });
  const { results } = await run(at, [["bash", { command: "touch first" }]]);
  assert.equal(at.questions.length, 1);
  assert.match(results[0]!.text, /seen\.txt/);
});

Deno.test("a command edited into a banned or a broken one leads back to the question as it was", async () => {
  for (const text of ["mkfs /dev/sda", ""]) {
    await using at = await harness({ answers: [edited(text), { kind: "deny" }] });
    const { results, stopped } = await run(at, [["bash", { command: "touch first" }]]);
    assert.equal(stopped, true);
    assert.deepEqual(at.questions.map(([one]) => one?.editable?.text), [
      "touch first",
      "touch first",
    ]);
    assert.equal(results[0]!.record.error_type, "permission_error");
    const notices = at.facts.filter((fact) => fact.type === "notice");
    assert.match(JSON.stringify(notices), /The edited call cannot run: /);
  }
});

Deno.test("edited content is written for write, edit and line_edit, with what was changed told", async () => {
  const calls: readonly Call[] = [
    ["write", { file_path: "a.txt", content: "one\nmine\n" }],
    ["edit", { file_path: "a.txt", old_string: "one", new_string: "mine" }],
    ["line_edit", {
      file_path: "a.txt",
      edits: [{ start_line: 1, end_line: 1, new_content: ["mine"] }],
    }],
  ];
  for (const call of calls) {
    await using at = await harness({
      files: { "a.txt": "one\ntwo\n" },
      answers: [edited("edited\ntwo\n"), ALLOW],
    });
    await run(at, [["read", { file_paths: ["a.txt"] }]]);
    const { results } = await run(at, [call]);
    assert.equal(results[0]!.record.success, true, JSON.stringify(results[0]!.record));
    assert.equal(await at.read("a.txt"), "edited\ntwo\n");
    assert.match(results[0]!.text, /The user edited the content[^]*\+edited/);
    assert.equal(at.questions[0]![0]!.editable?.kind, "content");
    assert.equal(at.questions[0]![0]!.editable?.suffix, ".txt");
  }
});

Deno.test("content edited back to what the file holds is refused and asked about again", async () => {
  await using at = await harness({
    files: { "a.txt": "one\n" },
    answers: [edited("one\n"), { kind: "deny" }],
  });
  await run(at, [["read", { file_paths: ["a.txt"] }]]);
  await run(at, [["write", { file_path: "a.txt", content: "two\n" }]]);
  assert.equal(at.questions.length, 2);
  assert.equal(await at.read("a.txt"), "one\n");
});

Deno.test("a call planned upon an edited one is planned and asked about anew", async () => {
  await using at = await harness({
    answers: [edited("one\nthree\n"), ALLOW, ALLOW, ALLOW, ALLOW],
  });
  const { results } = await run(at, [
    ["write", { file_path: "a.txt", content: "one\n" }, "w"],
    ["edit", { file_path: "a.txt", old_string: "one", new_string: "two" }, "e"],
  ]);
  assert.deepEqual(results.map(({ record }) => record.success), [true, true]);
  assert.equal(await at.read("a.txt"), "two\nthree\n");
  assert.deepEqual(at.questions.map((asked) => asked.map(({ callId }) => callId)), [
    ["w", "e"],
    ["w"],
    ["e"],
  ]);
});

Deno.test("any other tool's arguments are edited as JSON, and validated", async () => {
  await using at = await harness({
    files: { "a.ts": "let  a = 1\n", "b.ts": "let  b = 1\n", "deno.json": "{}\n" },
    answers: [edited("{"), edited('{"file_paths": ["b.ts"]}'), ALLOW, ALLOW],
  });
  const { results } = await run(at, [["format", { file_paths: ["a.ts"] }]]);
  assert.equal(results[0]!.record.success, true, JSON.stringify(results[0]!.record));
  assert.equal(await at.read("a.ts"), "let  a = 1\n");
  assert.equal(await at.read("b.ts"), "let b = 1;\n");
  assert.match(String(results[0]!.record.user_edited), /b\.ts/);
});

Deno.test("an edited call graver than what was seen is asked about even if a rule allows it", () => {
  const prepared = (verdict: Partial<Verdict>) =>
    ({ verdict: { decision: "allow", risk: "sensitive", why: "", ...verdict } }) as PreparedCall;
  const decided = (edited: Partial<Verdict>) =>
    askIfRiskier(prepared({ decision: "ask" }), prepared(edited)).verdict.decision;
  assert.equal(decided({ risk: "extreme" }), "ask");
  assert.equal(decided({ risk: "sensitive" }), "allow");
  assert.equal(decided({ risk: "safe" }), "allow");
});

Deno.test("an abort while a call is edited runs nothing", async () => {
  const abort = new AbortController();
  await using at = await harness({});
  const deps = {
    ...at.deps,
    ask: () => {
      abort.abort();
      return Promise.resolve([edited("touch second")]);
    },
  };
  const calls = [toolCall(["bash", { command: "touch first" }])];
  const { results } = await runCalls(calls, { deps, signal: abort.signal });
  assert.equal(results[0]!.record.error_type, "interrupted");
  await assert.rejects(at.read("second"));
});

const REPLACE: Call = ["grep", { pattern: "old", replace: "new", path: "." }];
const TWO_FILES = { "a.txt": "old\n", "b.txt": "old\n" };

Deno.test("a call that changes several files is edited file by file, and one put back is left alone", async () => {
  await using at = await harness({
    files: TWO_FILES,
    answers: [{ kind: "edit", text: "mine\n", others: ["old\n"] }, ALLOW],
  });
  const { results } = await run(at, [REPLACE]);
  const editable = at.questions[0]?.[0]?.editable;
  const names = [editable?.name ?? "", editable?.others?.[0]?.name ?? ""];
  assert.deepEqual(names.toSorted(), ["a.txt", "b.txt"]);
  assert.equal(results[0]!.record.success, true, JSON.stringify(results[0]!.record));
  const contents = await Promise.all(names.map((name) => at.read(name)));
  assert.deepEqual(contents, ["mine\n", "old\n"]);
  assert.match(results[0]!.text, /The user edited the content[^]*\+mine/);
});

Deno.test("an edit of several files that leaves nothing to change, or is not for all of them, is refused", async () => {
  for (const others of [["old\n"], [], ["one\n", "two\n"]]) {
    await using at = await harness({
      files: TWO_FILES,
      answers: [{ kind: "edit", text: "old\n", others }, { kind: "deny" }],
    });
    await run(at, [REPLACE]);
    assert.equal(at.questions.length, 2);
    assert.deepEqual([await at.read("a.txt"), await at.read("b.txt")], ["old\n", "old\n"]);
  }
});
