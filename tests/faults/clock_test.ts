import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { has } from "../support/faults.ts";
import { allyCommand, finish, type Place, runAlly, spawnAlly, stage } from "../support/program.ts";
import { until } from "../support/wait.ts";

const ignore = !has("faketime", "-f", "+1d", "true");

/** Runs ally with its clock set off by so much, in faketime's terms. */
async function runAt(place: Place, { clock, args }: { clock: string; args: string[] }) {
  const [program, ...rest] = allyCommand();
  const child = new Deno.Command("faketime", {
    args: ["-f", clock, program!, ...rest, ...args],
    cwd: place.dir,
    clearEnv: true,
    env: { ...place.env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return await finish(child);
}

Deno.test({
  name: "with the clock set back a day and forward a year, the last session is the one used last",
  ignore,
  async fn() {
    await using at = await stage(
      ["One.", "Two.", "Three.", "Four.", "Five."].map((text) => ({ text })),
    );
    const { place, server } = at;
    await runAt(place, { clock: "+1y", args: ["-p", "in a year"] });
    await runAlly(place, { args: ["-p", "today"] });
    await runAt(place, { clock: "-1d", args: ["-p", "yesterday"] });
    await runAlly(place, { args: ["-p", "--continue", "and on"] });
    const said = (server.requests.at(-1)!.body.messages as { content: string }[])
      .map(({ content }) => content).slice(1);
    // The new date stands before the words.
    const [last = ""] = said.splice(2, 1);
    assert.deepEqual(said, ["yesterday", "Three."]);
    assert.match(last, /Date: \d{4}-\d\d-\d\d\.\n\nand on$/);
    const listed = await runAlly(place, { args: ["--resume", "-p", "x"] });
    assert.match(listed.stderr, /yesterday[^]*today[^]*in a year/);
  },
});

Deno.test({
  name: "changes made under any clock are undone in the order in which they were made",
  ignore,
  async fn() {
    const write = (content: string) => ({
      calls: [{ name: "write", arguments: { file_path: "a.txt", content } }],
    });
    const read = { calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] };
    await using at = await stage([write("1"), { text: "" }, read, write("2"), { text: "" }]);
    const { place } = at;
    await runAt(place, { clock: "+1y", args: ["-p", "-A", "one"] });
    await runAt(place, { clock: "-1d", args: ["-p", "-A", "two"] });
    const patches = await Array.fromAsync(
      Deno.readDir(`${place.home}/projects`),
      ({ name }) => `${place.home}/projects/${name}/patches`,
    );
    const second = JSON.parse(await Deno.readTextFile(`${patches[0]}/000002.json`));
    assert.equal(second.changes[0].before.text, "1");
  },
});

Deno.test({
  name: "a command's time limit holds although the clock runs a thousand times too fast",
  ignore,
  async fn() {
    await using at = await stage([
      { calls: [{ name: "bash", arguments: { command: "sleep 1; echo whole", timeout: 60 } }] },
      { text: "Done." },
    ]);
    const { place, server } = at;
    const env = { ...place.env, DONT_FAKE_MONOTONIC: "1" };
    const clock = "+0 x1000";
    await runAt({ ...place, env }, { clock, args: ["-p", "-A", "go"] });
    const messages = server.requests.at(-1)!.body.messages as { role: string; content: string }[];
    assert.match(messages.find(({ role }) => role === "tool")?.content ?? "", /whole/);
  },
});

Deno.test("a turn goes on after the process was stopped for a while, and in another time zone", async () => {
  await using at = await stage([
    {
      text: "slow words come one by one here",
      delayMs: 100,
      calls: [{ name: "bash", arguments: { command: "sleep 3; date" } }],
    },
    { text: "Done." },
  ]);
  const { place, server } = at;
  const env = { TZ: "Pacific/Kiritimati" };
  const child = spawnAlly(place, { args: ["-p", "-A", "go"], env });
  await until("the first request", () => server.requests.length === 1);
  for (let times = 0; times < 3; times++) {
    Deno.kill(child.pid, "SIGSTOP");
    await delay(700);
    Deno.kill(child.pid, "SIGCONT");
    await delay(200);
  }
  const { code, stdout } = await finish(child);
  assert.equal(code, 0);
  assert.match(stdout, /Done\.\n$/);
});
