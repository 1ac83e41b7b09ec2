import assert from "node:assert/strict";
import { parseStyled, plainText, sliceStyled } from "../../src/ui/styled_text.ts";

Deno.test("styled text is cut at characters, and every piece opens and closes its own styles", () => {
  const text = parseStyled("ab\x1b[35mcd\x1b[1mef\x1b[22mg\x1b[39mh");
  assert.equal(plainText(text), "abcdefgh");
  assert.equal(plainText(parseStyled(sliceStyled(text, 0, 8))), "abcdefgh");
  assert.equal(sliceStyled(text, 1, 3), "b\x1b[35mc\x1b[39m");
  assert.equal(sliceStyled(text, 5, 8), "\x1b[35m\x1b[1mf\x1b[22m\x1b[39m\x1b[35mg\x1b[39mh");
  assert.equal(sliceStyled(text, 8, 9), "");
});
