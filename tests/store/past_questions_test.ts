import assert from "node:assert/strict";
import { join } from "node:path";
import { createDecisionLog } from "../../src/store/decisions.ts";
import { readPastQuestions } from "../../src/store/past_questions.ts";

const DECISION = {
  agent: "main",
  tool: "bash",
  callId: "c1",
  kinds: ["run"],
  what: "make",
  risk: "sensitive",
  reasons: [],
  decision: "allow",
  by: "user",
} as const;
const MAKE = { kind: "run", target: "make" } as const;

async function inDirectory(test: (path: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await test(join(directory, "decisions.jsonl"));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const logIn = (path: string, cwd = "/w") =>
  createDecisionLog({
    path,
    cwd,
    session: () => undefined,
    mask: (text) => text.replace("hunter2", "[secret]"),
    onProblem: (message) => assert.fail(message),
  }).log;

Deno.test("questions are those that a person was asked here today, without secrets", () =>
  inDirectory(async (path) => {
    const log = logIn(path);
    log({ ...DECISION, by: "default" });
    log({ ...DECISION, asked: [MAKE] });
    log({ ...DECISION, decision: "deny", asked: [{ ...MAKE, target: "echo hunter2 > a" }] });
    log({ ...DECISION, risk: "extreme", asked: [MAKE] });
    logIn(path, "/other")({ ...DECISION, asked: [MAKE] });
    assert.deepEqual(await readPastQuestions({ path, cwd: "/w" }), [
      { accesses: [MAKE], allowed: true },
      { accesses: [{ kind: "run", target: "echo [secret] > a" }], allowed: false },
      { accesses: [], allowed: true },
    ]);
    const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000);
    assert.deepEqual(await readPastQuestions({ path, cwd: "/w", now: tomorrow }), []);
  }));

Deno.test("a log that is missing, torn or of another version tells of no question", () =>
  inDirectory(async (path) => {
    assert.deepEqual(await readPastQuestions({ path, cwd: "/w" }), []);
    const entry = { time: new Date().toISOString(), cwd: "/w", decision: "allow" };
    const lines = [
      '{"asked":',
      JSON.stringify({ ...entry, asked: "make" }),
      JSON.stringify({ ...entry, asked: [{ kind: "fly", target: "make" }] }),
      JSON.stringify({ ...entry, asked: [{ kind: "run" }] }),
      JSON.stringify({ ...entry, asked: [{ ...MAKE, powers: "network" }] }),
      JSON.stringify({ ...entry, time: "never", asked: [MAKE] }),
      '"asked":',
      "null",
    ];
    await Deno.writeTextFile(path, lines.join("\n"));
    assert.deepEqual(await readPastQuestions({ path, cwd: "/w" }), []);
  }));

Deno.test("of a long log the end is read, and at most a hundred questions count", () =>
  inDirectory(async (path) => {
    const log = logIn(path);
    const long = "x".repeat(1000);
    for (let n = 0; n < 600; n++) log({ ...DECISION, what: long, asked: [MAKE] });
    const questions = await readPastQuestions({ path, cwd: "/w" });
    assert.equal(questions.length, 100);
  }));
