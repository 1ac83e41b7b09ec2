import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import lint from "../../plugins/lint/mod.ts";
import { type FakeProgram, putProgram, shellWith } from "../support/fake_program.ts";
import { dataOf, makeToolContext, type TestContext } from "../support/tool_context.ts";

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
      await using test = await makeToolContext({
        files: { ...config, [file]: "text\n" },
        shell: (cwd) => shellWith(join(dirname(cwd), "bin"), cwd),
      });
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
