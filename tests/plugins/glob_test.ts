import assert from "node:assert/strict";
import { join } from "node:path";
import glob from "../../plugins/glob/mod.ts";
import { ToolError } from "../../src/api.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { dataOf, makeToolContext, type TestContext } from "../support/tool_context.ts";

const FILES = {
  ".gitignore": "*.log\n/build/\n!keep.log\n",
  ".env": "",
  ".github/workflows/ci.yml": "",
  ".hidden/deep/x.ts": "",
  "main.ts": "line 1\nline 2\nline 3\n",
  "main.py": "",
  "debug.log": "",
  "keep.log": "",
  "build/out.ts": "",
  "src/a.ts": "",
  "src/b.tsx": "",
  "src/deep/c.ts": "",
  "src/deep/.gitignore": "d.ts\n",
  "src/deep/d.ts": "",
  "src/.secret.ts": "",
  "node_modules/lib/index.ts": "",
  "src/vendor/v.ts": "",
  "py/__pycache__/p.ts": "",
  "odd/new\nline.ts": "",
  "odd/co:lon.ts": "",
  "odd/-dash.ts": "",
  "app/[slug]/page.ts": "",
};

/** A tree whose files have distinct times: the first is the newest. */
async function tree(options: { ripgrep: boolean }): Promise<TestContext> {
  const test = await makeToolContext({
    files: FILES,
    ...(options.ripgrep && {
      shell: (cwd) => createShell({ cwd, env: Deno.env.toObject(), logDir: cwd }),
    }),
  });
  for (const [index, name] of Object.keys(FILES).entries()) {
    const time = new Date(1_700_000_000_000 - index * 60_000);
    await Deno.utime(join(test.cwd, name), time, time);
  }
  await Deno.symlink(test.outside, join(test.cwd, "link"));
  await Deno.writeTextFile(join(test.outside, "secret.ts"), "");
  return test;
}

type GlobInput = Parameters<typeof glob.run>[0];

async function found(test: TestContext, input: GlobInput): Promise<string[]> {
  const { files } = dataOf(await glob.run(input, test.context));
  return Array.isArray(files) ? files : Object.keys(files);
}

for (const ripgrep of [true, false]) {
  const by = ripgrep ? "with ripgrep" : "without ripgrep";

  Deno.test(`glob finds what a pattern names, newest first, ${by}`, async () => {
    await using test = await tree({ ripgrep });
    const cases: [GlobInput, string[]][] = [
      [{ pattern: "*.ts" }, ["main.ts"]],
      [{ pattern: "./*.{ts,py}" }, ["main.ts", "main.py"]],
      [{ pattern: "src/*.ts" }, ["src/a.ts"]],
      [{ pattern: "src/**/*.{ts,tsx}" }, ["src/a.ts", "src/b.tsx", "src/deep/c.ts"]],
      [{ pattern: "src/**" }, ["src/a.ts", "src/b.tsx", "src/deep/c.ts"]],
      [{ pattern: "src/*/*.ts" }, ["src/deep/c.ts"]],
      [{ pattern: "src/a.ts" }, ["src/a.ts"]],
      [{ pattern: "**/[ab].ts*" }, ["src/a.ts", "src/b.tsx"]],
      [{ pattern: "**/*.ts", path: "src" }, ["src/a.ts", "src/deep/c.ts"]],
      [{ pattern: "*.log" }, ["keep.log"]],
      [{ pattern: "odd/*" }, ["odd/new\nline.ts", "odd/co:lon.ts", "odd/-dash.ts"]],
      [{ pattern: "app/[slug]/page.ts" }, ["app/[slug]/page.ts"]],
      [{ pattern: "-*.ts", path: "odd" }, ["odd/-dash.ts"]],
      [{ pattern: "**/*.rs" }, []],
    ];
    for (const [input, expected] of cases) {
      assert.deepEqual(await found(test, input), expected, JSON.stringify(input));
    }
    assert.deepEqual(await found(test, { pattern: `${test.cwd}/src/*.ts` }), ["src/a.ts"]);
  });

  Deno.test(`glob looks into hidden and skipped directories only if they are named, ${by}`, async () => {
    await using test = await tree({ ripgrep });
    assert.deepEqual(await found(test, { pattern: "**/*.yml" }), []);
    assert.deepEqual(await found(test, { pattern: "**/.github/**/*.yml" }), [
      ".github/workflows/ci.yml",
    ]);
    assert.deepEqual(await found(test, { pattern: ".hidden/**/*.ts" }), [".hidden/deep/x.ts"]);
    assert.deepEqual(await found(test, { pattern: "**/*.ts", path: ".hidden" }), [
      ".hidden/deep/x.ts",
    ]);
    assert.deepEqual(await found(test, { pattern: ".env" }), [".env"]);
    assert.deepEqual(await found(test, { pattern: "node_modules/*/*.ts" }), [
      "node_modules/lib/index.ts",
    ]);
    assert.deepEqual(await found(test, { pattern: "src/vendor/*.ts" }), ["src/vendor/v.ts"]);
    assert.deepEqual(await found(test, { pattern: "**/*.ts", path: "build" }), ["build/out.ts"]);
  });

  Deno.test(`glob never leaves through a link, ${by}`, async () => {
    await using test = await tree({ ripgrep });
    assert.deepEqual(await found(test, { pattern: "**/secret.ts" }), []);
    assert.deepEqual(await found(test, { pattern: "link/*.ts" }), []);
  });

  Deno.test(`glob opens nothing that only has the name of an ignore file, ${by}`, async () => {
    const make: [name: string, make: (path: string) => Promise<unknown>][] = [
      [".ignore", (path) => Deno.symlink("/dev/zero", path)],
      ["src/.rgignore", (path) => Deno.symlink("/dev/zero", path)],
      ["src/deep/.ignore", (path) => new Deno.Command("mkfifo", { args: [path] }).output()],
      ["src/deep/.gitignore", (path) => Deno.truncate(path, 2 ** 33)],
      // In a directory whose name is no text.
      ["src/odd", (path) => {
        const script = `d=$(printf '%s\\377' "$1"); mkdir "$d"; mkfifo "$d/.ignore"`;
        return new Deno.Command("sh", { args: ["-c", script, "sh", path] }).output();
      }],
    ];
    for (const [name, makeOdd] of make) {
      await using test = await tree({ ripgrep });
      await makeOdd(join(test.cwd, name));
      const input = { pattern: "**/{c,debug,main}.{log,ts}" };
      assert.deepEqual(await found(test, input), ["main.ts", "src/deep/c.ts"], name);
    }
  });

  Deno.test(`glob shows the first lines of files, ${by}`, async () => {
    await using test = await tree({ ripgrep });
    await Deno.writeFile(join(test.cwd, "main.py"), new Uint8Array([1, 0, 2]));
    const input = { pattern: "main.*", show_content: true, content_lines: 2 };
    const result = await glob.run(input, test.context);
    assert.deepEqual(dataOf(result).files, {
      "main.py": "[Binary file]",
      "main.ts": "line 1\nline 2",
    });
    assert.equal(
      result.ok && result.text,
      "main.py:\n  [Binary file]\nmain.ts:\n  line 1\n  line 2",
    );
  });
}

Deno.test("glob says that it was stopped, also where it had found nothing by then", async () => {
  await using test = await tree({ ripgrep: true });
  const ended = { code: 0, output: "", truncated: false, durationMs: 0, ended: "timeout" } as const;
  const run = () => Promise.resolve(ended);
  const context = { ...test.context, shell: { ...test.context.shell, run } };
  const result = await glob.run({ pattern: "none" }, context);
  assert.equal(dataOf(result).suggestion, undefined);
  assert.match(result.ok ? result.text! : "", /^\[The search was stopped/);
});

Deno.test("glob keeps the newest files within the limit and says so", async () => {
  await using test = await tree({ ripgrep: true });
  const result = await glob.run({ pattern: "src/**/*.{ts,tsx}", limit: 2 }, test.context);
  const data = dataOf(result);
  assert.deepEqual([data.files, data.total_matches, data.limited], [
    ["src/a.ts", "src/b.tsx"],
    3,
    true,
  ]);
  assert.equal(
    result.ok && result.text,
    "src/a.ts\nsrc/b.tsx\n[The newest 2 of 3 files; narrow the pattern or raise limit.]",
  );
});

Deno.test("glob writes a name that would break its line as a JSON string", async () => {
  await using test = await tree({ ripgrep: true });
  const result = await glob.run({ pattern: "odd/new*" }, test.context);
  assert.equal(result.ok && result.text, '"odd/new\\nline.ts"');
});

Deno.test("glob succeeds without matches and suggests what to try", async () => {
  await using test = await tree({ ripgrep: true });
  const result = await glob.run({ pattern: "*.tsx" }, test.context);
  const data = dataOf(result);
  assert.deepEqual([data.files, data.total_matches, data.limited], [[], 0, false]);
  assert.match(data.suggestion ?? "", /^Use \*\*\/\*\.tsx to search all directories/);
  assert.ok(result.ok && result.text?.startsWith("No files found. Use **/*.tsx"));
});

Deno.test("glob refuses a pattern that leads out of the directory", async () => {
  await using test = await tree({ ripgrep: true });
  for (const pattern of ["../*.ts", "src/../../*.ts", "{..,src}/*.ts", "/etc/*", "~/x"]) {
    await assert.rejects(glob.run({ pattern }, test.context), (error) => {
      assert.ok(error instanceof ToolError);
      assert.equal(error.kind, "validation");
      assert.match(error.suggestion ?? "", /in path/);
      return true;
    });
  }
  assert.deepEqual(await found(test, { pattern: "a..b*" }), []);
});

Deno.test("glob refuses a path that is missing or a file", async () => {
  await using test = await tree({ ripgrep: true });
  await assert.rejects(glob.run({ pattern: "*", path: "scr" }, test.context), { kind: "user" });
  await assert.rejects(glob.run({ pattern: "*", path: "main.ts" }, test.context), { kind: "user" });
});

Deno.test("glob stops when it is interrupted", async () => {
  const test = await tree({ ripgrep: true });
  const context = { ...test.context, signal: AbortSignal.abort() };
  await assert.rejects(glob.run({ pattern: "**" }, context), { kind: "interrupted" });
  await test[Symbol.asyncDispose]();
});
