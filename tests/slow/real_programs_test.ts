/**
 * Formatters and linters as they are, not as fakes say that they are: each formats a file twice, and finds a fault in
 * its place. A program that is not installed, or cannot start, is skipped.
 */
import assert from "node:assert/strict";
import format from "../../plugins/format/mod.ts";
import lint from "../../plugins/lint/mod.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { dataOf, makeToolContext, planAndRun, type TestContext } from "../support/tool_context.ts";

/** Whether a program is here and starts: what manages versions may have put a name there and none behind it. */
async function canStart(program: string): Promise<boolean> {
  // It has no version of its own.
  const args = [program === "gofmt" ? "-h" : "--version"];
  const streams = { stdin: "null", stdout: "null", stderr: "null" } as const;
  try {
    return (await new Deno.Command(program, { args, ...streams }).output()).success;
  } catch {
    return false;
  }
}

/** A project in which the machine's own programs run. */
function project(files: Record<string, string>): Promise<TestContext> {
  return makeToolContext({
    files,
    shell: (cwd) => createShell({ cwd, env: Deno.env.toObject(), logDir: cwd }),
  });
}

/** A formatter, the configuration that chooses it, a file before and after, and one that it refuses. */
interface FormatterRow {
  readonly program: string;
  readonly config?: Record<string, string>;
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly broken?: string;
}

const FORMATTED: readonly FormatterRow[] = [
  {
    program: "black",
    config: { "pyproject.toml": "[tool.black]\nline-length = 40\n" },
    file: "src/a b.py",
    before: "x = {'a':1,   'b':[1,2,3], 'c':'ein Wort'}\n",
    after: 'x = {\n    "a": 1,\n    "b": [1, 2, 3],\n    "c": "ein Wort",\n}\n',
    broken: "def f(:\n",
  },
  {
    program: "shfmt",
    file: "run.sh",
    before: "#!/bin/sh\nif true;then\n  echo   hi\nfi\n",
    after: "#!/bin/sh\nif true; then\n\techo hi\nfi\n",
    broken: "if true; then\n",
  },
  {
    program: "clang-format",
    config: { ".clang-format": "BasedOnStyle: LLVM\nIndentWidth: 4\n" },
    file: "src/a.cpp",
    before: "int  main( ){return   0;}\n",
    after: "int main() { return 0; }\n",
  },
  {
    program: "gofmt",
    config: { "go.mod": "module x\n" },
    file: "a.go",
    before: "package x\nfunc f( ) int{\nreturn 1}\n",
    after: "package x\n\nfunc f() int {\n\treturn 1\n}\n",
    broken: "package x\nfunc {\n",
  },
  {
    program: "rustfmt",
    config: { "Cargo.toml": '[package]\nname = "x"\n' },
    file: "src/a.rs",
    before: 'fn main( ){let  a=1;println!("{}",a);}\n',
    after: 'fn main() {\n    let a = 1;\n    println!("{}", a);\n}\n',
    broken: "fn main( {\n",
  },
  {
    program: "rubocop",
    config: { ".rubocop.yml": "AllCops:\n  NewCops: disable\n" },
    file: "a.rb",
    before: "def f( a )\n    a\nend\n",
    after: "def f(a)\n  a\nend\n",
  },
];

for (const { program, config = {}, file, before, after, broken } of FORMATTED) {
  Deno.test({
    name:
      `format has ${program} format a file, leave it alone the second time, and say what is wrong`,
    ignore: !await canStart(program),
    async fn() {
      await using test = await project({ ...config, [file]: before });
      const { context, cwd } = test;
      const input = { file_paths: [file] };
      const { formatters } = dataOf(await planAndRun(format, input, { context }));
      assert.deepEqual(formatters, [program]);
      assert.equal(await Deno.readTextFile(`${cwd}/${file}`), after);
      const again = await planAndRun(format, input, { context });
      assert.deepEqual([again.ok, await Deno.readTextFile(`${cwd}/${file}`)], [true, after]);
      if (broken === undefined) return;
      await Deno.writeTextFile(`${cwd}/${file}`, broken);
      const failed = await planAndRun(format, input, { context }).catch(String);
      assert.match(JSON.stringify(failed), new RegExp(`${program} failed with code \\d+: .`));
      assert.equal(await Deno.readTextFile(`${cwd}/${file}`), broken);
    },
  });
}

/** A linter, a file with faults, and how they are named. */
interface LinterRow {
  readonly program: string;
  readonly config?: Record<string, string>;
  readonly file: string;
  readonly text: string;
  /** One without any. */
  readonly clean: string;
  /** `line:column severity rule`; column 0 where the program names none. */
  readonly found: readonly string[];
}

const LINTED: readonly LinterRow[] = [
  {
    program: "flake8",
    config: { ".flake8": "[flake8]\n" },
    file: "src/a b.py",
    text: "import os\n\nx=1\n",
    clean: "x = 1\n",
    found: ["1:1 warning F401", "3:2 warning E225"],
  },
  {
    program: "shellcheck",
    config: { ".shellcheckrc": "" },
    file: "run.sh",
    text: '#!/bin/sh\necho $1\nif [ "$1" == x ]; then :; fi\n',
    clean: '#!/bin/sh\necho "$1"\n',
    found: ["2:6 info SC2086", "3:11 warning SC3014"],
  },
  {
    program: "rubocop",
    config: { ".rubocop.yml": "AllCops:\n  NewCops: disable\nStyle:\n  Enabled: false\n" },
    file: "a.rb",
    text: "def f( abc )\n  abc\nend\n",
    clean: "def f(abc)\n  abc\nend\n",
    found: ["1:7 info Layout/SpaceInsideParens", "1:11 info Layout/SpaceInsideParens"],
  },
  {
    program: "php",
    file: "a.php",
    text: "<?php\nfunction (\n",
    clean: "<?php\n",
    found: ["3:0 error Parse error"],
  },
];

for (const { program, config = {}, file, text, clean, found } of LINTED) {
  Deno.test({
    name: `lint has ${program} find faults in their places, and nothing where there is none`,
    ignore: !await canStart(program),
    async fn() {
      await using test = await project({ ...config, [file]: text });
      const run = async () => {
        const data = dataOf(await lint.run({ file_paths: [file] }, test.context));
        assert.deepEqual(data.linters.map(({ name }) => name.split(" ")[0]), [program]);
        return data.findings.map((one) => {
          assert.equal(one.file, file);
          return `${one.line}:${one.column} ${one.severity} ${one.rule}`;
        });
      };
      assert.deepEqual(await run(), found);
      await Deno.writeTextFile(`${test.cwd}/${file}`, clean);
      assert.deepEqual(await run(), []);
    },
  });
}
