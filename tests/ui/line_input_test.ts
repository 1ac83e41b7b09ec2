/**
 * What keys make of a line, as a table.
 */
import assert from "node:assert/strict";
import { KeyDecoder } from "../../src/ui/key_decoder.ts";
import { LineInput } from "../../src/ui/line_input.ts";

/** What keys send, by the names that people write. */
const SENT: Readonly<Record<string, string>> = {
  Left: "\x1b[D",
  Right: "\x1b[C",
  Home: "\x1b[H",
  End: "\x1b[F",
  Backspace: "\x7f",
  Delete: "\x1b[3~",
  "Ctrl+Left": "\x1b[1;5D",
  "Ctrl+Right": "\x1b[1;5C",
  "Ctrl+Home": "\x1b[1;5H",
  "Ctrl+End": "\x1b[1;5F",
  "Ctrl+Backspace": "\x1b[127;5u",
  "Ctrl+Delete": "\x1b[3;5~",
  "Ctrl+Shift+Z": "\x1b[122:90;6u",
  "Ctrl+_": "\x1f",
  "Shift+Enter": "\x1b[13;2u",
  "Alt+Enter": "\x1b\r",
  "Alt+Backspace": "\x1b\x7f",
  Enter: "\r",
  Esc: "\x1b",
};

function sent(key: string): string {
  const known = SENT[key];
  if (known !== undefined) return known;
  const [, modifier = "", letter = ""] = /^(Ctrl|Alt)\+(.)$/.exec(key) ?? [];
  if (modifier === "") throw new Error(`No such key: ${key}`);
  if (modifier === "Alt") return `\x1b[${letter.toLowerCase().codePointAt(0)};3u`;
  return String.fromCharCode(letter.charCodeAt(0) - 64);
}

/** The text with `|` at the cursor, after keys; what is in quotation marks is typed. */
function press(line: LineInput, keys: string): string {
  const decoder = new KeyDecoder();
  for (const [, text, key] of keys.matchAll(/'([^']*)'|(\S+)/g)) {
    const inputs = decoder.push(text ?? sent(key ?? ""));
    for (const input of [...inputs, ...decoder.flush()]) {
      assert.ok(input.kind !== "focus" && input.kind !== "reply");
      line.take(input);
    }
  }
  const { text, cursor } = line.buffer.shown;
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

/** A text with its cursor, keys, and what becomes of it. */
const ROWS: readonly (readonly [before: string, keys: string, after: string])[] = [
  ["|", "'héllo'", "héllo|"],
  ["one|", "Left Left 'X'", "oXne|".replace("|", "").replace("X", "X|")],
  ["a👩‍🚀b|", "Left Backspace", "a|b"],
  ["ae\u0301|", "Backspace", "a|"],
  ["日本語|", "Left Left Delete", "日|語"],
  ["🇩🇪🇫🇷|", "Backspace", "🇩🇪|"],
  ["one two.three|", "Alt+B Alt+B", "one |two.three"],
  ["one two.three|", "Ctrl+Left Ctrl+Left Ctrl+Left Ctrl+Left", "|one two.three"],
  ["|one two", "Alt+F 'X'", "oneX| two"],
  ["|one two", "Ctrl+Right Ctrl+Right", "one two|"],
  ["one /a/b-c|", "Ctrl+W", "one |"],
  ["one /a/b-c|", "Alt+Backspace", "one /a/b-|"],
  ["one /a/b-c|", "Ctrl+Backspace", "one /a/b-|"],
  ["|one two", "Alt+D", "| two"],
  ["|one two", "Ctrl+Delete Ctrl+Delete", "|"],
  ["one\ntwo| three\nfour", "Ctrl+A", "one\n|two three\nfour"],
  ["one\ntwo| three\nfour", "End", "one\ntwo three|\nfour"],
  ["one\ntwo| three\nfour", "Ctrl+Home", "|one\ntwo three\nfour"],
  ["one\ntwo| three\nfour", "Ctrl+End", "one\ntwo three\nfour|"],
  ["one\ntwo| three\nfour", "Ctrl+U", "one\n| three\nfour"],
  ["one\ntwo| three\nfour", "Ctrl+K", "one\ntwo|\nfour"],
  ["one\ntwo| three\nfour", "Ctrl+K Ctrl+K", "one\ntwo|four"],
  ["one\n|two", "Ctrl+U", "one|two"],
  ["one\ntwo| three\nfour", "Ctrl+U Ctrl+Y Ctrl+Y", "one\ntwotwo| three\nfour"],
  ["one two three|", "Ctrl+W Ctrl+W Ctrl+A Ctrl+Y", "two three|one "],
  ["one two|", "Ctrl+W Home Ctrl+K Ctrl+Y Alt+Y", "two|"],
  ["one |two three", "Alt+D Alt+D Ctrl+Y", "one two three|"],
  ["one|", "' two' ' three' Ctrl+_", "one two|"],
  ["one|", "' two' ' three' Ctrl+_ Ctrl+_ Ctrl+_", "one|"],
  ["one|", "' two' Ctrl+W Ctrl+_ Ctrl+_ Ctrl+Shift+Z Alt+/", "one |"],
  ["one|", "' two' Ctrl+_ 'X' Alt+_", "oneX|"],
  ["|hello world", "Alt+U Alt+C", "HELLO World|"],
  ["|HELLO", "Alt+L", "hello|"],
  ["ab|", "Ctrl+T", "ba|"],
  ["ab|c", "Ctrl+T", "acb|"],
  ["a\n|b", "Ctrl+T", "a\n|b"],
  ["one|two", "Shift+Enter", "one\n|two"],
  ["one|", "Alt+Enter 'x' Ctrl+J", "one\nx\n|"],
  ["one\\|", "Enter 'two'", "one\ntwo|"],
  ["one|", "Ctrl+D", "one|"],
  ["|one", "Ctrl+D", "|ne"],
  ["one|", "Ctrl+Q 'x'", "onex|"],
];

for (const [before, keys, after] of ROWS) {
  Deno.test(`${JSON.stringify(before)} and ${keys} make ${JSON.stringify(after)}`, () => {
    const line = new LineInput();
    const at = before.indexOf("|");
    line.buffer.reset(before.replace("|", ""));
    line.buffer.moveTo(at);
    assert.equal(press(line, keys), after);
  });
}

/** The same with the keys of vi, from normal mode; `Esc` ends typing. */
const VIM_ROWS: readonly (readonly [before: string, keys: string, after: string])[] = [
  ["one two| three", "'hh'", "one t|wo three"],
  ["o|ne\ntwo", "'lllll'", "on|e\ntwo"],
  ["|one two.x three", "'w'", "one |two.x three"],
  ["|one two.x three", "'3w'", "one two.|x three"],
  ["|one two.x three", "'2W'", "one two.x |three"],
  ["|one two.x three", "'ee'", "one tw|o.x three"],
  ["|one two.x three", "'2E'", "one two.|x three"],
  ["one two.x thre|e", "'bbb'", "one two|.x three"],
  ["one two.x thre|e", "'BB'", "one |two.x three"],
  ["  one tw|o", "'0'", "|  one two"],
  ["  one tw|o", "'^'", "  |one two"],
  ["|one\ntwo", "'$'", "on|e\ntwo"],
  ["one\ntwo\nthre|e", "'gg'", "|one\ntwo\nthree"],
  ["one\ntwo\nthre|e", "'2gg'", "one\n|two\nthree"],
  ["|one\n  two", "'G'", "one\n  |two"],
  ["|a b c b", "'fb'", "a |b c b"],
  ["|a b c b", "'fb;'", "a b c |b"],
  ["|a b c b", "'2tb'", "a b c| b"],
  ["a b c |b", "'Fa;,'", "|a b c b"],
  ["|a b c", "'fz'", "|a b c"],
  ["ab|c\nx👩‍🚀y", "'jx'", "abc\nx|y"],
  ["one\ntw|o\nx", "'j'", "one\ntwo\n|x"],
  ["one\ntw|o\nx", "'k'", "on|e\ntwo\nx"],
  ["one two thr|ee", "'dd'", "|"],
  ["one\ntw|o\nthree", "'dd'", "one\n|three"],
  ["one\ntwo\nthr|ee", "'dd'", "one\n|two"],
  ["|one\ntwo\nthree", "'2dd'", "|three"],
  ["|one\ntwo\nthree", "'dj'", "|three"],
  ["one\ntwo\n|three", "'dgg'", "|"],
  ["|one two three", "'dw'", "|two three"],
  ["|one two three", "'d2w'", "|three"],
  ["|one two three", "'2d1w'", "|three"],
  ["one |two\nthree", "'dw'", "one| \nthree"],
  ["|one two", "'de'", "| two"],
  ["one |two three", "'d$'", "one| "],
  ["one |two three", "'D'", "one| "],
  ["one |two three", "'dfe'", "one |e"],
  ["one |two three", "'d0'", "|two three"],
  ["|one two", "'cwx' Esc", "|x two"],
  ["one |two", "'ccx'", "x|"],
  ["one |two\nthree", "'Cx'", "one x|\nthree"],
  ["|one two", "'yw$p'", "one twoone| "],
  ["|one\ntwo", "'yyp'", "one\n|one\ntwo"],
  ["one\n|two", "'yykP'", "|two\none\ntwo"],
  ["|one\ntwo", "'ddp'", "two\n|one"],
  ["|abc", "'x'", "|bc"],
  ["|abc", "'2xp'", "ca|b"],
  ["ab|c", "'X'", "a|c"],
  ["|abc", "'rX'", "|Xbc"],
  ["|abc", "'2rX'", "X|Xc"],
  ["|aBc", "'2~'", "Ab|c"],
  ["|日本語", "'lx'", "日|語"],
  ["|one two", "'dwdwuu'", "|one two"],
  ["|one two", "'dwdwu' Ctrl+R", "|"],
  ["o|ne", "'ix' Esc", "o|xne"],
  ["o|ne", "'ax' Esc", "on|xe"],
  ["o|ne", "'Ix'", "x|one"],
  ["o|ne", "'Ax'", "onex|"],
  ["o|ne\ntwo", "'ox'", "one\nx|\ntwo"],
  ["one\nt|wo", "'Ox'", "one\nx|\ntwo"],
  ["o|ne", "'dq' 'x'", "o|e"],
  ["one t|wo, three", "'diw'", "one |, three"],
  ["one t|wo three", "'daw'", "one |three"],
  ["one t|wo", "'daw'", "on|e"],
  ["one t|wo, three", "'daW'", "one |three"],
  ["one| two three", "'diw'", "one|two three"],
  ["one| two three", "'daw'", "one| three"],
  ["|one two three", "'d2aw'", "|three"],
  ["|one two three", "'2diw'", "|two three"],
  ["one\nt|wo\nthree", "'daw'", "one\n|\nthree"],
  ["|one", "'ciwx' Esc", "|x"],
  ["on|e two", "'yiwwP'", "one on|etwo"],
  ['say "he|llo you" now', "'di\"'", 'say "|" now'],
  ['s|ay "hello" now', "'da\"'", "say |now"],
  ['say "a \\" |b"', "'ci\"x' Esc", 'say "|x"'],
  ["it's |'it'", "'di`'", "it's |'it'"],
  ["f(a, g(|b), c)", "'di('", "f(a, g(|), c)"],
  ["f(a, g(|b), c)", "'d2ib'", "f(|)"],
  ["f(a, g(b|), c)", "'da('", "f(a, g|, c)"],
  ["f(a, g(b)|, c)", "'ci)x' Esc", "f(|x)"],
  ["{\n  a|b\n}", "'di{'", "{|}"],
  ["[|a]", "'di['", "[|]"],
  ["<|a>", "'da<'", "|"],
  ["|a (b)", "'di(' 'x'", "| (b)"],
  ["o|ne", "'2' Esc 'x'", "o|e"],
  ["on|e", "Left 'x' Backspace", "|oe"],
];

for (const [before, keys, after] of VIM_ROWS) {
  Deno.test(`vi: ${JSON.stringify(before)} and ${keys} make ${JSON.stringify(after)}`, () => {
    const line = new LineInput({ editing: () => "vim" });
    line.buffer.reset(before.replace("|", ""));
    press(line, "Esc");
    line.buffer.moveTo(before.indexOf("|"));
    assert.equal(press(line, keys), after);
  });
}

Deno.test("vi: Escape is for others where there is nothing for it to end", () => {
  const line = new LineInput({ editing: () => "vim" });
  const escape = { kind: "key", name: "escape", ctrl: false, alt: false, shift: false } as const;
  assert.equal(line.vimMode, "insert");
  line.buffer.type("words");
  assert.equal(line.take(escape), "done");
  assert.equal(line.vimMode, "normal");
  assert.equal(line.take(escape), "escape");
  assert.equal(line.take({ kind: "text", text: "k" }), "up");
  assert.equal(line.take({ kind: "text", text: "j" }), "down");
  line.clear();
  assert.equal(line.vimMode, "insert");
  assert.equal(line.take(escape), "escape");
});

const LONG = Array.from({ length: 40 }, (_, n) => `line ${n}`).join("\n");

Deno.test("a long paste is one thing: moved over, cut, put back, taken back, shown and sent whole", () => {
  const line = new LineInput();
  const mark = "[paste 1: 40 lines]";
  const paste = () => line.take({ kind: "paste", text: LONG, length: LONG.length });
  line.buffer.type("a b ");
  paste();
  assert.equal(press(line, "' c'"), `a b ${mark} c|`);
  assert.equal(line.buffer.whole, `a b ${LONG} c`);
  assert.equal(press(line, "Left Left Left"), `a b |${mark} c`);
  assert.equal(press(line, "Right Backspace"), "a b | c");
  assert.equal(press(line, "Ctrl+_"), `a b ${mark}| c`);
  assert.equal(press(line, "Ctrl+W"), "a b | c");
  assert.equal(press(line, "Ctrl+_ Alt+Backspace"), "a b | c");
  assert.equal(press(line, "Ctrl+_"), `a b ${mark}| c`);
  assert.equal(line.buffer.whole, `a b ${LONG} c`);
  assert.equal(line.buffer.openPaste(), true);
  assert.equal(line.buffer.text, `a b ${LONG} c`);
  assert.equal(line.buffer.openPaste(), false);
  assert.equal(press(line, "Ctrl+_"), `a b ${mark}| c`);
  paste();
  assert.equal(line.buffer.shown.text, `a b ${mark}[paste 2: 40 lines] c`);
  assert.equal(line.buffer.whole, `a b ${LONG}${LONG} c`);
});

Deno.test("what stands for a paste cannot be typed, and pasted text has none of it", () => {
  const line = new LineInput();
  line.take({ kind: "paste", text: LONG, length: LONG.length });
  line.take({ kind: "text", text: line.buffer.text });
  assert.equal(line.buffer.whole, LONG);
  line.take({ kind: "paste", text: `x${line.buffer.text}`, length: 3 });
  assert.equal(line.buffer.whole, `${LONG}x\ufffd`);
});

Deno.test("a text of 200,000 characters is edited as one thing, a paste over the limit is refused", () => {
  const line = new LineInput();
  const text = "word ".repeat(40_000);
  line.buffer.setText(text);
  assert.equal(press(line, "Backspace"), "|");
  assert.equal(press(line, "Ctrl+_"), "[paste 1: 200000 characters]|");
  assert.equal(line.buffer.whole, text);
  assert.equal(line.take({ kind: "paste", text: "", length: 20_000_000 }), "too long");
});

Deno.test("a line of one row takes a paste as words, and every key for a line end as Enter", () => {
  const line = new LineInput({ isMultiline: false });
  line.take({ kind: "paste", text: " one\n two\n", length: 10 });
  assert.equal(line.buffer.text, "one two");
  assert.equal(
    line.take({ kind: "key", name: "j", ctrl: true, alt: false, shift: false }),
    "enter",
  );
});
