import assert from "node:assert/strict";
import type { ItemContent } from "../../src/core/numbered_item.ts";
import { callKey, NumberedItems, previewItem, withNumber } from "../../src/ui/numbered_items.ts";

const MAIN = { id: "a1", name: "main", depth: 0 };

function text(length: number): ItemContent {
  return { form: "text", text: "x".repeat(length) };
}

Deno.test("contents are kept up to a limit, the oldest are given up, and what they were stays known", () => {
  const items = new NumberedItems({ maxCharacters: 100 });
  for (const length of [40, 40, 40, 10]) {
    items.add({ kind: "result", title: `of ${length}`, content: text(length) });
  }
  assert.equal(items.highest, 4);
  const known = items.latest(9).map(({ number, content }) => [number, content?.text.length]);
  assert.deepEqual(known, [[1, undefined], [2, 40], [3, 40], [4, 10]]);
  assert.deepEqual(items.get(1), { number: 1, kind: "result", title: "of 40", lines: 1 });
  items.add({ kind: "code", title: "", content: text(500) });
  assert.deepEqual(items.latest(9).filter(({ content }) => content !== undefined), []);
});

Deno.test("of very many items the newest are known, and their memory is bounded", () => {
  const items = new NumberedItems();
  for (let count = 0; count < 10_000; count++) {
    items.add({ kind: "thought", title: "", content: text(2000) });
  }
  assert.equal(items.highest, 10_000);
  assert.equal(items.get(1), undefined);
  const known = items.latest(100_000);
  assert.equal(known.length, 5000);
  assert.equal(known.filter(({ content }) => content !== undefined).length, 2000);
});

Deno.test("an item that is still being written gets its content later, if it is still known", () => {
  const items = new NumberedItems();
  const number = items.add({ kind: "code", title: "ts\x1b[2J" });
  assert.deepEqual(items.get(number), { number, kind: "code", title: "ts", lines: 0 });
  items.fill(number, { form: "code", text: "a\nb\n", language: "ts" });
  assert.equal(items.get(number)?.lines, 2);
  items.fill(99, text(1));
  assert.equal(items.get(99), undefined);
});

Deno.test("a call's items know the change it has made, also where another agent's call has the same id", () => {
  const items = new NumberedItems();
  const preview = { kind: "new_file", path: "a", content: "1\n" } as const;
  const child = { ...MAIN, id: "a2", depth: 1 };
  const [own, other] = [MAIN, child].map((agent) =>
    items.add(previewItem(preview, callKey({ agent, call_id: "c1" })))
  );
  items.endCall({
    type: "tool_end",
    call_id: "c1",
    name: "write",
    duration_ms: 1,
    result: { success: true, error: "", patch_number: 7 },
    preview: [],
    time: "",
    agent: child,
  });
  assert.deepEqual([items.get(own!)?.change, items.get(other!)?.change], [undefined, 7]);
});

Deno.test("where a number and what it stands for have no room, the number stays", () => {
  assert.equal(withNumber("… +38 lines", { number: 12, columns: 40 }), "… +38 lines, /show 12");
  assert.equal(withNumber("… +38 lines", { number: 12, columns: 20 }), "/show 12");
  assert.equal(withNumber("… +38 lines", { number: undefined, columns: 20 }), "… +38 lines");
});
