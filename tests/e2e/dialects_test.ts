import assert from "node:assert/strict";
import type { AssistantMessage } from "../../src/core/message.ts";
import { composed, runComposed } from "../support/composed.ts";
import { DIALECTS } from "../support/dialect_rows.ts";

const FILES = { "a.txt": "alpha x\ny 7\n" };

for (const row of DIALECTS) {
  Deno.test(`ally takes ${row.name}`, async () => {
    await using at = await composed({ replies: [row.reply, { text: "done" }], files: FILES });
    const summary = await runComposed(at);
    assert.equal(summary.error, undefined);
    const starts = at.events.filter((event) => event.type === "tool_start");
    const ends = at.events.filter((event) => event.type === "tool_end");
    const ran = starts.filter((start) =>
      ends.some((end) => end.call_id === start.call_id && end.result.success)
    );
    assert.deepEqual(ran.map(({ name, input }) => [name, input]), row.calls ?? []);
    const failed = ends.filter((end) => !end.result.success).map((end) => end.result.error);
    assert.equal(failed.length, row.errors?.length ?? 0, failed.join("\n"));
    for (const [index, error] of (row.errors ?? []).entries()) assert.match(failed[index]!, error);
    const messages = at.events.filter((event) => event.type === "message")
      .map((event) => event.message);
    const first = messages.find((message): message is AssistantMessage =>
      message.role === "assistant"
    );
    assert.equal(first?.content, row.text ?? "");
    assert.equal(first?.thinking, row.thinking);
    for (const call of first?.calls ?? []) {
      assert.equal(call.rescued ?? false, row.mark === "rescued");
      assert.equal(call.repaired ?? false, row.mark === "repaired");
    }
  });
}
