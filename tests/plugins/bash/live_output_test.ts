import assert from "node:assert/strict";
import { throttle } from "../../../plugins/bash/live_output.ts";

const WORDS = Array.from({ length: 20_000 }, (_, at) => `word-${at}`);

Deno.test("what is left out of live output neither begins nor ends within a word, whatever the pieces are", async () => {
  for (const size of [1, 7, 1000, 20_000]) {
    let shown = "";
    const live = throttle((text) => shown += text);
    const text = WORDS.join(" ");
    for (let at = 0; at < text.length; at += size) {
      live.add(text.slice(at, at + size));
      // The next window.
      if (at % 60_000 < size) await new Promise((resolve) => setTimeout(resolve, 110));
    }
    live.end();
    assert.ok(shown.endsWith(" word-19998 word-19999"), `${size}`);
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
  const live = throttle((text) => shown += text.length);
  const chunk = "abcdefghijklmnop".repeat(1000);
  for (let n = 0; n < 500; n++) live.add(chunk);
  assert.ok(shown >= 16_000 && shown < 4_000_000, `${shown} characters`);
});

for (const size of [1000, 20_000, 100_000]) {
  Deno.test(`of ${size} characters at once the end is shown, and what is not is counted`, () => {
    const text = WORDS.join(" ").slice(0, size);
    for (const step of [size, 333]) {
      let shown = "";
      const live = throttle((part) => shown += part);
      for (let at = 0; at < size; at += step) live.add(text.slice(at, at + step));
      live.end();
      live.end();
      const [left] = /\n\[\.\.\. \d+ characters not shown \.\.\.\]\n/.exec(shown) ?? [""];
      const [first = "", last = ""] = left === "" ? [shown] : shown.split(left);
      assert.ok(text.startsWith(first) && text.endsWith(last));
      const count = Number(/\d+/.exec(left)?.[0] ?? 0);
      assert.equal(first.length + last.length + count, size);
      assert.equal(count === 0, size <= 20_000);
    }
  });
}
