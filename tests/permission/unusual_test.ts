/**
 * What a question marks of a call: where it reaches, as it was judged, and what of its text could be overlooked.
 */
import assert from "node:assert/strict";
import type { Access, Preview, Verdict } from "../../src/core/permission.ts";
import { Policy } from "../../src/permission/policy.ts";
import { findUnusual } from "../../src/permission/unusual.ts";
import { textPathFacts } from "../support/path_facts.ts";

const VERDICT: Verdict = { decision: "ask", risk: "sensitive", why: "changes a file" };

function inPreviews(...previews: Preview[]): string[] {
  return findUnusual({ accesses: [], verdict: VERDICT, previews });
}

async function inCommand(target: string, sandboxed: boolean): Promise<string[]> {
  const policy = new Policy({
    rules: { allow: {}, deny: {}, allowAll: false },
    interactive: true,
    pathFacts: textPathFacts({}),
    sandboxed: () => sandboxed,
  });
  const accesses: Access[] = [{ kind: "run", target }];
  const previews: Preview[] = [{ kind: "command", command: target, cwd: "/w" }];
  return findUnusual({ accesses, verdict: await policy.judge(accesses), previews });
}

const COMMANDS: readonly (readonly [command: string, found: readonly string[]])[] = [
  ["make", []],
  ["cat /etc/hosts > a", ["reads outside the workspace: /etc/hosts"]],
  ["npm install", ["with the network"]],
  ["cat > a <<EOF\none\ntwo\nEOF", ["a here-document EOF (2 lines)"]],
  ["cat > a <<-'X'\n\tone\n\tX", ["a here-document X (1 line)"]],
  ["echo '<<EOF' > a", []],
  ["touch a \\ \nb", ["blanks before the line end on line 1"]],
];

for (const [text, found] of COMMANDS) {
  for (const sandboxed of [true, false]) {
    const where = sandboxed ? "in the sandbox" : "without a sandbox";
    Deno.test(`${JSON.stringify(text)} ${where} marks ${found.join("; ") || "nothing"}`, async () => {
      assert.deepEqual(await inCommand(text, sandboxed), found);
    });
  }
}

Deno.test("the network of a part of a command is marked where the sandbox gives it", async () => {
  const command = "make && curl https://example.com";
  assert.deepEqual(await inCommand(command, true), ["with the network"]);
});

Deno.test("a file outside is named as its call names it", () => {
  const access: Access = { kind: "write", target: "/x/b", display: "../x/b", inside: false };
  assert.deepEqual(findUnusual({ accesses: [access], verdict: VERDICT, previews: [] }), [
    "writes outside the workspace: ../x/b",
  ]);
});

Deno.test("a host is marked, the tool of a server that may be local is not", () => {
  const ofNet = (target: string) =>
    findUnusual({ accesses: [{ kind: "net", target }], verdict: VERDICT, previews: [] });
  assert.deepEqual(ofNet("example.com"), ["with the network"]);
  assert.deepEqual(ofNet("mcp:server/tool"), []);
});

Deno.test("what is unusual in a file is told with its path and line, in its name by itself", () => {
  assert.deepEqual(
    inPreviews(
      { kind: "new_file", path: "a.ts", content: "one\ntwo\u202e\n" },
      { kind: "diff", path: "b.ts", diff: "@@ -1 +1 @@\n-a\n+a\u200b" },
      { kind: "deleted_file", path: "c\u200b.ts", lines: 1 },
    ),
    [
      "a.ts: a right-to-left override (\\u202e) on line 2",
      "b.ts: a zero-width space (\\u200b) on line 1",
      "the name c\u200b.ts: a zero-width space (\\u200b)",
    ],
  );
});

Deno.test("of very many findings the first are told, and how many more there are", () => {
  const content = Array.from({ length: 20 }, (_, n) => `${String.fromCodePoint(0xe0021 + n)}\n`);
  const found = inPreviews({ kind: "new_file", path: "a", content: content.join("") });
  assert.equal(found.length, 9);
  assert.equal(found.at(-1), "and 12 more");
});
