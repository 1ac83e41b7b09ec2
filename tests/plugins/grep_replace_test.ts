import assert from "node:assert/strict";
import { join } from "node:path";
import grep from "../../plugins/grep/mod.ts";
import { parseReplacement } from "../../plugins/grep/replacement.ts";
import { ToolError } from "../../src/api.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { dataOf, makeToolContext, planAndRun, type TestContext } from "../support/tool_context.ts";

type GrepInput = Parameters<typeof grep.run>[0];
type Contents = Record<string, string | Uint8Array>;

function project(files: Contents, { ripgrep }: { ripgrep: boolean }): Promise<TestContext> {
  return makeToolContext({
    files,
    ...(ripgrep && {
      shell: (cwd) => createShell({ cwd, env: Deno.env.toObject(), logDir: cwd }),
    }),
  });
}

const bytes = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string) =>
  new Uint8Array([0xff, 0xfe, ...[...text].flatMap((c) => [c.charCodeAt(0), 0])]);

/** What a file holds after a replacement in it alone. */
const CASES: [
  what: string,
  before: string | Uint8Array,
  input: GrepInput,
  after: string | Uint8Array,
][] = [
  ["every match of a line", "foo a foo\nbar\n", { pattern: "foo", replace: "x" }, "x a x\nbar\n"],
  ["nothing put in its place", "a foo b\n", { pattern: " foo", replace: "" }, "a b\n"],
  ["groups by number", "ab\n", { pattern: "(a)(b)", replace: "$2${1}$2" }, "bab\n"],
  ["a group before a letter", "foo\n", { pattern: "(f)oo", replace: "$1x ${1}x" }, "fx fx\n"],
  [
    "groups by name",
    "k=v\n",
    { pattern: "(?P<k>\\w)=(?P<v>\\w)", replace: "$v=${k} $<k>" },
    "v=k k\n",
  ],
  ["the whole match", "foo\n", { pattern: "o+", replace: "<$0|$&>" }, "f<oo|oo>\n"],
  ["a doubled dollar", "foo\n", { pattern: "foo", replace: "$$1 $$" }, "$1 $\n"],
  [
    "what names no group",
    "f(1)\n",
    { pattern: "f\\(1\\)", replace: "$user ${x} $1 `${a}`" },
    "$user ${x} $1 `${a}`\n",
  ],
  ["a group that took no part", "b\n", { pattern: "(a)?b", replace: "[$1]" }, "[]\n"],
  [
    "literal text",
    "a.b axb\n",
    { pattern: "a.b", literal_text: true, replace: "$0 $$" },
    "$0 $$ axb\n",
  ],
  [
    "whole words",
    "foo foobar\n",
    { pattern: "foo", whole_words: true, replace: "x" },
    "x foobar\n",
  ],
  [
    "case_sensitive",
    "Foo foo\n",
    { pattern: "foo", case_sensitive: true, replace: "x" },
    "Foo x\n",
  ],
  ["without case", "Foo foo\n", { pattern: "foo", replace: "x" }, "x x\n"],
  ["an anchor", "a\nb\n", { pattern: "^", replace: "// " }, "// a\n// b\n"],
  ["line ends kept", "foo \r\nfoo\r\n", { pattern: "\\s*$", replace: ";" }, "foo;\r\nfoo;\r\n"],
  [
    "new line ends like the file's",
    "a\r\nb\r\n",
    { pattern: "a", replace: "x\ny" },
    "x\r\ny\r\nb\r\n",
  ],
  ["no final newline", "foo", { pattern: "foo", replace: "x" }, "x"],
  ["letters beyond ASCII", "ünï foo 🙂 foo\n", { pattern: "foo", replace: "ö" }, "ünï ö 🙂 ö\n"],
  [
    "a byte order mark",
    bytes("\ufefffoo\n"),
    { pattern: "^foo", replace: "x" },
    bytes("\ufeffx\n"),
  ],
  ["UTF-16", utf16("foo\n"), { pattern: "foo", replace: "bar" }, utf16("bar\n")],
  ["include", "foo\n", { pattern: "foo", replace: "x", include: "*.md" }, "foo\n"],
  ["no match", "foo\n", { pattern: "absent", replace: "x" }, "foo\n"],
  ["what changes nothing", "foo\n", { pattern: "foo", replace: "foo" }, "foo\n"],
  ["a preview", "foo\n", { pattern: "foo", replace: "x", preview_replace: true }, "foo\n"],
];

for (const ripgrep of [true, false]) {
  const by = ripgrep ? "with ripgrep" : "without ripgrep";

  Deno.test(`grep replaces what it finds, ${by}`, async (t) => {
    for (const [what, before, input, after] of CASES) {
      await t.step(what, async () => {
        await using test = await project({ "a.txt": before }, { ripgrep });
        dataOf(await planAndRun(grep, input, { context: test.context }));
        const found = await Deno.readFile(join(test.cwd, "a.txt"));
        assert.deepEqual(found, typeof after === "string" ? bytes(after) : after);
      });
    }
  });

  Deno.test(`grep reports each line before and after, in all files, and undo takes them back at once, ${by}`, async () => {
    const files = {
      "a.txt": "one foo\ntwo\nfoo foo\n",
      "src/b.txt": "no\nfoo b\n",
      "c.txt": "no\n",
    };
    await using test = await project(files, { ripgrep });
    for (const [index, name] of Object.keys(files).entries()) {
      await Deno.utime(join(test.cwd, name), 1_700_000_000 - index, 1_700_000_000 - index);
    }
    const input = { pattern: "foo", replace: "bar" };
    const result = await planAndRun(grep, input, { context: test.context });
    const data = dataOf(result);
    assert.deepEqual(data.replacements, [
      { file: "a.txt", line: 1, before: "one foo", after: "one bar" },
      { file: "a.txt", line: 3, before: "foo foo", after: "bar bar" },
      { file: "src/b.txt", line: 2, before: "foo b", after: "bar b" },
    ]);
    assert.deepEqual(
      [data.total_replacements, data.total_matches, data.files_changed, data.patch_number],
      [4, 3, ["a.txt", "src/b.txt"], 1],
    );
    assert.equal(
      result.ok && result.text,
      "Replaced 4 matches in 2 files\na.txt:\n  Line 1: - one foo\n    + one bar\n" +
        "  Line 3: - foo foo\n    + bar bar\nsrc/b.txt:\n  Line 2: - foo b\n    + bar b",
    );
    await test.workspace.undo();
    assert.equal(await Deno.readTextFile(join(test.cwd, "a.txt")), files["a.txt"]);
    assert.equal(await Deno.readTextFile(join(test.cwd, "src/b.txt")), files["src/b.txt"]);
  });

  Deno.test(`grep leaves out what it cannot replace without loss, and says so, ${by}`, async () => {
    const files = {
      "a.txt": "foo\n",
      "latin.txt": new Uint8Array([...bytes("foo "), 0xe9, 0x0a]),
      "binary.bin": new Uint8Array([...bytes("foo\n"), 0, 1]),
    };
    await using test = await project(files, { ripgrep });
    const input = { pattern: "foo", replace: "bar" };
    const result = await planAndRun(grep, input, { context: test.context });
    assert.deepEqual(dataOf(result).files_changed, ["a.txt"]);
    assert.match(
      result.ok && result.text || "",
      /\n\[not replaced: latin\.txt: its encoding is windows-1252; change it with edit\]$/,
    );
    assert.deepEqual(await Deno.readFile(join(test.cwd, "binary.bin")), files["binary.bin"]);
    assert.deepEqual(await Deno.readFile(join(test.cwd, "latin.txt")), files["latin.txt"]);
  });

  Deno.test(`grep shows max_results replaced lines and replaces all, ${by}`, async () => {
    await using test = await project({ "a.txt": "foo\n".repeat(300) }, { ripgrep });
    const input = { pattern: "foo", replace: "bar", max_results: 2 };
    const data = dataOf(await planAndRun(grep, input, { context: test.context }));
    assert.deepEqual([data.replacements?.length, data.matches.length], [2, 2]);
    assert.equal(data.total_replacements, 300);
    assert.equal(await Deno.readTextFile(join(test.cwd, "a.txt")), "bar\n".repeat(300));
  });

  Deno.test(`grep refuses to replace in too many files or lines, ${by}`, async () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`${i}.txt`, "foo\n"]));
    await using test = await project(many, { ripgrep });
    const refused = (pattern: RegExp) => (error: unknown) => {
      assert.ok(error instanceof ToolError);
      assert.match(error.message, pattern);
      assert.match(error.suggestion ?? "", /Narrow it to at most 200 files/);
      return true;
    };
    const input = { pattern: "foo", replace: "bar" };
    const call = () => planAndRun(grep, input, { context: test.context });
    await assert.rejects(call(), refused(/^Cannot replace: 201 files match/));
    await Deno.writeTextFile(join(test.cwd, "0.txt"), "foo\n".repeat(10_001));
    await assert.rejects(call(), refused(/lines and more match/));
    assert.equal(await Deno.readTextFile(join(test.cwd, "1.txt")), "foo\n");
  });
}

Deno.test("grep refuses to replace in a file that changes while it is searched", async () => {
  await using test = await project({ "a.txt": "foo\n" }, { ripgrep: true });
  const shell = createShell({ cwd: test.cwd, env: Deno.env.toObject(), logDir: test.cwd });
  const racing = {
    ...shell,
    async run(options: Parameters<typeof shell.run>[0]) {
      const result = await shell.run(options);
      await Deno.writeTextFile(join(test.cwd, "a.txt"), "other\n");
      return result;
    },
  };
  const call = planAndRun(grep, { pattern: "foo", replace: "bar" }, {
    context: { ...test.context, shell: racing },
  });
  await assert.rejects(call, /Cannot replace in a\.txt: it is not as it was when searched\./);
  assert.equal(await Deno.readTextFile(join(test.cwd, "a.txt")), "other\n");
});

Deno.test("grep leaves out a file with a match in a line too long to hold", async () => {
  const files = { "long.txt": `${"foo ".repeat(500_000)}\n`, "a.txt": "foo\n" };
  await using test = await project(files, { ripgrep: true });
  const input = { pattern: "foo", replace: "x" };
  const data = dataOf(await planAndRun(grep, input, { context: test.context }));
  assert.deepEqual(data.files_changed, ["a.txt"]);
  assert.deepEqual(data.left_out, [
    { file: "long.txt", why: "a line with a match is too long to be changed" },
  ]);
});

Deno.test("grep tells what a preview would replace, and counts changed files as not read", async () => {
  await using test = await project({ "a.txt": "foo\n" }, { ripgrep: true });
  const preview = { pattern: "foo", replace: "x", preview_replace: true };
  const result = await planAndRun(grep, preview, { context: test.context });
  assert.equal(
    result.ok && result.text,
    "Preview: 1 match in 1 file would be replaced; nothing was changed\na.txt:\n" +
      "  Line 1: - foo\n    + x",
  );
  assert.deepEqual(grep.preview?.(dataOf(result), 3), ["1 match to replace", "a.txt:1: x"]);
  assert.deepEqual(grep.effectsOf?.(preview), ["read"]);
  assert.deepEqual(grep.effectsOf?.({ pattern: "foo" }), ["read"]);
  assert.deepEqual(grep.effectsOf?.({ pattern: "foo", replace: "" }), ["read", "write"]);
  await planAndRun(grep, { pattern: "foo", replace: "x" }, { context: test.context });
  const path = await test.workspace.resolve("a.txt");
  assert.match((await test.workspace.staleness(path))?.message ?? "", /has not been read/);
});

Deno.test("grep refuses to preview a replacement that is not given", async () => {
  await using test = await project({ "a.txt": "foo\n" }, { ripgrep: true });
  const input = { pattern: "foo", preview_replace: true };
  await assert.rejects(planAndRun(grep, input, { context: test.context }), {
    kind: "validation",
    message: "There is nothing to preview: replace is missing.",
  });
});

Deno.test("grep suggests what to try where there is nothing to replace", async () => {
  await using test = await project({ "a.txt": "foo\n" }, { ripgrep: true });
  const input = { pattern: "absent", replace: "x" };
  const result = await planAndRun(grep, input, { context: test.context });
  assert.match(result.ok && result.text || "", /^Found 0 matches\. Try a broader pattern/);
});

Deno.test("grep reports its progress on a long search", async () => {
  await using test = await project({ "a.txt": "foo\n" }, { ripgrep: true });
  const shell = createShell({ cwd: test.cwd, env: Deno.env.toObject(), logDir: test.cwd });
  // A program that prints one match and then searches on, in the place of ripgrep on a slow disk.
  const match =
    '{"type":"begin","data":{"path":{"text":"./a.txt"}}}\n{"type":"match","data":{"path":{"text":"./a.txt"},"lines":{"text":"foo"},"line_number":1,"submatches":[{"start":0,"end":3}]}}\n{"type":"end","data":{"path":{"text":"./a.txt"},"binary_offset":null}}';
  const slow = {
    ...shell,
    run: (options: Parameters<typeof shell.run>[0]) =>
      shell.run({ ...options, command: ["sh", "-c", `echo '${match}'; exec sleep 1.3`] }),
  };
  await grep.run({ pattern: "foo" }, { ...test.context, shell: slow });
  assert.deepEqual(test.reported, ["Searching: 1 match in 1 file so far\n"]);
});

Deno.test("parseReplacement() finds the groups of a pattern, and those only", () => {
  const groups: [pattern: string, text: string, ripgrep: string][] = [
    ["(a)(?:b)(?<n>c)", "$1$2$3$n", "${1}${2}$$3${n}"],
    ["\\(a\\)[(](b)", "$1$2", "${1}$$2"],
    ["[]()](x)(?i)(?=y)", "$1$2", "${1}$$2"],
  ];
  for (const [pattern, text, expected] of groups) {
    const { forRipgrep } = parseReplacement(text, { pattern, literal: false });
    assert.equal(forRipgrep, expected, pattern);
  }
});
