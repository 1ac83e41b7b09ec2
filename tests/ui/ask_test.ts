import assert from "node:assert/strict";
import { watchKeys } from "../../src/ui/keys.ts";
import { BASH, EDIT, EXTREME, never, stage } from "../support/ask_stage.ts";

Deno.test("a letter answers at once and leaves one line behind", async () => {
  for (
    const [key, kind, line] of [
      ["a", "allow", "✓ Allowed bash deno test"],
      ["w", "always", "✓ Always in this project: run=deno test"],
      ["d", "deny", "⊘ Denied bash deno test"],
      ["A", "allow", "✓ Allowed bash deno test"],
    ] as const
  ) {
    const { terminal, seen, ask } = stage();
    const answers = ask([BASH], never());
    await terminal.shown("❯ Deny (d");
    assert.match(terminal.screen, /Allow bash\?\n {2}deno test\n {2}runs a program/);
    assert.match(terminal.screen, /Always allow run=deno test in this project \(w, 2\)/);
    terminal.type(key);
    assert.deepEqual(await answers, [
      kind === "always" ? { kind, scope: "project", breadth: "exact" } : { kind },
    ]);
    assert.equal(terminal.screen, line);
    assert.deepEqual(seen, { suspended: 1, resumed: 1 });
    assert.equal(terminal.raw, false);
    assert.equal(terminal.cursorShown, true);
  }
});

Deno.test("Enter alone, Escape, Ctrl+C and the end of input deny", async () => {
  for (const act of ["\r", "\x1b", "\x03", undefined]) {
    const { terminal, ask } = stage();
    const answers = ask([BASH], never());
    await terminal.shown("❯ Deny (d");
    if (act === undefined) terminal.end();
    else terminal.type(act);
    assert.deepEqual(await answers, [{ kind: "deny" }]);
    assert.equal(terminal.screen, "⊘ Denied bash deno test");
  }
});

Deno.test("arrows move and Enter confirms", async () => {
  const { terminal, ask } = stage();
  const answers = ask([BASH], never());
  await terminal.shown("❯ Deny (d");
  terminal.type("\x1b[A");
  await terminal.shown("❯ Always allow");
  terminal.type("\x1b[A");
  await terminal.shown("❯ Allow (a, 1)");
  terminal.type("\r");
  assert.deepEqual(await answers, [{ kind: "allow" }]);
});

Deno.test("what was typed before the question appeared does not answer it, nor does what follows", async () => {
  const { terminal, ask } = stage();
  terminal.type("aaa\r");
  const answers = ask([BASH], never());
  terminal.type("w\r");
  await terminal.shown("To answer, press Esc or an arrow key first.");
  assert.match(terminal.screen, /Allow bash\?/);
  terminal.type("a");
  terminal.type("\r");
  assert.doesNotMatch(terminal.screen, /Allowed|Denied/);
  terminal.type("\x1b[B");
  await terminal.shown("❯ Deny (d");
  terminal.type("\r");
  assert.deepEqual(await answers, [{ kind: "deny" }]);
});

Deno.test("a line that is being typed goes on through a question, which takes letters after Esc or an arrow", async () => {
  for (const turn of ["\x1b", "\x1b[A"]) {
    const { terminal, ask } = stage();
    const lines: string[] = [];
    const watch = watchKeys(terminal, {
      onInterrupt() {},
      onLine: (line) => lines.push(line) > 0,
    });
    terminal.type("and");
    await terminal.shown("");
    const answers = ask([BASH], never());
    await terminal.shown(/You were typing.*\n› and$/);
    for (const key of " allow a") terminal.type(key);
    terminal.type("\x1b[200~ll\x1b[201~");
    await terminal.shown(/\n› and allow all$/);
    terminal.type("\r");
    terminal.type("d");
    terminal.type(turn);
    await terminal.shown("❯ Deny (d");
    assert.deepEqual([lines, watch.text], [["and allow all"], "d"]);
    terminal.type("a");
    assert.deepEqual(await answers, [{ kind: "allow" }]);
    watch.release();
  }
});

Deno.test("of keys that come at once with the one that turns to a question, the line keeps the words", async () => {
  const { terminal, ask } = stage();
  const lines: string[] = [];
  const watch = watchKeys(terminal, { onInterrupt() {}, onLine: (line) => lines.push(line) > 0 });
  terminal.type("and");
  await terminal.shown("");
  const answers = ask([BASH], never());
  await terminal.shown(/You were typing.*\n› and$/);
  terminal.type("\x1b[A\r then\x1b[A");
  await terminal.shown(/\n› and then$/);
  terminal.type("\x1b[A\x1b[A");
  await terminal.shown("❯ Deny (d");
  assert.deepEqual(lines, []);
  terminal.type("a");
  assert.deepEqual(await answers, [{ kind: "allow" }]);
  watch.release();
});

Deno.test("a key of a moment ago means that a line is being typed, though it is gone", async () => {
  const { terminal, ask } = stage();
  const watch = watchKeys(terminal, { onInterrupt() {} });
  terminal.type("a\x7f");
  await terminal.shown("");
  const answers = ask([BASH], never());
  await terminal.shown("You were typing");
  terminal.type("a");
  terminal.type("\x03");
  assert.deepEqual(await answers, [{ kind: "deny" }]);
  watch.release();
});

Deno.test("an Enter that sends nothing is no line being typed", async () => {
  const { terminal, ask } = stage();
  const watch = watchKeys(terminal, { onInterrupt() {} });
  terminal.type("\r");
  await terminal.shown("");
  const answers = ask([BASH], never());
  await terminal.shown("❯ Deny (d");
  assert.doesNotMatch(terminal.screen, /You were typing/);
  terminal.type("a");
  assert.deepEqual(await answers, [{ kind: "allow" }]);
  watch.release();
});

Deno.test("a line that is gone and gets no more keys leaves the keys to the question", async () => {
  const { terminal, ask } = stage();
  const watch = watchKeys(terminal, { onInterrupt() {} });
  terminal.type("a\x7f");
  await terminal.shown("");
  const answers = ask([BASH], never());
  await terminal.shown("You were typing");
  terminal.type("\r");
  await terminal.shown("❯ Deny (d");
  assert.doesNotMatch(terminal.screen, /You were typing/);
  terminal.type("a");
  assert.deepEqual(await answers, [{ kind: "allow" }]);
  watch.release();
});

Deno.test("an aborted signal denies, before the question and during it", async () => {
  const early = stage();
  assert.deepEqual(await early.ask([BASH], AbortSignal.abort()), [{ kind: "deny" }]);
  assert.equal(early.terminal.screen, "");
  const { terminal, ask } = stage();
  const abort = new AbortController();
  const answers = ask([BASH], abort.signal);
  await terminal.shown("❯ Deny (d");
  abort.abort();
  assert.deepEqual(await answers, [{ kind: "deny" }]);
  assert.equal(terminal.screen, "⊘ Denied bash deno test");
});

Deno.test("an extremely sensitive call is marked and has no Always", async () => {
  const { terminal, ask } = stage();
  const answers = ask([EXTREME], never());
  await terminal.shown("❯ Deny (d");
  assert.match(terminal.screen, /! Extremely sensitive: deletes files/);
  assert.equal(terminal.screen.includes("Always"), false);
  terminal.type("w");
  assert.match(terminal.screen, /❯ Deny \(d, \d\)/);
  terminal.type("d");
  assert.deepEqual(await answers, [{ kind: "deny" }]);
});

Deno.test("'instead' asks for words; none is a plain denial", async () => {
  for (
    const [typed, answer] of [
      ["use make\r", { kind: "instead", text: "use make" }],
      ["\r", { kind: "deny" }],
      ["\x03", { kind: "deny" }],
    ] as const
  ) {
    const { terminal, ask } = stage();
    const answers = ask([BASH], never());
    await terminal.shown("❯ Deny (d");
    terminal.type("i");
    await terminal.shown("What to do instead?\n›");
    terminal.type(typed);
    assert.deepEqual(await answers, [answer]);
  }
});

Deno.test("Escape goes back from the words to the question, and keeps them", async () => {
  const { terminal, ask } = stage();
  const answers = ask([BASH], never());
  await terminal.shown("❯ Deny (d");
  terminal.type("i");
  await terminal.shown("What to do instead?\n›");
  terminal.type("use make");
  terminal.type("\x1b");
  await terminal.shown("❯ Deny (d");
  terminal.type("i");
  await terminal.shown("› use make");
  terminal.type(" here\r");
  assert.deepEqual(await answers, [{ kind: "instead", text: "use make here" }]);
});

Deno.test("several calls are one question", async () => {
  const { terminal, ask } = stage();
  const answers = ask([BASH, EDIT], never());
  await terminal.shown("❯ Deny all");
  assert.match(terminal.screen, /Allow these 2 calls\?/);
  assert.match(terminal.screen, /bash deno test/);
  assert.match(terminal.screen, /edit src\/a\.ts/);
  assert.match(terminal.screen, /Always allow run=deno test, write=src/);
  terminal.type("w");
  assert.deepEqual(await answers, [{ kind: "always", scope: "project", breadth: "exact" }, {
    kind: "always",
    scope: "project",
    breadth: "exact",
  }]);
});

Deno.test("one extremely sensitive call among several takes Always away", async () => {
  const { terminal, ask } = stage();
  const answers = ask([EDIT, EXTREME], never());
  await terminal.shown("❯ Deny all");
  assert.equal(terminal.screen.includes("Always"), false);
  terminal.type("\r");
  assert.deepEqual(await answers, [{ kind: "deny" }, { kind: "deny" }]);
});

Deno.test("several calls can be chosen one by one", async () => {
  const { terminal, ask } = stage();
  const answers = ask([BASH, EDIT], never());
  await terminal.shown("❯ Deny all");
  terminal.type("c");
  await terminal.shown("Allow bash? (1 of 2)");
  await terminal.shown("❯ Deny (d");
  terminal.type("a");
  await terminal.shown("Allow edit? (2 of 2)");
  await terminal.shown("❯ Deny (d");
  terminal.type("d");
  assert.deepEqual(await answers, [{ kind: "allow" }, { kind: "deny" }]);
});

Deno.test("questions asked at the same time wait for each other", async () => {
  const { terminal, ask } = stage();
  const first = ask([BASH], never());
  const second = ask([EDIT], never());
  await terminal.shown("Allow bash? (1 more waiting)");
  await terminal.shown("❯ Deny (d");
  assert.equal(terminal.screen.includes("Allow edit?"), false);
  terminal.type("a");
  await terminal.shown("Allow edit?");
  await terminal.shown("❯ Deny (d");
  terminal.type("d");
  assert.deepEqual([await first, await second], [[{ kind: "allow" }], [{ kind: "deny" }]]);
});

Deno.test("at 40 columns nothing of what is decided is cut", async () => {
  const { terminal, ask } = stage({ columns: 40 });
  const description = `rm ${Array.from({ length: 20 }, (_, n) => `file${n}`).join(" ")}`;
  const answers = ask([{ ...BASH, description }], never());
  await terminal.shown("❯ Deny (d");
  assert.ok(terminal.screen.replaceAll(/\s+/g, " ").includes(description));
  for (const line of terminal.lines) assert.ok(line.length <= 40);
  terminal.type("d");
  await answers;
});

Deno.test("a question taller than the screen is asked all the same", async () => {
  for (const [columns, rows] of [[20, 5], [1, 1]] as const) {
    const { terminal, ask } = stage({ columns, rows });
    const answers = ask([BASH], never());
    await terminal.shown(columns > 2 ? "❯" : /\n\nd$/);
    terminal.type("a");
    assert.deepEqual(await answers, [{ kind: "allow" }]);
  }
});

Deno.test("each answer to a question taller than the screen is seen once, and arrows bring those that have no room", async () => {
  for (const [columns, rows] of [[20, 8], [20, 6], [30, 6]] as const) {
    const { terminal, ask } = stage({ columns, rows });
    const why = "it runs a program that may do anything at all, and nobody knows what";
    const answers = ask([{ ...BASH, why }], never());
    await terminal.shown("❯ Deny (d");
    const seen = new Set<string>();
    for (let step = 0; step < 6; step++) {
      const keys = terminal.screen.match(/(?<=\()[a-z](?=[,)])/g) ?? [];
      assert.equal(new Set(keys).size, keys.length, terminal.screen);
      assert.match(terminal.screen, /knows\s+what[^]*❯/);
      keys.forEach((key) => seen.add(key));
      terminal.type("\x1b[B");
    }
    assert.deepEqual([...seen].toSorted(), ["a", "d", "i", "w"], terminal.screen);
    terminal.type("a");
    assert.deepEqual(await answers, [{ kind: "allow" }]);
  }
});

Deno.test("a terminal without cursor movement is asked by line", async () => {
  const { terminal, ask } = stage({ canRedraw: false });
  const answers = ask([BASH], never());
  await terminal.shown("[a/w/d/i]");
  terminal.type("a\n");
  assert.deepEqual(await answers, [{ kind: "allow" }]);
  assert.equal(terminal.output.includes("\x1b"), false);
});

Deno.test("names with escape sequences cannot draw over the question", async () => {
  const { terminal, ask } = stage();
  const evil = "x\x1b[2J\x1b]52;c;eA==\x07\u202ey";
  const request = {
    ...BASH,
    tool: evil,
    description: evil,
    why: evil,
    offers: [{ breadth: "exact" as const, text: evil }],
  };
  const answers = ask([request], never());
  await terminal.shown("❯ Deny (d");
  terminal.type("d");
  await answers;
  for (const sequence of ["\x1b[2J", "\x1b]", "\u202e"]) {
    assert.equal(terminal.output.includes(sequence), false);
  }
});

Deno.test("the parts of a command are listed with their class, control characters escaped", async () => {
  const { terminal, ask } = stage({ columns: 40 });
  const parts = [
    { command: "ls", risk: "safe", why: "only reads" },
    { command: "rm -rf b\x1b[2Juild", risk: "extreme", why: "removes recursively" },
  ] as const;
  const answers = ask([{ ...EXTREME, description: "Clean up", parts }], never());
  await terminal.shown("❯ Deny (d");
  assert.match(terminal.screen, /safe: ls\n {2}extreme: rm -rf b\\x1b\[2Juild/);
  terminal.type("d");
  assert.deepEqual(await answers, [{ kind: "deny" }]);
});

Deno.test("a part that asks tells its reason where the call's is that of another", async () => {
  const { terminal, ask } = stage();
  const parts = [
    { command: "ls", risk: "safe", why: "only reads" },
    { command: "pip install x", risk: "sensitive", why: "changes the project's packages" },
    { command: "git push", risk: "sensitive", why: "sends commits" },
  ] as const;
  const answers = ask([{ ...BASH, why: "git push: sends commits", parts }], never());
  await terminal.shown("❯ Deny (d");
  assert.match(
    terminal.screen,
    /safe: ls\n {2}sensitive: pip install x\n {4}changes the project's packages\n {2}sensitive: git push\n {2}git push: sends/,
  );
  terminal.type("d");
  await answers;
});

Deno.test("a rule as long as its command leaves the answers on the screen, and parts that are alike are one line", async () => {
  const long = `touch ${"x".repeat(3000)}`;
  const part = { command: "touch a", risk: "sensitive", why: "touch makes a file" } as const;
  const { terminal, ask } = stage();
  const answers = ask([{
    ...BASH,
    offers: [{ breadth: "exact", text: `run=${long}` }],
    parts: [part, part, part],
  }], never());
  await terminal.shown("❯ Deny (d");
  assert.match(terminal.screen, /sensitive: touch a \(3 times\)/);
  assert.match(terminal.screen, /Always allow run=touch\s+[x\s]+… in this project/);
  assert.ok(terminal.screen.length < 1000, terminal.screen);
  terminal.type("d");
  await answers;
});

Deno.test("one by one, an answer for all edits holds for the calls after it too, an extreme one asks", async () => {
  const { terminal, ask } = stage();
  const text = "all edits of files in the workspace";
  const edit = { ...EDIT, offers: [{ breadth: "kind", text, scopes: ["turn"] }] } as const;
  const extreme = { ...edit, risk: "extreme" } as const;
  const answers = ask([BASH, edit, extreme, edit], never());
  await terminal.shown("Allow these 4 calls?");
  await terminal.shown("❯ Deny all");
  terminal.type("c");
  await terminal.shown(/\(1 of 4\)[^]*❯ Deny/);
  terminal.type("a");
  await terminal.shown(/\(2 of 4\)[^]*❯ Deny/);
  terminal.type("s");
  await terminal.shown(/\(3 of 4\)[^]*Extremely sensitive[^]*❯ Deny/);
  terminal.type("d");
  const always = { kind: "always", scope: "turn", breadth: "kind" } as const;
  assert.deepEqual(await answers, [{ kind: "allow" }, always, { kind: "deny" }, always]);
});

Deno.test("what is unusual in a call stands below it, once, and what hides in a command is shown", async () => {
  const { terminal, ask } = stage();
  const unusual = ["with the network", "a right-to-left override (\\u202e)"];
  const command = "curl x\u202e";
  const previews = [{ kind: "command", command, cwd: "/" }] as const;
  const why = "uses curl, with the network";
  const other = { ...EDIT, unusual: ["src/a.ts: a bell (\\x07) on line 2"] };
  const answers = ask([{ ...BASH, description: "get it", why, unusual, previews }, other], never());
  await terminal.shown("❯ Deny all");
  assert.match(terminal.screen, /\$ curl x\\u202e/);
  assert.match(terminal.screen, /with the network\n {2}! a right-to-left override \(\\u202e\)\n/);
  assert.match(terminal.screen, /writes a file\n {2}! src\/a\.ts: a bell \(\\x07\) on line 2\n/);
  terminal.type("d");
  await answers;
});

Deno.test("the question says which files a rule would be bound to, in one line", async () => {
  const files = ["Makefile", "a.mk", "b.mk", "c.mk", "t\u202e.sh"];
  const rows = [
    [["Makefile"], false, "A rule for it holds until this file changes: Makefile"],
    [
      files,
      false,
      "A rule for it holds until one of 5 files changes: Makefile, a.mk, b.mk, 2 more",
    ],
    [["t\u202e.sh"], true, /changes: t.*202e.*\.sh; it may also run others/i],
    [
      [],
      true,
      "A rule for it holds whatever becomes of the files that it runs, as nobody can tell which these are",
    ],
  ] as const;
  for (const [files, runsUnknown, line] of rows) {
    const { terminal, ask } = stage({ columns: 120 });
    const bound = { files, runsUnknown };
    const offers = [{ breadth: "exact", text: "run=make", bound }] as const;
    const answers = ask([{ ...BASH, offers }], never());
    await terminal.shown("❯ Deny");
    const screen = terminal.screen;
    if (typeof line === "string") assert.ok(screen.includes(`${line}\n`), screen);
    else assert.match(screen, line);
    terminal.type("d");
    await answers;
  }
});
