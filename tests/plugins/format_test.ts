import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import format from "../../plugins/format/mod.ts";
import { ToolError } from "../../src/api.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { type FakeProgram, putProgram, shellWith } from "../support/fake_program.ts";
import { dataOf, makeToolContext, planAndRun, type TestContext } from "../support/tool_context.ts";

/** A formatter that makes one space of many, and fails on a text that holds "broken". */
const SQUEEZE: FakeProgram = {
  script:
    'text=$(cat; echo .)\ncase "$text" in *broken*) echo "no such syntax" >&2; exit 2;; esac\n' +
    'echo "reformatted" >&2\nprintf "%s" "${text%.}" | tr -s " "',
};

async function project(
  files: Record<string, string | Uint8Array>,
  programs: Readonly<Record<string, FakeProgram>>,
): Promise<TestContext> {
  const bin = (cwd: string) => join(dirname(cwd), "bin");
  const test = await makeToolContext({ files, shell: (cwd) => shellWith(bin(cwd), cwd) });
  for (const [name, program] of Object.entries(programs)) {
    await putProgram(join(bin(test.cwd), name), program);
  }
  return test;
}

const read = (test: TestContext, name: string) => Deno.readTextFile(join(test.cwd, name));

const PRETTIER = { ".prettierrc": "{}" };

const COMMANDS: Record<string, [config: string, file: string, command: string]> = {
  biome: ["biome.json", "a.ts", "biome format --stdin-file-path=a.ts"],
  dprint: ["app/dprint.json", "app/a.md", "cd app && dprint fmt --stdin a.md"],
  prettier: ["prettier.config.mjs", "src/a.css", "prettier --stdin-filepath=src/a.css"],
  deno: ["deno.jsonc", "a.tsx", "deno fmt --ext=tsx -"],
  yapf: [".style.yapf", "a.py", "yapf"],
  ruff: ["ruff.toml", "a.py", "ruff format --stdin-filename=a.py -"],
  gofmt: ["go.mod", "a.go", "gofmt"],
  rustfmt: ["Cargo.toml", "src/a.rs", "rustfmt --edition=2021 --emit=stdout"],
  shfmt: ["", "a.sh", "shfmt --filename=a.sh"],
  "clang-format": [".clang-format", "a.cpp", "clang-format --assume-filename=a.cpp"],
  rubocop: [
    ".rubocop.yml",
    "a.rb",
    "rubocop --autocorrect --only=Layout --stderr --stdin a.rb",
  ],
  stylua: ["stylua.toml", "a.lua", "stylua --stdin-filepath=a.lua -"],
  taplo: ["", "a.toml", "taplo format --stdin-filepath=a.toml -"],
  zig: ["build.zig", "a.zig", "zig fmt --stdin"],
  terraform: ["", "a.tf", "terraform fmt -"],
  mix: [".formatter.exs", "a.ex", "mix format -"],
  dart: ["pubspec.yaml", "a.dart", "dart format --stdin-name=a.dart"],
};

Deno.test("format pipes a file through each formatter that a project may use", async (t) => {
  for (const [program, [config, file, command]] of Object.entries(COMMANDS)) {
    await t.step(program, async () => {
      const configs = config === "" ? {} : { [config]: "" };
      await using test = await project({ ...configs, [file]: "a   b\n" }, { [program]: SQUEEZE });
      const input = { file_paths: [file] };
      assert.deepEqual(await format.commands?.(input, test.context), [command]);
      const { formatters } = dataOf(await planAndRun(format, input, { context: test.context }));
      assert.deepEqual(formatters, [program]);
      assert.equal(await read(test, file), "a b\n");
    });
  }
});

Deno.test("format takes black where pyproject.toml has it, beside ruff", async () => {
  const files = { "pyproject.toml": "[tool.ruff]\n[tool.black]\n", "a.py": "" };
  await using test = await project(files, { ruff: SQUEEZE, black: SQUEEZE });
  const commands = await format.commands?.({ file_paths: ["a.py"] }, test.context);
  assert.deepEqual(commands, ["black --quiet --stdin-filename=a.py -"]);
});

Deno.test("format formats with deno itself, and undo takes all files back at once", async () => {
  const files = { "deno.json": "{}", "a.ts": "let  a=1\n", "b.md": "*  one\n", "ok.ts": "" };
  await using test = await makeToolContext({
    files,
    shell: (cwd) => createShell({ cwd, env: Deno.env.toObject(), logDir: cwd }),
  });
  const input = { file_paths: ["a.ts", "b.md"] };
  const result = await planAndRun(format, input, { context: test.context });
  const data = dataOf(result);
  assert.deepEqual([data.formatted, data.unchanged, data.patch_number], [["a.ts", "b.md"], [], 1]);
  assert.equal(await read(test, "a.ts"), "let a = 1;\n");
  assert.equal(await read(test, "b.md"), "- one\n");
  await test.workspace.undo();
  assert.deepEqual([await read(test, "a.ts"), await read(test, "b.md")], [
    files["a.ts"],
    files["b.md"],
  ]);
});

Deno.test("format lists what it changed, what it left as it is, and what it could not format", async () => {
  await using test = await project({
    ...PRETTIER,
    "a.ts": "a  b\n",
    "ok.ts": "a b\n",
    "bad.ts": "broken\n",
    "x.zzz": "",
    "binary.ts": new Uint8Array([0, 1, 2]),
  }, { prettier: SQUEEZE });
  const input = { file_paths: ["a.ts", "ok.ts", "bad.ts", "x.zzz", "binary.ts"] };
  const result = await planAndRun(format, input, { context: test.context });
  const data = dataOf(result);
  assert.deepEqual([data.formatted, data.unchanged], [["a.ts"], ["ok.ts"]]);
  assert.equal(
    result.ok && result.text,
    "1 of 2 files was changed by prettier\nChanged (read again before editing): a.ts\n" +
      "Unchanged: ok.ts\n[not formatted: bad.ts: prettier failed with code 2: no such syntax]\n" +
      "[not formatted: binary.ts: Cannot read binary.ts as text: it is a binary file.]\n" +
      "[not formatted: x.zzz: no formatter is known for it]",
  );
  assert.deepEqual(format.preview?.(data, 3), ["1 of 2 files was changed by prettier", "a.ts"]);
});

Deno.test("format with check tells what would change and changes nothing", async () => {
  await using test = await project({ ...PRETTIER, "a.ts": "a  b\n" }, { prettier: SQUEEZE });
  const input = { file_paths: ["a.ts"], check: true };
  assert.deepEqual(format.effectsOf?.(input), ["read", "exec"]);
  const result = await planAndRun(format, input, { context: test.context });
  assert.deepEqual(dataOf(result).formatted, ["a.ts"]);
  assert.match(
    result.ok && result.text || "",
    /would be changed by prettier\nWould change: a\.ts$/,
  );
  assert.equal(await read(test, "a.ts"), "a  b\n");
});

Deno.test("format changes nothing where all is formatted already", async () => {
  await using test = await project({ ...PRETTIER, "a.ts": "a b\n" }, { prettier: SQUEEZE });
  const result = await planAndRun(format, { file_paths: ["a.ts"] }, { context: test.context });
  const { patch_number, unchanged } = dataOf(result);
  assert.deepEqual([patch_number, unchanged], [undefined, ["a.ts"]]);
  assert.equal(
    result.ok && result.text,
    "nothing was changed by prettier\nUnchanged: a.ts",
  );
});

Deno.test("format keeps encoding and byte order mark, and gives the formatter clean text", async () => {
  const before = new TextEncoder().encode("\ufeffé  b\r\n");
  await using test = await project({ ...PRETTIER, "a.ts": before }, { prettier: SQUEEZE });
  await planAndRun(format, { file_paths: ["a.ts"] }, { context: test.context });
  const after = await Deno.readFile(join(test.cwd, "a.ts"));
  assert.deepEqual(after, new TextEncoder().encode("\ufeffé b\r\n"));
});

Deno.test("format leaves a file as it is if its formatter prints nothing", async () => {
  await using test = await project({ ...PRETTIER, "a.ts": "a  b\n" }, {
    prettier: { script: "cat > /dev/null" },
  });
  await assert.rejects(
    planAndRun(format, { file_paths: ["a.ts"] }, { context: test.context }),
    /^ToolError: Cannot format a\.ts: prettier printed nothing for it\.$/,
  );
});

Deno.test("format counts a file as changed since it was read, because the model has not seen it", async () => {
  await using test = await project({ ...PRETTIER, "a.ts": "a  b\n", "b.ts": "a  b\n" }, {
    prettier: SQUEEZE,
  });
  const [a, b] = [await test.workspace.resolve("a.ts"), await test.workspace.resolve("b.ts")];
  await test.workspace.read(a);
  await planAndRun(format, { file_paths: ["a.ts", "b.ts"] }, { context: test.context });
  assert.match((await test.workspace.staleness(a))?.message ?? "", /has changed on disk since/);
  assert.match((await test.workspace.staleness(b))?.message ?? "", /has not been read/);
});

Deno.test("format ends a formatter that takes too long", async () => {
  await using test = await project({ ...PRETTIER, "a.ts": "" }, {
    prettier: { script: "sleep 9" },
  });
  const context = { ...test.context, limits: { ...test.context.limits, bashTimeout: 0.2 } };
  await assert.rejects(
    planAndRun(format, { file_paths: ["a.ts"] }, { context }),
    /prettier did not end within 0.2 seconds/,
  );
});

Deno.test("format stops when it is interrupted", async () => {
  await using test = await project({ ...PRETTIER, "a.ts": "" }, { prettier: SQUEEZE });
  const context = { ...test.context, signal: AbortSignal.abort() };
  await assert.rejects(planAndRun(format, { file_paths: ["a.ts"] }, { context }), {
    kind: "interrupted",
  });
});

const REFUSED: [what: string, file_paths: string[], message: RegExp][] = [
  ["no file", [], /^Cannot format nothing: no file is named\.$/],
  ["a missing file", ["no.ts"], /no\.ts: there is no such file/],
  ["a file of no known kind", ["a.zzz"], /a\.zzz: no formatter is known for it/],
  ["a formatter that is not installed", ["a.ts"], /\.prettierrc chooses prettier, which is not/],
  ["a language without one", ["a.lua"], /these would serve: stylua/],
  ["a formatter that fails", ["bad.sh"], /bad\.sh: shfmt failed with code 2: no such syntax/],
];

Deno.test("format says why there is nothing it could format, and what to do", async (t) => {
  const files = { ...PRETTIER, "a.ts": "", "a.zzz": "", "a.lua": "", "bad.sh": "broken" };
  await using test = await project(files, { shfmt: SQUEEZE });
  for (const [what, file_paths, message] of REFUSED) {
    await t.step(what, async () => {
      const call = planAndRun(format, { file_paths }, { context: test.context });
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof ToolError);
        assert.equal(error.kind, "user");
        assert.match(error.message, message);
        assert.match(error.suggestion ?? "", /install and configure a formatter/);
        return true;
      });
    });
  }
});
