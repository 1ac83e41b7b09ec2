import assert from "node:assert/strict";
import type { FileCheck } from "../../src/core/files.ts";
import { FileChecks } from "../../src/workspace/checks.ts";

const checks = () => new FileChecks();

async function check(
  name: string,
  options: { before?: string | null; after: string | null; checks?: FileChecks },
): Promise<FileCheck | undefined> {
  const { before = null, after, checks = new FileChecks() } = options;
  const path = { absolute: `/w/${name}`, display: name, inside: true };
  const [result] = await checks.run([{ path, before, after }]);
  return result;
}

function places(result: FileCheck | undefined): string[] {
  assert.ok(result, "the file was not checked");
  return result.errors.map(({ line, message }) => `${line}: ${message}`);
}

/** A broken text of each language, with what is said of it. */
const BROKEN: readonly [name: string, text: string, errors: readonly string[]][] = [
  ["a.ts", "foo(1, 2;\nbar();\n", ["1: missing ')' for this '('"]],
  ["a.ts", "const x = ;\n", ["1: unexpected ';'"]],
  ["a.ts", "const a = [1 2];\nconst b = { a: 1 b: 2 };\n", ["1: missing ','", "2: missing ','"]],
  ["a.ts", 'const s = "abc;\nlet y = 1;\n', ["1: this string is never closed"]],
  ["a.ts", "/* open\nlet y = 1;\n", ["1: this comment is never closed"]],
  ["a.ts", "Here is the code:\nlet x = 1;\n", ["1: unexpected 'is'"]],
  [
    "a.ts",
    "<<<<<<< HEAD\nlet a;\n=======\nlet b;\n>>>>>>> x\n",
    [1, 3, 5].map((line) => `${line}: unresolved merge conflict marker`),
  ],
  ["a.tsx", "const a = (\n  <div>\n    <p>x</p>\n);\n", ["2: missing '</div>' for this tag"]],
  ["a.jsx", "const a = <b>\n  x</i>\n</b>;\n", [
    "1: missing '</b>' for this tag",
    "2: unmatched '</i>'",
  ]],
  ["a.js", "const o = {\n  a: 1\n  b: 2,\n};\n", ["2: missing ','"]],
  ["a.mjs", "x.map((y) => {\n  return y;\n};\n", ["1: missing ')' for this '('"]],
  ["a.py", "def hello_world(\n    return 1\n", ["1: missing ')' for this '('"]],
  ["a.py", "def f(x)\n    return 1\n", ["1: missing ':'"]],
  ["a.py", "if x:\n    a()\nelse\n    b()\n", ["3: missing ':'"]],
  ["a.py", "def f(x):\nreturn 1\n", ["1: expected an indented block"]],
  ["a.py", "x = 1\n    y = 2\n", ["2: unexpected indent"]],
  [
    "a.py",
    "def f():\n    a()\n  b()\n",
    ["3: unindent does not match any outer indentation level"],
  ],
  ["a.py", 'x = """abc\ny = 1\n', ["1: this string is never closed"]],
  ["a.py", "x = = 1\n", ["1: unexpected '='"]],
  [
    "a.go",
    "package main\n\nfunc a() {\n\tif x {\n\t\ty()\n\n\tz()\n}\n",
    ["4: missing '}' for this '{', judging by the indentation"],
  ],
  ["a.rs", "fn main() {\n    let x = 1\n    let y = 2;\n}\n", ["2: missing ';'"]],
  ["A.java", "class A {\n  int x = 1\n  int y;\n}\n", ["2: missing ';'"]],
  ["a.c", "int main(void) {\n  int x = 1\n  return x;\n}\n", ["2: missing ';'"]],
  ["a.cpp", "int main() { return f(1; }\n", ["1: missing ')' for this '('"]],
  ["A.cs", "class A {\n  void M() {\n    Foo(;\n  }\n}\n", ["3: missing ')' for this '('"]],
  ["a.php", "<?php\n$x = 1\n$y = 2;\n", ["2: missing ';'"]],
  ["a.rb", "def a\n  x = [1, 2\nend\n", ["2: missing ']' for this '['"]],
  [
    "a.rb",
    "def a\n  x.each do |y|\n    p y\nend\n",
    ["2: missing 'end' for this 'do', judging by the indentation"],
  ],
  ["a.sh", "if true; then\n  echo a\n\necho b\n", ["1: missing 'fi' for this 'if'"]],
  ["a.css", "a { color: red;\nb { x: y }\n", ["1: missing '}' for this '{'"]],
  ["a.html", "<div>\n<span>x\n</div>\n", ["2: missing '</span>' for this tag"]],
  ["a.json", '{\n  "a": 1\n  "b": 2\n}\n', ["2: missing ','"]],
  ["a.json", '{\n  "a": 1,\n}\n', ["2: trailing ',' is not allowed in JSON"]],
  ["a.json", "{ // why\n}\n", ["1: comments are not allowed in JSON"]],
  ["tsconfig.json", '{ // why\n  "a": [1 2],\n}\n', ["2: missing ','"]],
  ["a.yaml", "a:\n  - b\n c\n", ["3: All mapping items must start at the same column"]],
  ["a.toml", "a = 1\nb = \n", ["2: invalid value"]],
];

/** Right texts that naive checks take for wrong. */
const SOUND: readonly [name: string, text: string][] = [
  ["a.ts", "const a = `x ${[1].map((b) => `${b}`)} )`;\nconst r = /[(]/;\n"],
  ["a.tsx", "const f = <T,>(x: T) => <A<T> b={x}><>{x}</></A>;\n"],
  ["a.py", "async def f(): await x\nmatch x:\n    case 1: pass\nif x:\n  a()\nelse:\n      b()\n"],
  ["a.py", "x = [\n1,\n  2]\n# c\nclass A: ...\n"],
  ["a.go", "package main\n\nfunc a() { x := map[string]int{`(`: 1}; _ = x }\n"],
  ["a.rs", "fn main() { let c = '('; println!(\"{}\", c); }\n"],
  ["a.c", "int main(void) { int class = 1; return class; }\n"],
  ["a.rb", "def a\n  return if x\n  while y do z end\n  b = if c then 1 else 2 end\nend\n"],
  ["a.sh", "case $x in\n  a) echo ')' ;;\nesac\ncat <<'EOF'\nif (\nEOF\n"],
  ["a.html", "<ul><li>a<li>b</ul><br><p>1 > 0\n"],
  ["tsconfig.json", '{ // why\n  "a": 1,\n}\n'],
  ["a.yaml", "a: 1\n---\nb: !Ref x\n"],
  ["a.toml", "[a]\nb = 'x'\n"],
  ["empty.json", ""],
];

Deno.test("a broken text is told with the line where a person would look", async (t) => {
  const all = checks();
  for (const [name, after, errors] of BROKEN) {
    await t.step(`${name}: ${JSON.stringify(after)}`, async () => {
      const result = await check(name, { after, checks: all });
      assert.deepEqual(places(result), errors);
      assert.equal(result?.passed, false);
    });
  }
});

Deno.test("a right text passes", async (t) => {
  const all = checks();
  for (const [name, after] of SOUND) {
    await t.step(`${name}: ${JSON.stringify(after)}`, async () => {
      const result = await check(name, { after, checks: all });
      assert.deepEqual(result && { ...result, checker: "" }, {
        checker: "",
        passed: true,
        errors: [],
      });
    });
  }
});

Deno.test("an error has its source and a marker below its place, tabs and long lines included", async () => {
  const long = "a".repeat(300);
  const after = `if (x) {\n\tfoo(y;\n}\nconst ${long} = [1 2];\n`;
  const result = await check("a.ts", { after });
  const [first] = result?.errors ?? [];
  assert.deepEqual(first, {
    line: 2,
    message: "missing ')' for this '('",
    source: "\tfoo(y;",
    marker: "\t   ^",
  });
  const sound = await check("a.ts", { after: after.replace("foo(y;", "foo(y);") });
  const [second] = sound?.errors ?? [];
  assert.equal(second?.line, 4);
  assert.ok((second?.source.length ?? 0) <= 160);
  assert.equal(second?.source.slice((second?.marker.length ?? 0) - 1).slice(0, 4), " 2];");
});

Deno.test("errors that were there before are not told again, wherever they moved", async () => {
  const before = "const x = ;\nlet a = 1;\n";
  const result = await check("a.ts", { before, after: `// new\n\n${before}let b = 2;\n` });
  assert.deepEqual(result, {
    checker: "typescript",
    passed: true,
    errors: [],
    message: "1 error was there before this change.",
  });
});

Deno.test("a new error beside an old one is told alone", async () => {
  const before = "const x = ;\nlet a = 1;\n";
  const result = await check("a.ts", { before, after: `${before}const x = ;\nlet b = [1 2];\n` });
  assert.deepEqual(places(result), ["3: unexpected ';'", "4: missing ','"]);
});

Deno.test("the same mistake made twice is told although it was there once", async () => {
  const result = await check("a.py", { before: "x = = 1\n", after: "x = = 1\nx = = 1\n" });
  assert.equal(result?.errors.length, 1);
});

Deno.test("at most ten errors are told, the rest counted", async () => {
  const after = Array.from({ length: 15 }, (_, i) => `x${i} = = 1\n`).join("");
  const result = await check("a.py", { after });
  assert.equal(result?.errors.length, 10);
  assert.equal(result?.additional_errors, 5);
  assert.equal(result?.message, "Showing 10 of 15 errors. Fix these first.");
});

Deno.test("lines are counted alike with every kind of line end", async () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const after = ["let a = 1;", "foo(1;", "let b = 2;", ""].join(end);
    assert.deepEqual(places(await check("a.ts", { after })), ["2: missing ')' for this '('"]);
  }
});

Deno.test("comments stay allowed in JSON that had some", async () => {
  const before = "// settings\n{}\n";
  const result = await check("settings.json", { before, after: '// settings\n{ "a": 1 }\n' });
  assert.equal(result?.passed, true);
});

Deno.test("nothing is said of C that was not understood before, as with macros", async () => {
  const before = "EXPORT(int) f(void) BEGIN return 1; END\n";
  assert.equal(await check("a.c", { before, after: `${before}int x = ;\n` }), undefined);
});

Deno.test("what no checker knows, deletes, is huge or a template is not checked", async () => {
  assert.equal(await check("a.txt", { after: "(" }), undefined);
  assert.equal(await check("constructor", { after: "(" }), undefined);
  assert.equal(await check("a.ts", { before: "(", after: null }), undefined);
  assert.equal(await check("a.json", { after: "[".repeat(1_000_001) }), undefined);
  assert.equal(await check("a.yaml", { after: "{{- if .x }}\na: 1\n{{- end }}\n" }), undefined);
});

Deno.test("a checker that fails on a text fails neither the change nor the next check", async () => {
  const all = checks();
  assert.equal(await check("a.json", { after: "[".repeat(500_000), checks: all }), undefined);
  assert.equal((await check("a.json", { after: "[]", checks: all }))?.passed, true);
});

Deno.test("files of a commit that come after the time is used up go unchecked", async () => {
  const path = { absolute: "/w/a.json", display: "a.json", inside: true };
  const late = new FileChecks({ timeLimit: -1 });
  assert.deepEqual(await late.run([{ path, before: null, after: "{" }]), [undefined]);
});
