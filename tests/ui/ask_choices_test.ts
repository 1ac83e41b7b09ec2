/**
 * Every way to answer a question: numbers beside letters, keys that do nothing, words that survive Escape, and a look
 * at all of it.
 */
import assert from "node:assert/strict";
import type { Answer, PermissionRequest } from "../../src/core/permission.ts";
import { BASH, EDIT, never, stage } from "../support/ask_stage.ts";

const HINT = /Press a letter in brackets, a number, or arrows and Enter\./;
const ALL_EDITS: PermissionRequest = {
  ...EDIT,
  offers: [
    { breadth: "exact", text: "write=src/a.ts" },
    {
      breadth: "kind",
      text: "all edits of files in the workspace",
      scopes: ["turn", "session", "project", "user"],
    },
  ],
};
const always = (scope: "turn" | "session" | "project", breadth: "exact" | "kind"): Answer => ({
  kind: "always",
  scope,
  breadth,
});

const KEYS: readonly (readonly [keys: readonly string[], answer: Answer])[] = [
  [["1"], { kind: "allow" }],
  [["a"], { kind: "allow" }],
  [["A"], { kind: "allow" }],
  [["2"], always("project", "exact")],
  [["3"], always("turn", "kind")],
  [["s"], always("turn", "kind")],
  [["4"], { kind: "deny" }],
  [["\x1b[Z"], always("session", "kind")],
  [["\x1b[A", "\x1b[C", "\r"], always("session", "kind")],
  [["\x1b[A", "\x1b[C", "3"], always("session", "kind")],
  [["\r"], { kind: "deny" }],
  [["\x1b"], { kind: "deny" }],
  [["\x03"], { kind: "deny" }],
];

for (const [keys, answer] of KEYS) {
  Deno.test(`${JSON.stringify(keys)} answers ${JSON.stringify(answer)}`, async () => {
    const { terminal, ask } = stage();
    const answers = ask([ALL_EDITS], never());
    await terminal.shown("❯ Deny (d, 4)");
    for (const key of keys) {
      terminal.type(key);
      await Promise.resolve();
    }
    assert.deepEqual(await answers, [answer]);
  });
}

for (const key of ["x", "9", "0", " ", "é", "\x1b[15~", "\x1b[D", "\x01"]) {
  Deno.test(`${JSON.stringify(key)} is told what answers, until another key is pressed`, async () => {
    const { terminal, ask } = stage();
    const answers = ask([BASH], never());
    await terminal.shown("❯ Deny (d, 3)");
    assert.doesNotMatch(terminal.screen, HINT);
    terminal.type(key);
    await terminal.shown(HINT);
    terminal.type("\x1b[B");
    await terminal.shown("❯ Deny and say");
    assert.doesNotMatch(terminal.screen, HINT);
    terminal.type("a");
    assert.deepEqual(await answers, [{ kind: "allow" }]);
  });
}

Deno.test("without all edits to allow, Shift+Tab moves up as in a list", async () => {
  const { terminal, ask } = stage();
  const answers = ask([BASH], never());
  await terminal.shown("❯ Deny (d, 3)");
  terminal.type("\x1b[Z");
  await terminal.shown("❯ Always allow");
  terminal.type("d");
  assert.deepEqual(await answers, [{ kind: "deny" }]);
});

Deno.test("where nothing can be redrawn, numbers answer and an unknown key is told what does", async () => {
  const { terminal, ask } = stage({ canRedraw: false });
  const answers = ask([BASH], never());
  await terminal.shown(/\[a\/w\/d\/i\]$/);
  await terminal.shown(/Deny \(d, 3\)/);
  terminal.type("x\n");
  await terminal.shown(/Press one of these keys\. \[a\/w\/d\/i\]$/);
  terminal.type("1\n");
  assert.deepEqual(await answers, [{ kind: "allow" }]);
});

Deno.test("words that say what to do instead survive Escape and can be sent later", async () => {
  const { terminal, ask } = stage();
  const answers = ask([BASH], never());
  await terminal.shown("❯ Deny (d, 3)");
  terminal.type("i");
  await terminal.shown(/What to do instead\?\n›[^]*Esc goes back to the answers/);
  terminal.type("use make");
  await terminal.shown("› use make");
  terminal.type("\x1b");
  await terminal.shown(
    /❯ Deny \(d, 3\)\n {2}Deny and say what to do instead \(i, 4\)\n {4}use make/,
  );
  terminal.type("4");
  await terminal.shown("› use make");
  terminal.type(" test");
  terminal.type("\r");
  assert.deepEqual(await answers, [{ kind: "instead", text: "use make test" }]);
});

Deno.test("after Escape from the words another answer can be given; Ctrl+C in them denies", async () => {
  for (
    const [keys, answer] of [
      [["\x1b", "a"], { kind: "allow" }],
      [["\x03", "\x03"], { kind: "deny" }],
    ] as const
  ) {
    const { terminal, ask } = stage();
    const answers = ask([BASH], never());
    await terminal.shown("❯ Deny (d, 3)");
    terminal.type("i");
    await terminal.shown("What to do instead?\n›");
    terminal.type("use");
    await terminal.shown("› use");
    terminal.type(keys[0]);
    if (keys[0] === "\x1b") await terminal.shown("❯ Deny (d");
    terminal.type(keys[1]);
    assert.deepEqual(await answers, [answer]);
  }
});

const newFile = (path: string, lines: number): PermissionRequest => ({
  ...EDIT,
  callId: path,
  tool: "write",
  description: path,
  previews: [{
    kind: "new_file",
    path,
    content: Array.from({ length: lines }, (_, n) => `${path} ${n}\n`).join(""),
  }],
});

Deno.test("several calls are a numbered list with counts and marks, and each can be viewed whole", async () => {
  const { terminal, ask } = stage({ rows: 60 });
  const second = { ...newFile("b.ts", 2), unusual: ["b.ts: a bell (\\x07) on line 1"] };
  const third = { ...EDIT, previews: [{ kind: "diff", path: "c.ts", diff: DIFF }] } as const;
  const answers = ask([newFile("a.ts", 40), second, third], never());
  await terminal.shown("❯ Deny all (d");
  assert.match(terminal.screen, /1\. write a\.ts \+40 -0[^]*2\. write b\.ts \+2 -0/);
  assert.match(terminal.screen, /! b\.ts: a bell[^]*3\. edit src\/a\.ts \+2 -1/);
  assert.match(terminal.screen, /View the whole \(v, 5\)/);
  terminal.type("v");
  await terminal.shown(/1 of 3: write a\.ts[^]*a\.ts 39[^]*2 of 3: write b\.ts[^]*b\.ts 1/);
  await terminal.shown(/3 of 3: edit src\/a\.ts[^]*❯ Deny all/);
  terminal.type("1");
  const allow = { kind: "allow" };
  assert.deepEqual(await answers, [allow, allow, allow]);
});

const DIFF = "--- a/c.ts\n+++ b/c.ts\n@@ -1 +1,2 @@\n-one\n+two\n+three\n";

Deno.test("one by one each change can be viewed, in a pager where there is one", async () => {
  const paged: (readonly string[])[] = [];
  const { terminal, ask } = stage({
    page: (lines) => {
      paged.push(lines);
      return Promise.resolve();
    },
  });
  const answers = ask([newFile("a.ts", 2), newFile("b.ts", 2)], never());
  await terminal.shown("❯ Deny all (d");
  terminal.type("c");
  await terminal.shown(/\(1 of 2\)[^]*View the whole[^]*$/);
  await terminal.shown("❯ Deny (d");
  for (const count of [1, 2]) {
    terminal.type("v");
    await terminal.shown("❯ Deny (d");
    assert.equal(paged.length, count);
    assert.match(paged[count - 1]!.join("\n"), /a\.ts 0[^]*a\.ts 1/);
    assert.equal(terminal.paused, false);
  }
  terminal.type("a");
  await terminal.shown(/\(2 of 2\)[^]*❯ Deny \(d/);
  terminal.type("d");
  assert.deepEqual(await answers, [{ kind: "allow" }, { kind: "deny" }]);
});
