import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import lint from "../../plugins/lint/mod.ts";
import { ToolError } from "../../src/api.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { type FakeProgram, putProgram, shellWith } from "../support/fake_program.ts";
import { dataOf, makeToolContext, type TestContext } from "../support/tool_context.ts";

type Programs = Readonly<Record<string, FakeProgram>>;

/** A project with fake programs on its PATH. */
async function project(files: Record<string, string>, programs: Programs): Promise<TestContext> {
  const bin = (cwd: string) => join(dirname(cwd), "bin");
  const test = await makeToolContext({ files, shell: (cwd) => shellWith(bin(cwd), cwd) });
  for (const [name, program] of Object.entries(programs)) {
    await putProgram(join(bin(test.cwd), name), program);
  }
  return test;
}

/** `file:line:column severity rule: message` */
async function findings(test: TestContext, file_paths: string[]): Promise<string[]> {
  const data = dataOf(await lint.run({ file_paths }, test.context));
  return data.findings.map((one) =>
    `${one.file}:${one.line}:${one.column} ${one.severity} ${one.rule}: ${one.message}`
  );
}

const ESLINT = { "eslint.config.js": "" };

Deno.test("lint finds faults with deno itself", async () => {
  await using test = await makeToolContext({
    files: { "deno.json": "{}", "a.ts": "export let a = 1;\nvar b = a;\n", "b.ts": "let = ;\n" },
    shell: (cwd) => createShell({ cwd, env: Deno.env.toObject(), logDir: cwd }),
  });
  const found = await findings(test, ["."]);
  assert.ok(
    found.some((one) => one.startsWith("a.ts:2:1 warning no-var: `var` keyword")),
    found[0],
  );
  assert.ok(
    found.includes("b.ts:1:7 error syntax: SyntaxError: Expression expected"),
    found.at(-1),
  );
});

Deno.test("lint groups files of several languages into one run a linter and sorts what it finds", async () => {
  const files = { ...ESLINT, "b.ts": "", "a.ts": "", "x.sh": "", "notes.txt": "" };
  await using test = await project(files, {
    eslint: {
      stdout:
        '[{"filePath":"b.ts","messages":[{"ruleId":"r","severity":1,"message":"m","line":2,"column":1}]}]',
    },
    shellcheck: {
      stdout:
        '{"comments":[{"file":"x.sh","line":1,"column":2,"level":"error","code":1,"message":"n"}]}',
    },
  });
  const input = { file_paths: ["x.sh", "b.ts", "a.ts", "notes.txt"] };
  const result = await lint.run(input, test.context);
  const data = dataOf(result);
  assert.deepEqual(data.linters, [
    { name: "shellcheck", command: "shellcheck --format=json1 x.sh", files: 1 },
    { name: "eslint", command: "eslint --format=json b.ts a.ts", files: 2 },
  ]);
  assert.deepEqual([data.total_findings, data.errors, data.warnings], [2, 1, 1]);
  assert.equal(
    result.ok && result.text,
    "2 findings (1 error, 1 warning) in 3 files, by shellcheck, eslint\nb.ts:2:1 warning r m\n" +
      "x.sh:1:2 error SC1 n\n[not linted: notes.txt: no linter is known for it]",
  );
  assert.deepEqual(lint.preview?.(data, 2), [
    "2 findings (1 error, 1 warning) in 3 files, by shellcheck, eslint",
    "b.ts:2:1 warning r m",
  ]);
});

Deno.test("lint says that nothing was found", async () => {
  await using test = await project({ ...ESLINT, "a.ts": "" }, {
    eslint: { stdout: '[{"filePath":"a.ts","messages":[]}]' },
  });
  const result = await lint.run({ file_paths: ["a.ts"] }, test.context);
  assert.equal(result.ok && result.text, "0 findings in 1 file, by eslint");
});

Deno.test("lint returns 100 findings and counts all", async () => {
  const stdout = Array.from({ length: 250 }, (_, i) => `a.py:${i + 1}:1: E1 bad`).join("\n");
  await using test = await project({ ".flake8": "", "a.py": "" }, { flake8: { stdout, code: 1 } });
  const result = await lint.run({ file_paths: ["a.py"] }, test.context);
  const data = dataOf(result);
  assert.deepEqual([data.findings.length, data.total_findings, data.limited_results], [
    100,
    250,
    true,
  ]);
  assert.match(result.ok && result.text || "", /\n\[150 more findings not shown\]$/);
});

Deno.test("lint keeps each message on one line and within bounds", async () => {
  const message = `first\\n  second ${"x".repeat(600)}`;
  await using test = await project({ ...ESLINT, "a.ts": "" }, {
    eslint: {
      stdout: `[{"filePath":"a.ts","messages":[{"severity":2,"message":"${message}","line":1}]}]`,
    },
  });
  const [found] = dataOf(await lint.run({ file_paths: ["a.ts"] }, test.context)).findings;
  assert.match(found?.message ?? "", /^first second x+…$/);
  assert.equal(found?.message.length, 500);
});

Deno.test("lint takes the linter named in tool, whatever the project chose", async () => {
  await using test = await project({ ...ESLINT, "a.ts": "" }, { eslint: {}, deno: {} });
  const input = { file_paths: ["a.ts"], tool: "deno" };
  assert.deepEqual(await lint.commands?.(input, test.context), ["deno lint --json a.ts"]);
});

Deno.test("lint runs the project's own program before one on PATH", async () => {
  await using test = await project({ ...ESLINT, "a.ts": "" }, { eslint: {} });
  await putProgram(join(test.cwd, "node_modules", ".bin", "eslint"), { stdout: "[]" });
  const commands = await lint.commands?.({ file_paths: ["a.ts"] }, test.context);
  assert.deepEqual(commands, ["node_modules/.bin/eslint --format=json a.ts"]);
});

Deno.test("lint passes on what a linter says when it fails, once nothing else was found", async () => {
  const files = { ...ESLINT, "a.ts": "", "x.sh": "" };
  const broken = { code: 2, stderr: "Oops! Something went wrong! Cannot find module 'x'" };
  await using test = await project(files, {
    eslint: broken,
    shellcheck: {
      stdout:
        '{"comments":[{"file":"x.sh","line":1,"column":2,"level":"error","code":1,"message":"n"}]}',
    },
  });
  await assert.rejects(lint.run({ file_paths: ["a.ts"] }, test.context), (error) => {
    assert.ok(error instanceof ToolError);
    assert.equal(error.kind, "system");
    assert.match(error.message, /^Cannot lint: eslint .* failed with code 2: Oops! .*module 'x'$/);
    return true;
  });
  const result = await lint.run({ file_paths: ["a.ts", "x.sh"] }, test.context);
  assert.match(result.ok && result.text || "", /\n\[eslint .* failed with code 2: Oops!/);
});

Deno.test("lint ends a linter that takes too long", async () => {
  await using test = await project({ ...ESLINT, "a.ts": "" }, { eslint: { script: "sleep 100" } });
  const limits = { ...test.context.limits, bashTimeout: 0.2 };
  await assert.rejects(
    lint.run({ file_paths: ["a.ts"] }, { ...test.context, limits }),
    /eslint did not end within 0.2 seconds/,
  );
});

Deno.test("lint stops when it is interrupted", async () => {
  await using test = await project({ ...ESLINT, "a.ts": "" }, { eslint: {} });
  const context = { ...test.context, signal: AbortSignal.abort() };
  await assert.rejects(lint.run({ file_paths: ["a.ts"] }, context), { kind: "interrupted" });
});

const REFUSED: [what: string, input: Parameters<typeof lint.run>[0], message: RegExp][] = [
  ["no file", { file_paths: [] }, /^Cannot lint nothing: no file is named\.$/],
  ["a missing file", { file_paths: ["no.ts"] }, /no\.ts: there is no such file/],
  ["a file of no known kind", { file_paths: ["a.zzz"] }, /a\.zzz: no linter is known for it/],
  [
    "a linter that is chosen and not installed",
    { file_paths: ["a.ts"] },
    /a\.ts: eslint\.config\.js chooses eslint, which is not installed/,
  ],
  [
    "a language without an installed linter",
    { file_paths: ["a.lua"] },
    /these would serve: luacheck/,
  ],
  [
    "an unknown linter",
    { file_paths: ["a.ts"], tool: "jslint" },
    /no linter is named 'jslint' \(known: biome, oxlint, eslint/,
  ],
  [
    "a directory without files to lint",
    { file_paths: ["empty"] },
    /empty: no linter is known for the files in it/,
  ],
];

Deno.test("lint says why there is nothing it could run, and what to do", async (t) => {
  const files = { ...ESLINT, "a.ts": "", "a.zzz": "", "a.lua": "", "empty/x.zzz": "" };
  await using test = await project(files, {});
  for (const [what, input, message] of REFUSED) {
    await t.step(what, async () => {
      await assert.rejects(lint.commands!(input, test.context), (error) => {
        assert.ok(error instanceof ToolError);
        assert.equal(error.kind, "user");
        assert.match(error.message, message);
        assert.match(error.suggestion ?? "", /Install or configure a linter/);
        return true;
      });
    });
  }
});
