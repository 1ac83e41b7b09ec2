/**
 * A text that grows above rows that change, against the same text and rows written at once.
 */
import assert from "node:assert/strict";
import { FlowRegion } from "../../src/ui/flow_region.ts";
import { cellWidth } from "../../src/ui/wrap.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";
import { randomNumbers, TEST_SEED, testCount } from "../support/random.ts";

Deno.test(`whatever grows and changes, the screen shows it (seed ${TEST_SEED})`, () => {
  const next = randomNumbers(TEST_SEED);
  const upTo = (most: number) => Math.floor(next() * most);
  const words = () => ["word ", "日本 ", "é", "👩‍🚀 ", "x", "and so on "][upTo(6)]!.repeat(upTo(3));
  for (let round = 0; round < testCount(20); round++) {
    const terminal = new MemoryTerminal({ columns: 60, rows: 6 + upTo(20) });
    const region = new FlowRegion(terminal);
    const standing: string[] = [];
    let open = "";
    for (let step = 0; step < 40; step++) {
      const done = next() < 0.6
        ? []
        : [open + words(), ...Array.from({ length: upTo(3) }, words)].map((row) => row.trimEnd());
      open = (done.length > 0 ? words() : open + words()).trimEnd();
      // Neither it with what stands behind it nor the next row is wider than the terminal.
      if (cellWidth(open) > 40) done.push(open), open = "";
      const tail = open + (next() < 0.5 ? "" : ` ${words()}`.trimEnd());
      const below = Array.from({ length: upTo(4) }, (_, n) => `${words()}below ${n}`);
      const lines = [tail, ...below];
      const cursor = next() < 0.5 ? undefined : { row: lines.length - 1, column: upTo(3) };
      region.update(done, { lines, open, cursor });
      standing.push(...done);
      const plain = new MemoryTerminal({ columns: 60 });
      plain.control([...standing, ...lines].join("\n"));
      assert.deepEqual(terminal.lines, plain.lines);
      assert.equal(terminal.cursorShown, cursor !== undefined);
      if (cursor === undefined) continue;
      assert.deepEqual(terminal.cursor, { ...cursor, row: standing.length + cursor.row });
    }
  }
});

Deno.test("after a change of the size the text is gone on with where it ends, and what was below is erased", async () => {
  const terminal = new MemoryTerminal({ columns: 40, rows: 10 });
  const region = new FlowRegion(terminal);
  region.update(["stands"], { lines: ["begun and more", "below"], open: "begun" });
  terminal.resize(30, 10);
  const before = terminal.output.length;
  region.update([], { lines: ["begun here", "under it"], open: "begun here" });
  region.update([], { lines: ["begun here too", "under it"], open: "begun here" });
  assert.equal(terminal.output.length, before);
  await terminal.shown("stands\nbegun here too\nunder it");
  const written = terminal.output.slice(before);
  assert.ok(!written.includes("stands") && !written.includes("begun"), written);
  assert.ok(written.startsWith("\x1b[?2026h\x1b[J here"), written);
});
