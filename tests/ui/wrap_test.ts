import assert from "node:assert/strict";
import stringWidth from "string-width";
import { cellWidth, fit, wrapCode, wrapProse } from "../../src/ui/wrap.ts";
import { measureText, wrapText } from "../../src/ui/wide_text.ts";
import { randomNumbers, TEST_SEED } from "../support/random.ts";

const STYLES = ["\x1b[1m", "\x1b[22m", "\x1b[38;5;12m", "\x1b[39m", "\x1b[0m", "\x1b[2m"];

Deno.test("every character has the width that the library gives it, alone and beside any other kind", () => {
  for (let code = 0x20; code < 0x3000; code++) {
    const character = String.fromCharCode(code);
    for (const text of [character, `1${character}›`]) {
      if (cellWidth(text) !== stringWidth(text)) assert.fail(`U+${code.toString(16)}: ${text}`);
    }
  }
});

Deno.test(`random lines are broken and cut as the libraries break and cut them (seed ${TEST_SEED})`, () => {
  const random = randomNumbers(TEST_SEED);
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!;
  const parts = [
    "a",
    "word",
    " ",
    " ",
    "  ",
    "é",
    "›",
    "·",
    "─",
    "日本",
    "👍🏽",
    "e\u0301",
    ...STYLES,
    "\n",
  ];
  for (let at = 0; at < 800; at++) {
    const text = Array.from({ length: Math.floor(random() * 12) }, () => pick(parts)).join("");
    const columns = 1 + Math.floor(random() * 20);
    const code = { hard: true, trim: false, wordWrap: false };
    const shown = JSON.stringify([text, columns]);
    assert.deepEqual(wrapProse(text, columns), wrapText(text, columns, { hard: true }), shown);
    assert.deepEqual(wrapCode(text, columns), wrapText(text, columns, code), shown);
    assert.equal(cellWidth(text), measureText(text), shown);
    // deno-lint-ignore no-control-regex
    const bare = text.replaceAll(/\x1b\[[\d;]*m|\n/g, "");
    const cut = fit(bare, columns);
    assert.ok(measureText(cut) <= columns, shown);
    assert.equal(cut === bare, measureText(bare) <= columns, shown);
    assert.ok(bare.startsWith(cut.replace(/…$/, "")), shown);
  }
});
