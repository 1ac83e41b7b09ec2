import assert from "node:assert/strict";
import { parseCursor } from "../../src/ui/sequences.ts";
import { TerminalQueries } from "../../src/ui/terminal_query.ts";

const CURSOR = { sequence: "?", parse: parseCursor };

Deno.test("an answer that comes late is not taken for the one to the next question", async () => {
  const sent: string[] = [];
  const queries = new TerminalQueries((sequence) => sent.push(sequence), { now: () => 0 });
  assert.equal(await queries.waitFor(CURSOR), undefined);
  assert.equal(queries.isOpen, true);
  const next = queries.waitFor(CURSOR);
  queries.take("\x1b[3;5R");
  queries.take("\x1b]11;rgb:0/0/0\x07");
  queries.take("\x1b[7;9R");
  assert.deepEqual(await next, { row: 6, column: 8 });
  assert.equal(queries.isOpen, false);
  assert.deepEqual(sent, ["?", "?"]);
});

Deno.test("a question that was never answered does not take the answers to later ones for good", async () => {
  let now = 0;
  const queries = new TerminalQueries(() => {}, { now: () => now });
  assert.equal(await queries.waitFor(CURSOR), undefined);
  now = 60_000;
  assert.equal(queries.isOpen, false);
  const next = queries.waitFor(CURSOR);
  queries.take("\x1b[7;9R");
  assert.deepEqual(await next, { row: 6, column: 8 });
});
