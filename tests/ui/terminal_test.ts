import assert from "node:assert/strict";
import type { TypedInput } from "../../src/ui/key_decoder.ts";
import { Keyboard } from "../../src/ui/keyboard.ts";
import { colorDepth, isUnicode } from "../../src/ui/terminal.ts";
import { createTheme } from "../../src/ui/theme.ts";

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
