/** A row of each kind of dialect through the real program, in a process of its own. */
import assert from "node:assert/strict";
import { DIALECTS } from "../support/dialect_rows.ts";
import { runAlly, stage } from "../support/program.ts";

const ROWS = [
  "thinking between tags that are cut over chunks",
  "calls that all have index 0",
  "arguments in single quotes",
  "the tool's name as <|channel|>commentary to=functions.read",
  "arguments cut off by the limit of tokens",
  "lines of bare JSON",
  "plain JSON in answer to a stream request",
  "a call written in Hermes tags",
  "an example",
];

for (const name of ROWS) {
  Deno.test(`the program takes ${name}`, async () => {
    const row = DIALECTS.find((one) => one.name === name);
    assert.ok(row);
    await using at = await stage([row.reply, { text: "done" }], { "a.txt": "alpha\n" });
    const done = await runAlly(at.place, { args: ["-p", "--output-format=stream-json", "go"] });
    assert.equal(done.code, 0);
    const events = done.stdout.trim().split("\n").map((line) => JSON.parse(line));
    const ended = events.filter((event) => event.type === "tool_end");
    const ran = ended.filter((event) => event.result.success).map((event) => event.name);
    assert.deepEqual(ran, (row.calls ?? []).map(([tool]) => tool));
    assert.equal(ended.length - ran.length, row.errors?.length ?? 0);
    const said = ended.length > 0 ? "done" : row.text;
    assert.equal(events.at(-1).text, said);
    const first = events.find((event) => event.message?.role === "assistant").message;
    assert.equal(first.thinking, row.thinking);
  });
}
