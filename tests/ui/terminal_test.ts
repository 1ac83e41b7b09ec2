import assert from "node:assert/strict";
import type { TypedInput } from "../../src/ui/key_decoder.ts";
import { Keyboard } from "../../src/ui/keyboard.ts";
import { colorDepth, isUnicode, openTerminal } from "../../src/ui/terminal.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { createMemoryIo } from "../support/memory_io.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";
import { until } from "../support/wait.ts";

const from = (env: Record<string, string>) => (name: string) => env[name];

Deno.test("colours follow NO_COLOR, TERM and COLORTERM", () => {
  const depth = (env: Record<string, string>) => colorDepth(from(env));
  assert.equal(depth({ TERM: "xterm-256color", COLORTERM: "truecolor", NO_COLOR: "1" }), "none");
  assert.equal(depth({ TERM: "dumb", COLORTERM: "truecolor" }), "none");
  assert.equal(depth({ TERM: "xterm-256color", COLORTERM: "truecolor" }), "truecolor");
  assert.equal(depth({ TERM: "xterm-256color", NO_COLOR: "" }), "256");
  assert.equal(depth({ TERM: "xterm" }), "basic");
});

Deno.test("only a locale that is not UTF-8 takes the symbols away", () => {
  assert.equal(isUnicode(from({})), true);
  assert.equal(isUnicode(from({ LANG: "de_DE.UTF-8" })), true);
  assert.equal(isUnicode(from({ LANG: "de_DE.UTF-8", LC_ALL: "C" })), false);
  assert.match(
    JSON.stringify(createTheme({ depth: "none", unicode: false }).glyphs),
    /^[\x20-\x7e]*$/,
  );
});

Deno.test("styles nest: the inner one's end does not end the outer one", () => {
  const theme = createTheme({ depth: "basic" });
  const text = theme.paint("dim", `a ${theme.paint("bold", "b")} c`);
  assert.equal(text, "\x1b[2ma \x1b[1mb\x1b[22m\x1b[2m c\x1b[22m");
});

Deno.test("a terminal without colour gets no sequence at all", () => {
  const theme = createTheme({ depth: "none" });
  assert.equal(theme.paint("error", "x") + theme.paintChange("added", "y"), "xy");
});

Deno.test("raw mode lasts while anybody listens", () => {
  const modes: boolean[] = [];
  const keyboard = new Keyboard({ setRaw: (raw) => modes.push(raw) });
  const nobody = { onInput: () => {}, onEnd: () => {} };
  const outer = keyboard.listen({ ...nobody });
  const inner = keyboard.listen({ ...nobody });
  outer();
  outer();
  inner();
  assert.deepEqual(modes, [true, false]);
});

Deno.test("text typed while nobody listens waits for the next listener", async () => {
  const keyboard = new Keyboard({ setRaw() {} });
  keyboard.receive("early");
  const { promise, resolve } = Promise.withResolvers<readonly TypedInput[]>();
  keyboard.listen({ onInput: resolve, onEnd: () => {} });
  assert.deepEqual(await promise, [{ kind: "text", text: "early" }]);
});

Deno.test("a listener that comes after the end of input is told so", async () => {
  const keyboard = new Keyboard({ setRaw() {} });
  keyboard.end();
  await new Promise<void>((resolve) => keyboard.listen({ onInput: () => {}, onEnd: resolve }));
});

/** A terminal whose bytes a test sees, and that says what the test has it say. */
function hostTerminal(env: Record<string, string> = {}) {
  const io = createMemoryIo({ env, terminal: new MemoryTerminal() });
  let output = "";
  const writeSync = (bytes: Uint8Array) => {
    output += new TextDecoder().decode(bytes);
    return bytes.length;
  };
  const terminal = openTerminal({ ...io, stdout: { ...io.stdout, writeSync } });
  return { terminal, io, written: () => output.replaceAll("\x1b", "^") };
}

Deno.test("keys are told apart where the terminal answers that it can, and it is left as it was", async () => {
  const { terminal, io, written } = hostTerminal();
  const typed: TypedInput[] = [];
  const reports: string[] = [];
  terminal.onReport((report) => reports.push(report.kind));
  const release = terminal.listen({
    onInput: (inputs) => void typed.push(...inputs),
    onEnd: () => {},
  });
  assert.equal(written(), "^[?2004h^[?u");
  io.type("\x1b[?0u");
  await until("the mode", () => written().endsWith("^[>5u"));
  io.type("\x1b[13;2u");
  await until("the key", () => typed.length > 0);
  assert.deepEqual(typed, [{ kind: "key", name: "enter", ctrl: false, alt: false, shift: true }]);
  terminal.restore();
  assert.match(written(), /\^\[\?2004l\^\[<u\^\[\?25h\^\[0m$/);
  release();
  const again = terminal.listen({ onInput: () => {}, onEnd: () => {} });
  assert.match(written(), /\^\[\?2004h\^\[>5u$/);
  again();
  terminal.restore();
  assert.deepEqual(reports, ["reply"]);
});

Deno.test("a terminal that does not answer, and one that tells of focus if asked, are left as they were", () => {
  const silent = hostTerminal();
  silent.terminal.listen({ onInput: () => {}, onEnd: () => {} })();
  silent.terminal.restore();
  assert.equal(silent.written(), "^[?2004h^[?u^[?2004l^[?25h^[0m");
  const { terminal, written } = hostTerminal({ TMUX: "x" });
  const stop = terminal.onReport(() => {}, { focus: true });
  terminal.listen({ onInput: () => {}, onEnd: () => {} })();
  terminal.restore();
  stop();
  assert.equal(
    written(),
    "^[?2004h^[>4;1m^[?1004h^[?u^[?2004l^[>4m^[?1004l^[?25h^[0m",
  );
});

Deno.test("a terminal is asked where its cursor is while somebody listens, and need not answer", async () => {
  const { terminal, io, written } = hostTerminal();
  assert.equal(await terminal.askCursor(), undefined);
  assert.equal(written(), "");
  const release = terminal.listen({ onInput: () => {}, onEnd: () => {} });
  const asked = terminal.askCursor();
  assert.match(written(), /\^\[6n$/);
  io.type("\x1b[3;5R");
  assert.deepEqual(await asked, { row: 2, column: 4 });
  assert.equal(await terminal.askCursor(), undefined);
  release();
  terminal.restore();
});

Deno.test("a size that tmux has laid out before it told of it cannot be trusted yet", async () => {
  const { terminal, io, written } = hostTerminal({ TMUX: "x" });
  const { columns, rows } = terminal;
  const release = terminal.listen({ onInput: () => {}, onEnd: () => {} });
  for (
    const [size, isTrusted] of [
      [`${rows};${columns}`, true],
      [`${columns};${rows}`, true],
      [`${rows};${columns - 1}`, false],
    ] as const
  ) {
    const asked = terminal.askCursor();
    assert.match(written(), /\^\[18t\^\[6n$/);
    io.type(`\x1b[8;${size}t\x1b[3;5R`);
    assert.deepEqual(await asked, { row: 2, column: 4 });
    assert.equal(terminal.settlesInMs === 0, isTrusted, size);
  }
  release();
  terminal.restore();
});

Deno.test("what is pasted, typed and pressed while nobody listens keeps its order", async () => {
  const keyboard = new Keyboard({ setRaw() {} });
  keyboard.receive("a\x1b[200~b\rc");
  keyboard.receive("\x1b[201~\x1b[");
  keyboard.receive("Ad");
  const { promise, resolve } = Promise.withResolvers<readonly TypedInput[]>();
  keyboard.listen({ onInput: resolve, onEnd: () => {} });
  assert.deepEqual((await promise).map((one) => one.kind === "key" ? one.name : one.text), [
    "a",
    "b\rc",
    "up",
    "d",
  ]);
});

Deno.test("a program that is given the terminal gets the keys, though one was waited for already", async () => {
  for (const isPaused of [false, true]) {
    const { terminal, io, written } = hostTerminal();
    const typed: string[] = [];
    const release = terminal.listen({
      onInput: (inputs) => typed.push(...inputs.map((one) => one.kind === "text" ? one.text : "")),
      onEnd: () => {},
    });
    if (isPaused) terminal.pause();
    const taken: string[] = [];
    const lent = terminal.handOver(async () => {
      io.type("theirs");
      const buffer = new Uint8Array(100);
      const length = await io.stdin.read(buffer);
      taken.push(new TextDecoder().decode(buffer.subarray(0, length ?? 0)));
    });
    assert.match(written(), /\^\[6n$/);
    io.type("\x1b]11;rgb:0000/0000/0000\x1b\\");
    io.type("early");
    await until("the keys before it", () => typed.length > 0);
    io.type("\x1b[5;1R");
    await lent;
    assert.deepEqual(taken, ["theirs"]);
    io.type("mine");
    await until("the next keys", () => typed.length > 1);
    assert.deepEqual(typed, ["early", "mine"]);
    release();
    terminal.restore();
  }
});

Deno.test("a program that is given the terminal gets no answer to what ally has asked", async () => {
  for (const isPaused of [false, true]) {
    const { terminal, io } = hostTerminal();
    const release = terminal.listen({ onInput: () => {}, onEnd: () => {} });
    const asked = terminal.askCursor();
    // While nobody waits for input.
    io.type("a");
    if (isPaused) terminal.pause();
    let isLent = false;
    const read: string[] = [];
    const lent = terminal.handOver(async () => {
      isLent = true;
      io.type("theirs");
      const buffer = new Uint8Array(100);
      const length = await io.stdin.read(buffer);
      read.push(new TextDecoder().decode(buffer.subarray(0, length ?? 0)));
    });
    io.type("\x1b[3;5R");
    assert.deepEqual(await asked, { row: 2, column: 4 });
    assert.equal(isLent, false);
    io.type("\x1b[4;1R");
    await lent;
    assert.deepEqual(read, ["theirs"]);
    release();
    terminal.restore();
  }
});
