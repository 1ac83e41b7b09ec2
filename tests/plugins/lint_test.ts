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

interface Case {
  readonly config?: Record<string, string>;
  readonly file: string;
  readonly prints: FakeProgram;
  readonly command: string;
  readonly expected: readonly string[];
}

/** What each linter prints, as it documents it, for a file with two faults. */
const LINTERS: Record<string, Case> = {
  eslint: {
    config: { "eslint.config.js": "" },
    file: "src/a.ts",
    prints: {
      code: 1,
      stderr: "(node:1) ExperimentalWarning: about nothing",
      stdout:
        `[{"filePath":"@CWD@/src/a.ts","messages":[{"ruleId":"no-unused-vars","severity":2,"message":"'x' is assigned a value but never used.","line":1,"column":7,"nodeType":"Identifier","messageId":"unusedVar","endLine":1,"endColumn":8},{"ruleId":null,"fatal":true,"severity":2,"message":"Parsing error: Unexpected token","line":3,"column":1},{"ruleId":"semi","severity":1,"message":"Missing semicolon.","line":2,"column":9}],"suppressedMessages":[],"errorCount":2,"fatalErrorCount":1,"warningCount":1,"fixableErrorCount":0,"fixableWarningCount":1,"usedDeprecatedRules":[]}]`,
    },
    command: "eslint --format=json src/a.ts",
    expected: [
      "src/a.ts:1:7 error no-unused-vars: 'x' is assigned a value but never used.",
      "src/a.ts:2:9 warning semi: Missing semicolon.",
      "src/a.ts:3:1 error : Parsing error: Unexpected token",
    ],
  },
  biome: {
    config: { "biome.json": "{}" },
    file: "a.js",
    prints: {
      code: 1,
      stdout:
        "::error title=lint/style/useConst,file=a.js,line=1,endLine=1,col=1,endColumn=4::This let declares a variable%2C once.\n::warning title=lint/suspicious/noDebugger,file=a.js,line=2,endLine=2,col=1,endColumn=10::This is an unexpected use of the debugger statement.",
      stderr: "Checked 1 file in 2ms. No fixes applied.\nFound 2 errors.",
    },
    command: "biome lint --reporter=github --max-diagnostics=200 a.js",
    expected: [
      "a.js:1:1 error lint/style/useConst: This let declares a variable, once.",
      "a.js:2:1 warning lint/suspicious/noDebugger: This is an unexpected use of the debugger statement.",
    ],
  },
  oxlint: {
    config: { ".oxlintrc.json": "{}" },
    file: "a.tsx",
    prints: {
      code: 1,
      stdout:
        "a.tsx:1:1: `debugger` statement is not allowed [Error/eslint(no-debugger)]\na.tsx:4:10: Unused [Warning/no-unused-vars]\n\n2 problems",
    },
    command: "oxlint --format=unix a.tsx",
    expected: [
      "a.tsx:1:1 error eslint(no-debugger): `debugger` statement is not allowed",
      "a.tsx:4:10 warning no-unused-vars: Unused",
    ],
  },
  ruff: {
    config: { "pyproject.toml": "[tool.ruff]\nline-length = 100\n" },
    file: "a.py",
    prints: {
      code: 1,
      stdout:
        `[\n  {\n    "cell": null,\n    "code": "F401",\n    "end_location": { "column": 10, "row": 1 },\n    "filename": "@CWD@/a.py",\n    "fix": null,\n    "location": { "column": 8, "row": 1 },\n    "message": "\`os\` imported but unused",\n    "noqa_row": 1,\n    "url": "https://docs.astral.sh/ruff/rules/unused-import"\n  },\n  { "code": null, "filename": "@CWD@/a.py", "location": { "column": 1, "row": 3 }, "message": "SyntaxError: Expected an expression" }\n]`,
    },
    command: "ruff check --output-format=json a.py",
    expected: [
      "a.py:1:8 warning F401: `os` imported but unused",
      "a.py:3:1 error invalid-syntax: SyntaxError: Expected an expression",
    ],
  },
  flake8: {
    config: { ".flake8": "" },
    file: "a.py",
    prints: {
      code: 1,
      stdout:
        "a.py:1:1: F401 'os' imported but unused\na.py:9:80: E501 line too long (90 > 79 characters)",
    },
    command: "flake8 a.py",
    expected: [
      "a.py:1:1 warning F401: 'os' imported but unused",
      "a.py:9:80 warning E501: line too long (90 > 79 characters)",
    ],
  },
  pylint: {
    config: { ".pylintrc": "" },
    file: "a.py",
    prints: {
      code: 20,
      stdout:
        `[{"type":"convention","module":"a","obj":"","line":1,"column":0,"endLine":null,"endColumn":null,"path":"a.py","symbol":"missing-module-docstring","message":"Missing module docstring","message-id":"C0114"},{"type":"error","module":"a","obj":"","line":2,"column":4,"path":"a.py","symbol":"undefined-variable","message":"Undefined variable 'y'","message-id":"E0602"}]`,
    },
    command: "pylint --output-format=json a.py",
    expected: [
      "a.py:1:1 info missing-module-docstring: Missing module docstring",
      "a.py:2:5 error undefined-variable: Undefined variable 'y'",
    ],
  },
  "golangci-lint": {
    config: { "app/.golangci.yml": "" },
    file: "app/pkg/a.go",
    prints: {
      code: 1,
      stdout:
        "pkg/a.go:5:2: Error return value of `f` is not checked (errcheck)\n\tf()\n\t ^\n1 issues:\n* errcheck: 1",
    },
    command: "cd app && golangci-lint run ./pkg",
    expected: ["app/pkg/a.go:5:2 warning errcheck: Error return value of `f` is not checked"],
  },
  go: {
    config: { "go.mod": "module x\n" },
    file: "a.go",
    prints: {
      code: 1,
      stderr: "# x\n# [x]\n./a.go:7:2: fmt.Printf format %d has arg s of wrong type string",
    },
    command: "go vet .",
    expected: ["a.go:7:2 warning : fmt.Printf format %d has arg s of wrong type string"],
  },
  shellcheck: {
    file: "run.sh",
    prints: {
      code: 1,
      stdout:
        `{"comments":[{"file":"run.sh","line":2,"endLine":2,"column":6,"endColumn":8,"level":"info","code":2086,"message":"Double quote to prevent globbing and word splitting.","fix":null},{"file":"run.sh","line":3,"endLine":3,"column":1,"endColumn":1,"level":"error","code":1089,"message":"Parsing stopped here.","fix":null}]}`,
    },
    command: "shellcheck --format=json1 run.sh",
    expected: [
      "run.sh:2:6 info SC2086: Double quote to prevent globbing and word splitting.",
      "run.sh:3:1 error SC1089: Parsing stopped here.",
    ],
  },
  rubocop: {
    config: { ".rubocop.yml": "" },
    file: "a.rb",
    prints: {
      code: 1,
      stdout:
        `{"metadata":{"rubocop_version":"1.60.0"},"files":[{"path":"a.rb","offenses":[{"severity":"convention","message":"Missing frozen string literal comment.","cop_name":"Style/FrozenStringLiteralComment","corrected":false,"correctable":true,"location":{"start_line":1,"start_column":1,"last_line":1,"last_column":1,"length":1,"line":1,"column":1}}]}],"summary":{"offense_count":1,"target_file_count":1,"inspected_file_count":1}}`,
    },
    command: "rubocop --format=json a.rb",
    expected: [
      "a.rb:1:1 info Style/FrozenStringLiteralComment: Missing frozen string literal comment.",
    ],
  },
  stylelint: {
    config: { ".stylelintrc.json": "{}" },
    file: "a.css",
    prints: {
      code: 2,
      stderr:
        '@CWD@/a.css:3:5: Unexpected unknown property "colr" (property-no-unknown) [error]\n\n1 problem',
    },
    command: "stylelint --formatter=unix a.css",
    expected: ['a.css:3:5 error property-no-unknown: Unexpected unknown property "colr"'],
  },
  yamllint: {
    file: "a.yml",
    prints: {
      code: 1,
      stdout:
        "a.yml:6:2: [warning] missing starting space in comment (comments)\na.yml:57:1: [error] trailing spaces (trailing-spaces)",
    },
    command: "yamllint --format=parsable a.yml",
    expected: [
      "a.yml:6:2 warning comments: missing starting space in comment",
      "a.yml:57:1 error trailing-spaces: trailing spaces",
    ],
  },
  hadolint: {
    file: "Dockerfile",
    prints: {
      code: 1,
      stdout:
        `[{"code":"DL3006","column":1,"file":"Dockerfile","level":"warning","line":1,"message":"Always tag the version of an image explicitly"}]`,
    },
    command: "hadolint --format=json Dockerfile",
    expected: ["Dockerfile:1:1 warning DL3006: Always tag the version of an image explicitly"],
  },
  php: {
    file: "a.php",
    prints: {
      code: 255,
      stderr: 'PHP Parse error:  syntax error, unexpected token "}" in a.php on line 3',
      stdout:
        '\nParse error: syntax error, unexpected token "}" in a.php on line 3\n\nErrors parsing a.php',
    },
    command: "php -l a.php",
    expected: ['a.php:3:0 error Parse error: syntax error, unexpected token "}"'],
  },
  luacheck: {
    file: "a.lua",
    prints: {
      code: 1,
      stdout: "a.lua:1:7: (W211) unused variable 'x'\na.lua:2:1: (E011) expected '=' near 'y'",
    },
    command: "luacheck --formatter=plain --codes a.lua",
    expected: [
      "a.lua:1:7 warning W211: unused variable 'x'",
      "a.lua:2:1 error E011: expected '=' near 'y'",
    ],
  },
  swiftlint: {
    file: "a.swift",
    prints: {
      code: 2,
      stdout:
        `[{"character":12,"file":"@CWD@/a.swift","line":4,"reason":"Force casts should be avoided","rule_id":"force_cast","severity":"Error","type":"Force Cast"}]`,
    },
    command: "swiftlint lint --quiet --reporter=json a.swift",
    expected: ["a.swift:4:12 error force_cast: Force casts should be avoided"],
  },
  ktlint: {
    file: "a.kt",
    prints: { code: 1, stdout: "@CWD@/a.kt:1:1: Unused import (standard:no-unused-imports)" },
    command: "ktlint --log-level=error a.kt",
    expected: ["a.kt:1:1 warning standard:no-unused-imports: Unused import"],
  },
  "clang-tidy": {
    config: { ".clang-tidy": "" },
    file: "a.c",
    prints: {
      code: 1,
      stdout:
        "@CWD@/a.c:3:5: warning: Value stored to 'x' is never read [clang-analyzer-deadcode.DeadStores]\n    x = 1;\n@CWD@/a.c:9:1: error: unknown type name 'foo' [clang-diagnostic-error]",
    },
    command: "clang-tidy --quiet a.c",
    expected: [
      "a.c:3:5 warning clang-analyzer-deadcode.DeadStores: Value stored to 'x' is never read",
      "a.c:9:1 error clang-diagnostic-error: unknown type name 'foo'",
    ],
  },
  cppcheck: {
    file: "a.cpp",
    prints: { stderr: "a.cpp:2:9: style: Unused variable: x [unusedVariable]" },
    command: "cppcheck --quiet --enable=warning,style --template=gcc a.cpp",
    expected: ["a.cpp:2:9 info unusedVariable: Unused variable: x"],
  },
  sqlfluff: {
    config: { ".sqlfluff": "" },
    file: "a.sql",
    prints: {
      code: 1,
      stdout:
        `[{"filepath":"a.sql","violations":[{"start_line_no":1,"start_line_pos":1,"code":"LT01","description":"Expected only single space","name":"layout.spacing","warning":false}]}]`,
    },
    command: "sqlfluff lint --format=json a.sql",
    expected: ["a.sql:1:1 warning LT01: Expected only single space"],
  },
};

Deno.test("lint brings what each linter prints to one shape", async (t) => {
  for (
    const [program, { config = {}, file, prints, command, expected }] of Object.entries(LINTERS)
  ) {
    await t.step(program, async () => {
      await using test = await project({ ...config, [file]: "text\n" }, {});
      const placed = (text = "") => text.replaceAll("@CWD@", test.cwd);
      await putProgram(join(dirname(test.cwd), "bin", program), {
        ...prints,
        stdout: placed(prints.stdout),
        stderr: placed(prints.stderr),
      });
      assert.deepEqual(await lint.commands?.({ file_paths: [file] }, test.context), [command]);
      assert.deepEqual(await findings(test, [file]), expected);
    });
  }
});

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
