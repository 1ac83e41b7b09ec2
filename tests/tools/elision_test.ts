import assert from "node:assert/strict";
import { findElision } from "../../src/tools/elision.ts";
import { assertLinear } from "../support/growth.ts";

const ELIDED = [
  "// ... rest unchanged",
  "  // ... rest of the code ...",
  "# ... existing code ...",
  "<!-- ... -->",
  "<!-- ... existing markup ... -->",
  "/* ... */",
  "// ...",
  "// …",
  "{/* ... other components ... */}",
  "-- ... (remaining columns unchanged)",
  "// rest of the file remains unchanged",
  "// Rest of code stays the same...",
  "# existing code here",
  "// existing imports ...",
  "// remaining methods unchanged",
  "function f() { /* ... unchanged ... */ }",
  "... rest of the file ...",
  "[... existing code ...]",
  "// ... keep existing code",
  "//... (other methods)",
  "// [... unchanged ...]",
  "// ... imports ...",
  "# ... existing ...",
  "// ... keep everything else",
  "// Everything else stays the same",
  "# Code omitted for brevity.",
];

const LITERAL = [
  "const all = [...rest];",
  "...rest",
  "  ...existing,",
  "...rest of(x)",
  "    ...",
  "def f(): ...",
  "// Loading existing users...",
  "// ... and then it is closed",
  "// the rest is sent later",
  "// ...but only if the text is long",
  "see http://... for more",
  "glob('src/...')",
  "function f(...args) {}",
  "// Existing files are kept.",
  "// Everything else is an error.",
  "// ... or the imports are wrong",
  "print('working...')  # shows progress ...",
  "# Unchanged files are skipped",
  "* ... */",
  "Wait ... what?",
  "#!/bin/sh",
  "// The same code as above handles dates.",
];

for (const line of ELIDED) {
  Deno.test(`findElision() finds: ${line.trim()}`, () => {
    assert.deepEqual(findElision(`a\r\n${line}\nb`, ""), { line: 2, text: line.trim() });
  });
}

for (const line of LITERAL) {
  Deno.test(`findElision() takes literally: ${line.trim()}`, () => {
    assert.equal(findElision(line, ""), undefined);
  });
}

Deno.test("findElision() allows a line that the text to replace has, however indented", () => {
  assert.equal(findElision("a\n    // ...\n", "x\n\t// ...\r\n"), undefined);
  assert.equal(findElision("// ...\n// ... rest unchanged", "// ...")?.line, 2);
});

Deno.test("findElision() passes over fenced examples, and no further", () => {
  const fenced = "Text\n```ts\n// ...\n```\n";
  assert.equal(findElision(fenced, ""), undefined);
  assert.equal(findElision(`${fenced}<!-- ... -->`, "")?.line, 5);
});

Deno.test("findElision() looks at many, long and odd lines in linear time", async () => {
  const line = `// ${"the all existing ".repeat(9)}x\n`;
  await assertLinear((size) => findElision(line.repeat(size), ""), { size: 5_000 });
  await assertLinear((size) => findElision("#".repeat(size) + " ".repeat(size), ""), {
    size: 1_000_000,
  });
});
