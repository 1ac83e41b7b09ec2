import assert from "node:assert/strict";
import { findMatch } from "../../plugins/edit/match_levels.ts";
import { substitute } from "../../src/lib/match.ts";
import { assertLinear } from "../support/growth.ts";

/** The text after a replacement, and what was overlooked to find the place. */
function replaced(text: string, wanted: string, next: string): [string | undefined, string?] {
  const match = findMatch(text, { wanted, next }, { apart: false });
  if (match === undefined) return [undefined];
  return match.difference === undefined
    ? [substitute(text, match.places)]
    : [substitute(text, match.places), match.difference];
}

function count(text: string, wanted: string, apart = false): number {
  return findMatch(text, { wanted, next: "x" }, { apart })?.places.length ?? 0;
}

const WHITE_SPACE = "white space (indentation)";

Deno.test("climb() finds a text to the letter before anything else", () => {
  assert.deepEqual(replaced("a \na\n", "a\n", "b\n"), ["a \nb\n"]);
  assert.deepEqual(replaced("“a” a", "“a”", "b"), ["b a"]);
});

Deno.test("climb() overlooks line ends, and says so", () => {
  assert.deepEqual(replaced("a\r\nb\r\n", "a\nb", "c\nd\ne"), ["c\r\nd\r\ne\r\n", "line ends"]);
  assert.deepEqual(replaced("a\rb\r", "a\nb", "c"), ["c\r", "line ends"]);
  assert.deepEqual(replaced("a\nb\n", "a\r\nb", "c\r\nd"), ["c\nd\n", "line ends"]);
});

Deno.test("climb() counts places that look alike as two, whatever their line ends", () => {
  assert.equal(count("a\nb\r\na\r\nb\n", "a\nb"), 2);
});

Deno.test("climb() counts places that overlap, unless they shall be apart", () => {
  assert.equal(count("}\n}\n}\n", "}\n}\n"), 2);
  assert.equal(count("}\n}\n}\n", "}\n}\n", true), 1);
  assert.equal(count(" }\n }\n }\n", "\t}\n\t}\n"), 2);
  assert.equal(count(" }\n }\n }\n", "\t}\n\t}\n", true), 1);
});

Deno.test("climb() overlooks blanks at line ends and keeps those of the file", () => {
  const name = "white space (at line ends)";
  assert.deepEqual(replaced("a  \nb\t\nc\n", "a\nb\n", "a\nx\n"), ["a  \nx\t\nc\n", name]);
  assert.deepEqual(replaced("a\nb\nc\n", "a  \nb", "a  \nx"), ["a\nx\nc\n", name]);
  assert.deepEqual(replaced("a  \r\nb\r\n", "a\nb", "a\n1\nb"), ["a  \r\n1\r\nb\r\n", name]);
});

Deno.test("climb() gives new lines the depth that the file has", () => {
  const text = "class A:\n    def f(self):\n        if a:\n            b()\n        c()\n";
  const wanted = "if a:\n    b()\nc()\n";
  const next = "if a:\n    b()\n    if d:\n        e()\nc()\n\nf()\n";
  assert.deepEqual(replaced(text, wanted, next), [
    "class A:\n    def f(self):\n        if a:\n            b()\n            if d:\n" +
    "                e()\n        c()\n\n        f()\n",
    WHITE_SPACE,
  ]);
});

Deno.test("climb() gives new lines the unit that the file has: tabs or so many blanks", () => {
  assert.deepEqual(
    replaced(
      "f {\n\tif (a) {\n\t\tb();\n\t}\n}\n",
      "    if (a) {\n        b();\n    }\n",
      "    if (a) {\n        for (;;) {\n            b();\n        }\n    }\n",
    ),
    ["f {\n\tif (a) {\n\t\tfor (;;) {\n\t\t\tb();\n\t\t}\n\t}\n}\n", WHITE_SPACE],
  );
  assert.deepEqual(
    replaced("f {\n  a();\n}\n", "\ta();", "\ta(() => {\n\t\tb();\n\t});"),
    ["f {\n  a(() => {\n    b();\n  });\n}\n", WHITE_SPACE],
  );
});

Deno.test("climb() takes depth away where new lines are less deep than the wanted ones", () => {
  assert.deepEqual(
    replaced("f {\n\t\ta();\n\t\tb();\n}\n", "        a();\n", "    g {\n        a();\n    }\n"),
    ["f {\n\tg {\n\t\ta();\n\t}\n\t\tb();\n}\n", WHITE_SPACE],
  );
});

Deno.test("climb() keeps line ends and the missing final newline of whole lines", () => {
  assert.deepEqual(
    replaced("a\r\n\tb\r\n\tc", "  b\n  c\n", "  x\n  y\n"),
    ["a\r\n\tx\r\n\ty", WHITE_SPACE],
  );
  assert.deepEqual(replaced("a\n\tb\n\tc\n", "  b\n", ""), ["a\n\tc\n", WHITE_SPACE]);
  assert.deepEqual(replaced("a\n\tb\n\tc\n", "  b", ""), ["a\n\n\tc\n", WHITE_SPACE]);
});

Deno.test("climb() refuses lines whose indentation has another structure", () => {
  assert.deepEqual(replaced("if a:\n  b()\n  c()\n", "if a:\n    b()\nc()\n", "x"), [undefined]);
  assert.deepEqual(replaced("a\n  b\n", "    a\n  b\n", "x"), [undefined]);
  assert.deepEqual(replaced("a b\n", "a\n", "x"), [undefined]);
});

Deno.test("climb() overlooks typographic characters and keeps those of unchanged parts", () => {
  const name = "typographic quotes or dashes";
  assert.deepEqual(
    replaced("say “it’s” 1–2\n", `say "it's" 1-2`, `say "it's" 1-3`),
    ["say “it’s” 1–3\n", name],
  );
  assert.deepEqual(replaced(`"a"\r\nb\r\n`, "“a”\nb", "“c”\nb"), [`"c"\r\nb\r\n`, name]);
  assert.deepEqual(replaced("a\u00a0b", "a b", "a c"), ["a\u00a0c", name]);
});

Deno.test("climb() never overlooks case, blanks within a line or spelling", () => {
  for (const wanted of ["Let a = 1;", "let  a = 1;", "let a = l;", "let a=1;"]) {
    assert.deepEqual(replaced("let a = 1;\n", wanted, "x"), [undefined]);
  }
});

Deno.test("climb() searches large and monotonous texts in linear time", async () => {
  const line = (index: number) => `const value${index} = compute(${index});\t\r\n`;
  const large = (lines: number) =>
    Array.from({ length: lines }, (_, index) => line(index)).join("");
  const misses = (text: string, wanted: string) =>
    assert.deepEqual(replaced(text, wanted, "x"), [undefined]);
  await assertLinear((size) => misses(large(size), "not there"), { size: 50_000 });
  await assertLinear((size) => misses(" ".repeat(size), "\ta\n"), { size: 500_000 });
  await assertLinear((size) => misses("}\n".repeat(size), "}\n}\na\n"), { size: 50_000 });
});
