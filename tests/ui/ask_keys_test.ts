/**
 * What answers a question and what does not, and what may be done before it is answered.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Answer } from "../../src/core/permission.ts";
import type { EditResult } from "../../src/ui/edited_line.ts";
import { BASH, EDIT, EXTREME, never, stage } from "../support/ask_stage.ts";

Deno.test("the arrow keys say for how long Always holds, and w takes what is shown", async () => {
  const { terminal, ask } = stage();
  const answers = ask([BASH], never());
  await terminal.shown("❯ Deny (d");
  terminal.type("\x1b[A");
  assert.match(
    terminal.screen,
    /❯ Always allow run=deno test in this project \(w, 2, ←\/→ for how long\)/,
  );
  terminal.type("\x1b[C");
  await terminal.shown("in this session (w");
  terminal.type("\x1b[C");
  await terminal.shown("everywhere (w");
  terminal.type("\x1b[C");
  await terminal.shown("in this project (w");
  terminal.type("\x1b[D");
  await terminal.shown("everywhere (w");
  terminal.type("w");
  assert.deepEqual(await answers, [{ kind: "always", scope: "user", breadth: "exact" }]);
});

Deno.test("a paste, a burst of keys and the terminal's own answers do not answer", async () => {
  const { terminal, ask } = stage();
  const answers = ask([BASH], never());
  await terminal.shown("❯ Deny (d");
  for (
    const text of [
      "\x1b[200~a\raaa\r\x1b[201~",
      "\x1b[200~half of a pas",
      "te\ra\x1b[201~",
      "allow\r",
      "aa",
      "\x1b[?62;22c",
      "\x1b[24;80R",
      "\x1b]11;rgb:aaaa/aaaa/aaaa\x07",
      "\x1bP>|awaw",
      "aaa\x1b\\",
      "\x9b1;1R",
      "\x1b[I",
      "\x1ba",
    ]
  ) {
    terminal.type(text);
    assert.match(terminal.screen, /❯ Deny \(d, \d\)/, JSON.stringify(text));
  }
  terminal.type("a");
  assert.deepEqual(await answers, [{ kind: "allow" }]);
});

Deno.test("keys of the first moment are none of the question's, until Esc or an arrow key turns to it", async () => {
  const { terminal, ask } = stage();
  const answers = ask([BASH], never());
  await terminal.shown("  Deny (d");
  for (const key of ["a", "\r", "\x1b[A", "a", "\x1b[A\r", "\x1b[A", "\r"]) {
    terminal.type(key);
    await Promise.resolve();
    assert.equal(terminal.screen.includes("❯"), false);
  }
  assert.match(terminal.screen, /Allow bash\?[^]*To answer, press Esc or an arrow key first/);
  terminal.type("\x1b[A");
  await terminal.shown("❯ Deny (d");
  terminal.type("\r");
  assert.deepEqual(await answers, [{ kind: "deny" }]);
});

Deno.test("a sub-agent's question says whose it is", async () => {
  const { terminal, ask } = stage();
  const agent = { id: "a2", name: "explorer\x1b[2J", depth: 1 };
  const answers = ask([{ ...BASH, agent }], never());
  await terminal.shown("explorer asks: Allow bash?");
  terminal.type("\x03");
  assert.deepEqual(await answers, [{ kind: "deny" }]);
});

Deno.test("Ctrl+C in a question is told to whoever counts them", async () => {
  let presses = 0;
  const { terminal, ask } = stage({ onInterrupt: () => presses++ });
  const answers = ask([BASH], never());
  await terminal.shown("Allow bash?");
  terminal.type("\x03");
  assert.deepEqual(await answers, [{ kind: "deny" }]);
  assert.equal(presses, 1);
});

Deno.test("a resize in the middle of a question draws it anew, and it can be answered", async () => {
  const { terminal, ask } = stage();
  const answers = ask([BASH], never());
  await terminal.shown("❯ Deny (d");
  for (const [columns, rows] of [[30, 10], [20, 5], [1, 1], [100, 30]] as const) {
    terminal.resize(columns, rows);
  }
  await terminal.shown("❯ Deny (d");
  terminal.type("a");
  assert.deepEqual(await answers, [{ kind: "allow" }]);
});

Deno.test("a question that was taller than the screen still says what is asked after a resize", async () => {
  const command = `npm install ${Array.from({ length: 20 }, (_, n) => `package-${n}`).join(" ")}`;
  const { terminal, ask } = stage();
  terminal.resize(40, 20);
  const answers = ask([{ ...BASH, description: command }], never());
  await terminal.shown("❯ Deny (d");
  const live = () => terminal.screen.slice(terminal.screen.lastIndexOf("Allow bash?"));
  for (const [columns, rows] of [[25, 12], [90, 12], [90, 40]] as const) {
    terminal.resize(columns, rows);
    await delay(terminal.settlesInMs + 50);
    await terminal.shown("Deny");
    assert.match(live(), /^Allow bash\?\s+npm install/, `${columns}x${rows}`);
    const height = live().split("\n").length;
    if (columns > 25) assert.ok(height <= rows, `${height} rows at ${columns}x${rows}`);
  }
  assert.match(live(), /package-19/);
  terminal.type("a");
  assert.deepEqual(await answers, [{ kind: "allow" }]);
});

Deno.test("nothing can be edited where there is no editor", async () => {
  const { terminal, ask } = stage();
  const editable = { kind: "command", text: "deno test", suffix: ".sh" } as const;
  const answers = ask([{ ...BASH, editable }], never());
  await terminal.shown("❯ Deny (d");
  assert.doesNotMatch(terminal.screen, /Edit command/);
  terminal.type("a");
  assert.deepEqual(await answers, [{ kind: "allow" }]);
});

Deno.test("an edited draft is the answer; one that stays as it was leads back to the question", async () => {
  const edits: EditResult[] = [
    { kind: "unchanged", why: "The editor (x) ended with code 1; nothing was edited." },
    { kind: "text", text: "deno test a" },
  ];
  const paused: boolean[] = [];
  const { terminal, ask } = stage({
    edit() {
      paused.push(terminal.paused);
      return Promise.resolve(edits.shift()!);
    },
  });
  const editable = { kind: "command", text: "deno test", suffix: ".sh" } as const;
  const answers = ask([{ ...BASH, editable }], never());
  await terminal.shown("❯ Deny (d");
  terminal.type("e");
  await terminal.shown("! The editor (x) ended with code 1");
  await terminal.shown("❯ Deny (d");
  assert.equal(terminal.paused, false);
  terminal.type("e");
  assert.deepEqual(await answers, [{ kind: "edit", text: "deno test a" }]);
  assert.deepEqual(paused, [true, true]);
});

Deno.test("what the preview left out can be viewed before answering", async () => {
  const { terminal, ask } = stage();
  const content = Array.from({ length: 60 }, (_, n) => `line ${n}`).join("\n");
  const previews = [{ kind: "new_file", path: "a.txt", content }] as const;
  const answers = ask([{ ...EDIT, previews }], never());
  await terminal.shown("❯ Deny (d");
  assert.equal(terminal.screen.includes("line 30"), false);
  terminal.type("v");
  await terminal.shown("line 59");
  assert.match(terminal.screen, /line 30/);
  await terminal.shown("❯ Deny (d");
  assert.equal(terminal.screen.includes("View the whole"), false);
  terminal.type("a");
  assert.deepEqual(await answers, [{ kind: "allow" }]);
});

Deno.test("without a UTF-8 locale every letter of a command can be told from another", async () => {
  const { terminal, ask } = stage({ unicode: false });
  const previews = [{ kind: "command", command: "rm fi\u0142e", cwd: "/" }] as const;
  const answers = ask(
    [{ ...EXTREME, previews, agent: { ...BASH.agent, depth: 1 } }, EDIT],
    never(),
  );
  await terminal.shown("> Deny all (d");
  assert.match(terminal.screen, /rm fi\\u0142e/);
  terminal.type("d");
  await answers;
});

const CONTENT = { kind: "content", text: "a", suffix: ".ts", name: "src/a.ts" } as const;
const FILES = [{ text: "b", suffix: ".ts", name: "src/b.ts" }, {
  text: "c",
  suffix: "",
  name: "c",
}];

const FILE_ROWS: readonly {
  readonly edits: readonly EditResult[];
  readonly answer: Answer;
  readonly edited: readonly string[];
}[] = [
  {
    edits: [
      { kind: "text", text: "one" },
      { kind: "unchanged", why: "Nothing was edited." },
      { kind: "text", text: "three" },
    ],
    answer: { kind: "edit", text: "one", others: ["b", "three"] },
    edited: ["a", "b", "c"],
  },
  {
    edits: [
      { kind: "text", text: "one" },
      { kind: "unchanged", why: "The editor ended with code 1.", stops: true },
    ],
    answer: { kind: "edit", text: "one", others: ["b", "c"] },
    edited: ["a", "b"],
  },
];

for (const { edits, answer, edited } of FILE_ROWS) {
  Deno.test(`several files are edited one after another: ${edited.join(", ")}`, async () => {
    const left = [...edits];
    const seen: string[] = [];
    const { terminal, ask } = stage({
      edit({ text }) {
        seen.push(text);
        return Promise.resolve(left.shift()!);
      },
    });
    const answers = ask([{ ...EDIT, editable: { ...CONTENT, others: FILES } }], never());
    await terminal.shown("❯ Deny (d");
    terminal.type("e");
    assert.deepEqual(await answers, [answer]);
    assert.deepEqual(seen, edited);
    assert.match(terminal.screen, /Editing src\/a\.ts \(1 of 3\)\nEditing src\/b\.ts \(2 of 3\)/);
  });
}

Deno.test("several files that nobody changed lead back to the question", async () => {
  const { terminal, ask } = stage({
    edit: () => Promise.resolve({ kind: "unchanged", why: "Nothing was edited." }),
  });
  const answers = ask([{ ...EDIT, editable: { ...CONTENT, others: FILES } }], never());
  await terminal.shown("❯ Deny (d");
  terminal.type("e");
  await terminal.shown(/Nothing was edited\.[^]*❯ Deny \(d, \d\)/);
  terminal.type("d");
  assert.deepEqual(await answers, [{ kind: "deny" }]);
});
