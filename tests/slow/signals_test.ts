/**
 * Signals from outside, wherever they come: no process of a command is left, and the session goes on.
 */
import assert from "node:assert/strict";
import { runningWith, uniqueDuration } from "../support/processes.ts";
import { finish, runAlly, spawnAlly, stage } from "../support/program.ts";
import { until } from "../support/wait.ts";

const LONG = { text: "half a sentence ".repeat(2000), delayMs: 20, chunkSize: 16 };
const SIGNALS = [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const;

for (const [signal, code] of SIGNALS) {
  Deno.test(`${signal} during a command ends it with all it started, and the session goes on`, async () => {
    const duration = uniqueDuration();
    const command = `touch up; sleep ${duration} & sleep ${duration}`;
    await using at = await stage([
      { calls: [{ name: "bash", arguments: { command } }] },
      { text: "Going on." },
    ]);
    const child = spawnAlly(at.place, { args: ["-p", "--allow-run", "-A", "sleep"] });
    await until("the command", () => runningWith(duration).length >= 2);
    child.kill(signal);
    const done = await finish(child);
    assert.equal(done.code, code, done.stderr);
    assert.deepEqual(runningWith(duration), []);
    const again = await runAlly(at.place, { args: ["-p", "--continue", "go on"] });
    assert.equal(again.stdout, "Going on.\n", again.stderr);
    const messages = at.server.requests.at(-1)!.body.messages as { role: string }[];
    assert.deepEqual(messages.map(({ role }) => role), [
      "system",
      "user",
      "assistant",
      "tool",
      "user",
    ]);
  });

  Deno.test(`${signal} during a reply keeps what was said, and the session goes on`, async () => {
    await using at = await stage([LONG, { text: "Going on." }]);
    const args = ["-p", "--output-format", "stream-json", "talk"];
    const child = spawnAlly(at.place, { args });
    await until("the request", () => at.server.requests.length === 1);
    await until("the words", async () => {
      const lines = await at.place.session().catch(() => []);
      return JSON.stringify(lines).includes("half a sentence");
    });
    child.kill(signal);
    const done = await finish(child);
    assert.equal(done.code, code, done.stderr);
    assert.equal(JSON.parse(done.stdout.trim().split("\n").at(-1)!).reason, "interrupted");
    const again = await runAlly(at.place, { args: ["-p", "--continue", "go on"] });
    assert.equal(again.stdout, "Going on.\n", again.stderr);
    assert.match(at.server.requests.at(-1)!.text, /half a sentence [^"]*interrupted by user/);
  });
}
