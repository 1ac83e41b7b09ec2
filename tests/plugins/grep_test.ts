import assert from "node:assert/strict";
import { join } from "node:path";
import grep from "../../plugins/grep/mod.ts";
import { ToolError } from "../../src/api.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { dataOf, makeToolContext, type TestContext } from "../support/tool_context.ts";

const text = (value: string) => new TextEncoder().encode(value);

const FILES: Record<string, string | Uint8Array> = {
  ".gitignore": "*.log\n",
  "main.ts": "const Foo = 1;\n  foo(bar);\r\nfoobar\n// ünï foo\n",
  "lib.py": "def foo():\n    pass\n",
  "debug.log": "foo\n",
  ".hidden/x.ts": "foo\n",
  ".env": "foo\n",
  "src/a.ts": "one\ntwo\nfoo 3\nfour\nfive foo\nsix\n",
  "src/deep/b.tsx": "foo.*(bar\n",
  "src/deep/deeper/c.ts": "foo deep\n",
  "dist/out.ts": "foo\n",
  "node_modules/m/index.ts": "foo\n",
  "odd/new\nline.ts": "-foo odd\n",
  "odd/co:lon.ts": "no match\n",
  "bytes.txt": new Uint8Array([...text("\xe9"), 0xff, ...text(" foo\n")]),
  "binary.bin": new Uint8Array([...text("foo\n"), 0, 1, 2]),
  "wide.txt": new Uint8Array([0xff, 0xfe, ...[..."foo\n"].flatMap((c) => [c.charCodeAt(0), 0])]),
};

/** A tree whose files have distinct times: the first is the newest. */
async function tree(
  options: { ripgrep: boolean; files?: Record<string, string | Uint8Array>; signal?: AbortSignal },
): Promise<TestContext> {
  const { ripgrep, files = FILES, signal } = options;
  const test = await makeToolContext({
    files,
    ...(signal && { signal }),
    ...(ripgrep && {
      shell: (cwd) => createShell({ cwd, env: Deno.env.toObject(), logDir: cwd }),
    }),
  });
  for (const [index, name] of Object.keys(files).entries()) {
    const time = new Date(1_700_000_000_000 - index * 60_000);
    await Deno.utime(join(test.cwd, name), time, time);
  }
  return test;
}

type GrepInput = Parameters<typeof grep.run>[0];

/** What was found as `file:line:column`. */
async function places(test: TestContext, input: GrepInput): Promise<string[]> {
  const { matches } = dataOf(await grep.run(input, test.context));
  return matches.map(({ file, line, column }) => `${file}:${line}:${column}`);
}

const SRC = ["src/a.ts:3:1", "src/a.ts:5:6", "src/deep/b.tsx:1:1", "src/deep/deeper/c.ts:1:1"];

const CASES: [what: string, input: GrepInput, expected: string[]][] = [
  ["everything, newest first", { pattern: "foo" }, [
    "main.ts:1:7",
    "main.ts:2:3",
    "main.ts:3:1",
    "main.ts:4:8",
    "lib.py:1:5",
    ...SRC,
    "dist/out.ts:1:1",
    "odd/new\nline.ts:1:2",
    "bytes.txt:1:4",
    "wide.txt:1:1",
  ]],
  ["case_sensitive", { pattern: "Foo", case_sensitive: true }, ["main.ts:1:7"]],
  ["whole_words", { pattern: "foo", whole_words: true, include: "main.*" }, [
    "main.ts:1:7",
    "main.ts:2:3",
    "main.ts:4:8",
  ]],
  ["literal_text", { pattern: "foo.*(bar", literal_text: true }, ["src/deep/b.tsx:1:1"]],
  ["a regular expression", { pattern: "^fo+bar$" }, ["main.ts:3:1"]],
  ["look-behind", { pattern: "(?<!\\w)foob" }, ["main.ts:3:1"]],
  ["the end of a line with a carriage return", { pattern: "\\);$" }, ["main.ts:2:10"]],
  ["a pattern that begins with a dash", { pattern: "-foo" }, ["odd/new\nline.ts:1:1"]],
  ["path", { pattern: "foo", path: "src" }, SRC],
  ["a path that is a file", { pattern: "foo", path: "lib.py" }, ["lib.py:1:5"]],
  ["an ignored file by path", { pattern: "foo", path: "debug.log" }, ["debug.log:1:1"]],
  ["a hidden directory by path", { pattern: "foo", path: ".hidden" }, [".hidden/x.ts:1:1"]],
  ["node_modules by path", { pattern: "foo", path: "node_modules" }, [
    "node_modules/m/index.ts:1:1",
  ]],
  ["include with braces", { pattern: "foo", include: "*.{py,tsx}" }, [
    "lib.py:1:5",
    "src/deep/b.tsx:1:1",
  ]],
  ["include as a list", { pattern: "foo", include: "*.py, *.tsx" }, [
    "lib.py:1:5",
    "src/deep/b.tsx:1:1",
  ]],
  ["include with a path", { pattern: "foo", include: "src/*.ts" }, SRC.slice(0, 2)],
  ["include of hidden files", { pattern: "foo", include: ".env" }, [".env:1:1"]],
  ["include of what is ignored", { pattern: "foo", include: "*.log" }, []],
  ["exclude", { pattern: "foo", path: "src", exclude: "*.tsx" }, [...SRC.slice(0, 2), SRC[3]!]],
  ["exclude of a directory", { pattern: "foo", path: "src", exclude: "deep/" }, SRC.slice(0, 2)],
  ["exclude of all below a path", { pattern: "foo", exclude: "{src,odd,dist}/**,*.t*" }, [
    "lib.py:1:5",
  ]],
  ["file_types", { pattern: "foo", file_types: ".py,*.tsx" }, [
    "lib.py:1:5",
    "src/deep/b.tsx:1:1",
  ]],
  ["file_types and include", { pattern: "foo", file_types: "ts", include: "[ac].*" }, [
    ...SRC.slice(0, 2),
    SRC[3]!,
  ]],
  ["max_depth 0", { pattern: "foo", path: "src", max_depth: 0 }, SRC.slice(0, 2)],
  ["max_depth 1", { pattern: "foo", path: "src", max_depth: 1 }, SRC.slice(0, 3)],
  ["max_depth -1", { pattern: "foo", path: "src", max_depth: -1 }, SRC],
];

for (const ripgrep of [true, false]) {
  const by = ripgrep ? "with ripgrep" : "without ripgrep";

  Deno.test(`grep finds the same by every parameter, ${by}`, async (t) => {
    await using test = await tree({ ripgrep });
    for (const [what, input, expected] of CASES) {
      await t.step(what, async () => assert.deepEqual(await places(test, input), expected));
    }
  });

  Deno.test(`grep shows lines of context once, and in the record around each match, ${by}`, async () => {
    await using test = await tree({ ripgrep });
    const result = await grep.run({ pattern: "foo", path: "src/a.ts", context: 1 }, test.context);
    assert.equal(
      result.ok && result.text,
      "Found 2 matches\nsrc/a.ts:\n  Line 2: two\n  Line 3, Char 1: foo 3\n  Line 4: four\n" +
        "  Line 5, Char 6: five foo\n  Line 6: six",
    );
    assert.deepEqual(dataOf(result).matches.map(({ before, after }) => [before, after]), [
      [["two"], ["four"]],
      [["four"], ["six"]],
    ]);
  });

  Deno.test(`grep keeps max_results matches of the newest files and counts all, ${by}`, async () => {
    await using test = await tree({ ripgrep });
    const result = await grep.run({ pattern: "foo", max_results: 6 }, test.context);
    const data = dataOf(result);
    assert.deepEqual([data.matches.length, data.total_matches, data.limited_results], [
      6,
      13,
      true,
    ]);
    assert.equal(data.matches[5]?.file, "src/a.ts");
    assert.ok(
      result.ok &&
        result.text?.startsWith("Found 13 matches, the first 6 of the newest files are shown\n"),
    );
  });

  Deno.test(`grep cuts a long line around its match, ${by}`, async () => {
    const files = { "min.js": `${"x".repeat(300_000)}needle${"y".repeat(300_000)}\n` };
    await using test = await tree({ ripgrep, files });
    const [match] = dataOf(await grep.run({ pattern: "needle" }, test.context)).matches;
    assert.equal(match?.column, 300_001);
    assert.match(match.content, /^…x+needley+…$/);
    assert.equal(match.content.length, 502);
  });

  Deno.test(`grep stops counting at 2,000 matches, ${by}`, async () => {
    const many = { "a.txt": "hit\n".repeat(3000), "b.txt": "hit\n".repeat(3000) };
    await using test = await tree({ ripgrep, files: many });
    const result = await grep.run({ pattern: "hit", max_results: 1 }, test.context);
    assert.ok(result.ok && result.text?.startsWith("Found at least "));
    assert.equal(dataOf(result).matches.length, 1);
  });

  Deno.test(`grep refuses a pattern that is no regular expression, ${by}`, async () => {
    await using test = await tree({ ripgrep });
    for (const pattern of ["(foo", "[z-a]", "*"]) {
      await assert.rejects(grep.run({ pattern }, test.context), (error) => {
        assert.ok(error instanceof ToolError);
        assert.equal(error.kind, "validation");
        assert.match(error.message, /^The pattern cannot be searched for: /);
        assert.match(error.suggestion ?? "", /literal_text/);
        return true;
      });
    }
  });

  Deno.test(`grep stops when it is interrupted, ${by}`, async () => {
    const test = await tree({ ripgrep, signal: AbortSignal.abort() });
    await assert.rejects(grep.run({ pattern: "foo" }, test.context), { kind: "interrupted" });
    await test[Symbol.asyncDispose]();
  });
}

Deno.test("grep finds by look-ahead with ripgrep, and says without it what it cannot match", async () => {
  await using by = await tree({ ripgrep: true });
  assert.deepEqual(await places(by, { pattern: "foo(?=bar)" }), ["main.ts:3:1"]);
  await using without = await tree({ ripgrep: false });
  for (const [pattern, part] of [["foo(?=bar)", "(?="], ["a(?!b)", "(?!"], ["(o)\\1", "\\1"]]) {
    await assert.rejects(grep.run({ pattern: pattern! }, without.context), {
      kind: "validation",
      message:
        `The pattern cannot be searched for: ${part} needs ripgrep, which does not run here.`,
      suggestion: "Write it without look-ahead and backreferences.",
    });
  }
});

Deno.test("grep finds each line once, though ripgrep meets a pipe that has the name of an ignore file", async () => {
  for (const at of [".", "src/deep"]) {
    await using test = await tree({ ripgrep: true });
    await new Deno.Command("mkfifo", { args: [join(test.cwd, at, ".ignore")] }).output();
    assert.deepEqual(await places(test, { pattern: "foo", path: "src" }), SRC, at);
  }
});

Deno.test("grep passes on ripgrep's words about a pattern", async () => {
  await using test = await tree({ ripgrep: true });
  await assert.rejects(grep.run({ pattern: "(foo" }, test.context), /error: unclosed group$/);
});

Deno.test("grep groups its text by file and quotes a name that would break its line", async () => {
  await using test = await tree({ ripgrep: true });
  const result = await grep.run({ pattern: "-foo|def foo" }, test.context);
  assert.equal(
    result.ok && result.text,
    'Found 2 matches\nlib.py:\n  Line 1, Char 1: def foo():\n"odd/new\\nline.ts":\n' +
      "  Line 1, Char 1: -foo odd",
  );
});

Deno.test("grep names the file and line of a match in a line too long to hold", async () => {
  const long = `first\nbegin ${'needle \\" '.repeat(40_000)}\nneedle\n`;
  await using test = await tree({ ripgrep: true, files: { "long.txt": long } });
  const { matches } = dataOf(await grep.run({ pattern: "needle" }, test.context));
  assert.deepEqual(matches.map((match) => match.line), [2, 3]);
  assert.match(matches[0]?.content ?? "", /^begin needle \\" needle/);
});

Deno.test("grep succeeds without matches and suggests what to try", async () => {
  await using test = await tree({ ripgrep: true });
  const input = { pattern: "absent(x", literal_text: true, case_sensitive: true, include: "*.ts" };
  const result = await grep.run(input, test.context);
  const data = dataOf(result);
  assert.deepEqual([data.matches, data.total_matches, data.limited_results], [[], 0, false]);
  assert.match(data.suggestion ?? "", /without case_sensitive, in more files/);
  assert.ok(result.ok && result.text?.startsWith("Found 0 matches. Try a broader pattern"));
});

Deno.test("grep says how many files it searched", async () => {
  await using test = await tree({ ripgrep: true });
  const data = dataOf(await grep.run({ pattern: "foo", path: "src" }, test.context));
  assert.equal(data.files_searched, 3);
});

Deno.test("grep stops after three seconds without a match and says how to narrow the search", async () => {
  await using test = await tree({ ripgrep: true });
  // A program that finds nothing for long, in the place of ripgrep on a slow disk.
  const shell = createShell({ cwd: test.cwd, env: Deno.env.toObject(), logDir: test.cwd });
  const slow = {
    ...shell,
    run: (options: Parameters<typeof shell.run>[0]) =>
      shell.run({ ...options, command: ["sleep", "100"] }),
  };
  await assert.rejects(
    grep.run({ pattern: "foo" }, { ...test.context, shell: { ...test.context.shell, ...slow } }),
    (error) => {
      assert.ok(error instanceof ToolError);
      assert.equal(error.kind, "system");
      assert.equal(error.message, "Search stopped: no match within 3 seconds.");
      assert.match(error.suggestion ?? "", /path/);
      return true;
    },
  );
});

Deno.test("grep refuses a path that is missing", async () => {
  await using test = await tree({ ripgrep: true });
  await assert.rejects(grep.run({ pattern: "x", path: "scr" }, test.context), { kind: "user" });
});
