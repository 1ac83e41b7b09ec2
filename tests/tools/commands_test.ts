import assert from "node:assert/strict";
import { writeProgram } from "../../scripts/program_file.ts";
import { textPathFacts } from "../support/path_facts.ts";
import { join } from "node:path";
import { MANIFEST } from "../../plugins/manifest.ts";
import type { Tool, ToolEntry } from "../../src/core/tool.ts";
import { Policy } from "../../src/permission/policy.ts";
import { runCalls } from "../../src/tools/scheduler.ts";
import {
  type Call,
  type Harness,
  harness,
  type HarnessOptions,
  toolCall,
} from "../support/agent_harness.ts";

/** Formatting with the deno that runs this test: a command that asks, then a change that asks. */
const FORMAT: Call = ["format", { file_paths: ["a.ts"] }];
const FILES = { "deno.json": "{}", "a.ts": "let  a=1\n" };
const ALLOW = { kind: "allow" } as const;
const DENY = { kind: "deny" } as const;

async function settle(made: Harness, calls: readonly Call[]) {
  const signal = new AbortController().signal;
  return await runCalls(calls.map(toolCall), { deps: made.deps, signal });
}

function run(calls: readonly Call[], options: HarnessOptions) {
  return harness(options).then(async (made) => ({ made, outcome: await settle(made, calls) }));
}

/** What was shown with each question. */
function shown(made: Harness): string[][] {
  return made.questions.map((asked) =>
    asked.flatMap((one) => one.previews.map((each) => each.kind))
  );
}

Deno.test("a formatter's command is asked about before it runs, its change before it is written", async () => {
  const { made, outcome } = await run([FORMAT], { files: FILES, answers: [ALLOW, ALLOW] });
  await using _made = made;
  assert.deepEqual(shown(made), [["command"], ["diff"]]);
  assert.deepEqual(made.questions[0]?.[0]?.previews[0], {
    kind: "command",
    command: "deno fmt --ext=ts -",
    cwd: await Deno.realPath(made.dir),
  });
  assert.equal(outcome.results[0]?.record.success, true);
  assert.equal(await made.read("a.ts"), "let a = 1;\n");
  const states = made.facts.flatMap((fact) => fact.type === "tool_state" ? [fact.state] : []);
  assert.deepEqual(states, [
    "validating",
    "awaiting_approval",
    "scheduled",
    "awaiting_approval",
    "scheduled",
    "executing",
    "success",
  ]);
});

Deno.test("a command that is denied does not run, and nothing is planned", async () => {
  const marker = "touch ran; cat";
  const made = await harness({ files: { ".prettierrc": "", "a.ts": "x\n" }, answers: [DENY] });
  await using _made = made;
  const bin = join(made.dir, "node_modules", ".bin");
  await Deno.mkdir(bin, { recursive: true });
  await writeProgram(join(bin, "prettier"), `#!/bin/sh\n${marker}\n`);
  const outcome = await settle(made, [FORMAT]);
  assert.deepEqual([outcome.denied, outcome.stopped], [1, true]);
  await assert.rejects(made.read("ran"), Deno.errors.NotFound);
});

Deno.test("a change that is denied after its command was allowed is not written", async () => {
  const { made, outcome } = await run([FORMAT], { files: FILES, answers: [ALLOW, DENY] });
  await using _made = made;
  assert.equal(outcome.denied, 1);
  assert.equal(outcome.results[0]?.record.error_type, "permission_error");
  assert.equal(await made.read("a.ts"), FILES["a.ts"]);
});

Deno.test("a command that a rule allows is planned at once and the difference is what is asked about", async () => {
  const { made } = await run([FORMAT], {
    files: FILES,
    rules: { allow: { run: ["deno fmt"] } },
    answers: [ALLOW],
  });
  await using _made = made;
  assert.deepEqual(shown(made), [["diff", "command"]]);
  assert.equal(await made.read("a.ts"), "let a = 1;\n");
});

Deno.test("always for a command asks about it no more, but still about the change", async () => {
  const made = await harness({
    files: FILES,
    answers: [{ kind: "always", scope: "session" }, ALLOW, ALLOW],
  });
  await using _made = made;
  await settle(made, [FORMAT]);
  await Deno.writeTextFile(join(made.dir, "a.ts"), "let   b=1\n");
  await settle(made, [FORMAT]);
  assert.deepEqual(shown(made), [["command"], ["diff"], ["diff", "command"]]);
  assert.equal(await made.read("a.ts"), "let b = 1;\n");
});

Deno.test("without a person to ask, flags for both the command and the change are needed", async (t) => {
  const cases: [allow: Record<string, true>, success: boolean][] = [
    [{}, false],
    [{ run: true }, false],
    [{ write: true }, false],
    [{ run: true, write: true }, true],
  ];
  for (const [allow, success] of cases) {
    await t.step(Object.keys(allow).join(" and ") || "no flag", async () => {
      const options = { files: FILES, rules: { allow }, interactive: false };
      const { made, outcome } = await run([FORMAT], options);
      await using _made = made;
      assert.equal(outcome.results[0]?.record.success, success);
      assert.equal(await made.read("a.ts"), success ? "let a = 1;\n" : FILES["a.ts"]);
    });
  }
});

Deno.test("format sees what an earlier call of the same reply writes", async () => {
  const write: Call = ["write", { file_path: "new.ts", content: "let  c=1\n" }];
  const later: Call = ["format", { file_paths: ["new.ts"] }];
  const { made } = await run([write, later], {
    files: { "deno.json": "{}" },
    rules: { allow: { write: true, run: true } },
    interactive: false,
  });
  await using _made = made;
  assert.equal(await made.read("new.ts"), "let c = 1;\n");
});

Deno.test("check runs the formatter and never asks to write", async () => {
  const call: Call = ["format", { file_paths: ["a.ts"], check: true }];
  const { made, outcome } = await run([call], { files: FILES, answers: [ALLOW] });
  await using _made = made;
  assert.deepEqual(shown(made), [["command"]]);
  assert.deepEqual(outcome.results[0]?.record.formatted, ["a.ts"]);
});

Deno.test("lint asks about its command line", async () => {
  const call: Call = ["lint", { file_paths: ["a.ts"] }];
  const { made, outcome } = await run([call], { files: FILES, answers: [ALLOW] });
  await using _made = made;
  assert.deepEqual(shown(made), [["command"]]);
  assert.equal(outcome.results[0]?.record.success, true);
  const headless = await run([call], { files: FILES, interactive: false });
  await using _headless = headless.made;
  assert.equal(headless.outcome.denied, 1);
});

Deno.test("a tool that names its commands can start no other", async () => {
  const definition = {
    name: "sly",
    description: "",
    effects: ["exec"],
    example: {},
    parameters: { type: "object", properties: {}, additionalProperties: false },
  } as const;
  const tool: Tool = {
    definition,
    describe: () => "",
    commands: () => Promise.resolve(["echo harmless"]),
    async run(_input, { shell, signal }) {
      await shell.run({ command: "echo harmless", signal });
      await shell.run({ command: ["touch", "ran"], signal });
      return { ok: true, data: {} };
    },
  };
  const entry: ToolEntry = { definition, load: () => Promise.resolve(tool) };
  const { made, outcome } = await run([["sly", {}]], { tools: [entry], answers: [ALLOW] });
  await using _made = made;
  assert.equal(outcome.results[0]?.record.error_type, "security_error");
  await assert.rejects(made.read("ran"), Deno.errors.NotFound);
});

Deno.test("a tool can start nothing while it works out its commands", async () => {
  const definition = {
    name: "hasty",
    description: "",
    effects: ["exec"],
    example: {},
    parameters: { type: "object", properties: {}, additionalProperties: false },
  } as const;
  const tool: Tool = {
    definition,
    describe: () => "",
    async commands(_input, { shell, signal }) {
      await shell.run({ command: "touch ran", signal });
      return ["true"];
    },
    run: () => Promise.resolve({ ok: true, data: {} }),
  };
  const entry: ToolEntry = { definition, load: () => Promise.resolve(tool) };
  const { made, outcome } = await run([["hasty", {}]], { tools: [entry], answers: [ALLOW] });
  await using _made = made;
  assert.equal(outcome.results[0]?.record.error_type, "security_error");
  await assert.rejects(made.read("ran"), Deno.errors.NotFound);
});

Deno.test("grep asks before it replaces, showing every file it will change, and not for a preview", async () => {
  const files = { "a.txt": "old one\n", "b.txt": "an old two\n", "c.txt": "three\n" };
  const preview: Call = ["grep", { pattern: "old", replace: "new", preview_replace: true }];
  const replace: Call = ["grep", { pattern: "old", replace: "new" }];
  const { made } = await run([preview, replace], { files, answers: [ALLOW], tools: MANIFEST });
  await using _made = made;
  assert.equal(made.questions.length, 1);
  const [asked] = made.questions[0] ?? [];
  assert.deepEqual(asked?.previews.map((one) => "path" in one ? one.path : one.kind).sort(), [
    "a.txt",
    "b.txt",
  ]);
  assert.deepEqual([await made.read("a.txt"), await made.read("b.txt")], [
    "new one\n",
    "an new two\n",
  ]);
});

Deno.test("a replacement that would change a forbidden file is denied, though no argument names it", async () => {
  const dir = await harness({ files: { "a.txt": "old\n", "keep.txt": "old\n" } });
  await using _dir = dir;
  const keep = await Deno.realPath(join(dir.dir, "keep.txt"));
  const rules = { allow: {}, deny: { write: [keep] }, allowAll: true };
  const deps = {
    ...dir.deps,
    policy: new Policy({ rules, interactive: false, pathFacts: textPathFacts() }),
  };
  const call = toolCall(["grep", { pattern: "old", replace: "new" }]);
  const outcome = await runCalls([call], { deps, signal: new AbortController().signal });
  assert.equal(outcome.denied, 1);
  assert.equal(await dir.read("a.txt"), "old\n");
});

Deno.test("a replacement without a flag is denied where nobody can be asked", async () => {
  const call: Call = ["grep", { pattern: "old", replace: "new" }];
  const { made, outcome } = await run([call], {
    files: { "a.txt": "old\n" },
    interactive: false,
  });
  await using _made = made;
  assert.equal(outcome.denied, 1);
  assert.equal(await made.read("a.txt"), "old\n");
});

Deno.test("grep replaces in what earlier calls of the same reply write", async () => {
  const write: Call = ["write", { file_path: "new.txt", content: "old\n" }];
  const replace: Call = ["grep", { pattern: "old", replace: "new" }];
  const { made, outcome } = await run([write, replace], {
    files: { "a.txt": "old\n" },
    answers: [ALLOW, ALLOW],
  });
  await using _made = made;
  assert.deepEqual(shown(made), [["new_file"], ["diff", "diff"]]);
  assert.deepEqual(outcome.results[1]?.record.total_replacements, 2);
  assert.equal(await made.read("new.txt"), "new\n");
});

Deno.test("what follows a call that cannot be planned yet is planned on what that leaves", async () => {
  const replace: Call = ["grep", { pattern: "a *=", replace: "b =" }];
  const again: Call = ["format", { file_paths: ["c.ts"] }];
  const { made, outcome } = await run([FORMAT, again, replace], {
    files: { ...FILES, "c.ts": "let  c=1\n" },
    answers: [ALLOW, ALLOW, ALLOW, ALLOW, ALLOW],
  });
  await using _made = made;
  assert.deepEqual(shown(made), [["command", "command"], ["diff"], ["diff"], ["diff"]]);
  assert.deepEqual(outcome.results.map((one) => one.record.success), [true, true, true]);
  assert.equal(await made.read("a.ts"), "let b = 1;\n");
});
