import assert from "node:assert/strict";
import { throttle } from "../../../plugins/bash/live_output.ts";

const WORDS = Array.from({ length: 20_000 }, (_, at) => `word-${at}`);

Deno.test("what is left out of live output neither begins nor ends within a word, whatever the pieces are", async () => {
  for (const size of [1, 7, 1000, 20_000]) {
    let shown = "";
    const show = throttle((text) => shown += text);
    const text = WORDS.join(" ");
    for (let at = 0; at < text.length; at += size) {
      show(text.slice(at, at + size));
      // The next window.
      if (at % 60_000 < size) await new Promise((resolve) => setTimeout(resolve, 110));
    }
    const parts = shown.split(/\n\[\.\.\. \d+ characters not shown \.\.\.\]\n/);
    assert.ok(parts.length > 1, `${size}: ${parts.length}`);
    const known = new Set(WORDS);
    for (const [index, part] of parts.entries()) {
      const words = part.split(" ").filter((word) => word !== "");
      const last = index === parts.length - 1 ? words.length - 1 : words.length;
      assert.deepEqual(words.slice(0, last).filter((word) => !known.has(word)), [], `${size}`);
    }
  }
});

Deno.test("live output without a blank is thinned, too", () => {
  let shown = 0;
  const show = throttle((text) => shown += text.length);
  const chunk = "abcdefghijklmnop".repeat(1000);
  for (let n = 0; n < 500; n++) show(chunk);
  assert.ok(shown >= 16_000 && shown < 4_000_000, `${shown} characters`);
});
