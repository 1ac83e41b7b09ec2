/**
 * `ally -p` killed with each kind of event: the next run goes on with the session, and the files are whole.
 */
import assert from "node:assert/strict";
import type { ReplyFunction, ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { runAlly, spawnAlly, stage } from "../support/program.ts";

const EVENTS = ["turn_start", "request_start", "message", "tool_start", "tool_state", "tool_end"];
const OLD = "old\n".repeat(1000);
const NEW = "new\n".repeat(1000);

for (const event of EVENTS) {
  Deno.test(`killed with ${event}: the next run goes on, and the file is the old or the new one`, async () => {
    const write = { name: "write", arguments: { file_path: "a.txt", content: NEW } };
    const read = { name: "read", arguments: { file_paths: ["a.txt"], limit: 1 } };
    const script: readonly ScriptedReply[] = [
      { calls: [read] },
      { calls: [write] },
      { text: "so far", hang: true },
    ];
    let isKilled = false;
    const answer: ReplyFunction = (_, index) => isKilled ? { text: "On." } : script[index]!;
    await using at = await stage(Array.from({ length: 9 }, () => answer), { "a.txt": OLD });
    const child = spawnAlly(at.place, {
      args: ["-p", "-A", "--output-format", "stream-json", "go"],
    });
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes(`"type":"${event}"`)) {
      const { value, done } = await reader.read();
      assert.ok(!done, text);
      text += value;
    }
    child.kill("SIGKILL");
    await reader.cancel();
    await child.stderr.cancel();
    assert.equal((await child.status).signal, "SIGKILL");
    assert.ok([OLD, NEW].includes(await at.place.read("a.txt")));
    isKilled = true;
    const { code, stdout, stderr } = await runAlly(at.place, {
      args: ["-p", "--continue", "-A", "go on"],
    });
    assert.equal(code, 0, stderr);
    assert.equal(stdout, "On.\n");
  });
}
