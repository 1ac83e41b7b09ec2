/**
 * Agents that work for another one, in a real terminal: three at once, of which one asks, one fails and one is
 * stopped in the middle; their lines under the call; an agent that the user speaks to.
 */
import assert from "node:assert/strict";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { byContent, type Script } from "../support/by_content.ts";
import { runningWith, uniqueDuration } from "../support/processes.ts";
import { runAlly, stage } from "../support/program.ts";
import { unbroken } from "../support/terminal_session.ts";
import { until } from "../support/wait.ts";

const call = (name: string, args: Record<string, unknown>): ScriptedReply => ({
  calls: [{ name, arguments: args, id: "call_1" }],
});

/** Three tasks at once. */
const THREE: ScriptedReply = call("agent", {
  agents: [
    { task_prompt: "runs long" },
    { task_prompt: "asks for leave" },
    { task_prompt: "fails soon" },
  ],
});

const scripts = (seconds: string): readonly Script[] => [
  ["go", THREE, { text: "All came back." }],
  ["runs long", call("bash", { command: `sleep ${seconds}` }), { text: "never said" }],
  ["asks for leave", call("write", { file_path: "new.txt", content: "one\n" }), {
    text: "Written.",
  }],
  ["fails soon", { status: 400, text: "no such thing" }],
  ["and now", { text: "Going on." }],
];

Deno.test("three agents at once: one asks, one fails, Ctrl+C stops the third, and the session goes on", async () => {
  const seconds = uniqueDuration();
  await using at = await stage(byContent(scripts(seconds)));
  await using terminal = startInTerminal(at.place, { args: ["--allow-run=sleep"] });
  await terminal.shows("›");
  await terminal.keys("go", "Enter");
  await terminal.shows("general 2 asks: Allow write?");
  await terminal.shows("❯ Deny");
  await terminal.keys("a");
  await terminal.shows(/● general 2 asks for leave · 1 call · [\d.]+k tokens/);
  await terminal.shows(/✗ general 3 fails soon: failed[^]*no such thing/);
  await until("the long command", () => runningWith(seconds).length > 0);
  assert.match(await terminal.screen(), /● agent 3 agents: general/);
  await terminal.shows(/● general runs long[^]*bash sleep/);
  await terminal.keys("C-c");
  await terminal.shows("Interrupted.");
  await until("the end of the long command", () => runningWith(seconds).length === 0);
  assert.equal(await at.place.read("new.txt"), "one\n");
  await terminal.keys("C-d");
  await terminal.shows("left 0");
  const { code, stdout, stderr } = await runAlly(at.place, {
    args: ["--continue", "-p", "and now"],
  });
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "Going on.\n", stderr: "" });
  const records = await at.place.session();
  const runs = records.filter(({ type }) => type === "agent");
  const reasons = new Map(
    records.filter(({ type }) => type === "agent_end").map(({ id, reason }) => [id, reason]),
  );
  assert.deepEqual(
    new Map(runs.map(({ task, id }) => [task, reasons.get(id)])),
    new Map([
      ["fails soon", "error"],
      ["asks for leave", "done"],
      ["runs long", "interrupted"],
    ]),
  );
  const last = at.server.requests.at(-1)?.body.messages as { role: string }[];
  assert.deepEqual(last.map(({ role }) => role), [
    "system",
    "user",
    "assistant",
    "tool",
    "user",
  ]);
});

Deno.test("@name is completed, and the agent's answer is shown as the turn's", async () => {
  await using at = await stage(byContent([["say it", { text: "Said **so**." }]]));
  await using terminal = startInTerminal(at.place, { columns: 40 });
  await terminal.shows("›");
  await terminal.keys("@gen", "Tab");
  await terminal.shows("@general");
  await terminal.keys("say it", "Enter");
  await terminal.shows("Said so.");
});

Deno.test("/agents lists, makes and shows agents, and a new one can be spoken to at once", async () => {
  await using at = await stage(byContent([["look", { text: "Looked." }]]));
  await using terminal = startInTerminal(at.place, { columns: 100 });
  await terminal.shows("›");
  await terminal.keys("/agents", "Enter");
  await terminal.shows(/@general │ built in/);
  await terminal.keys("/agents new critic", "Enter");
  await terminal.shows(unbroken("/home/agents/critic.md"));
  await terminal.keys("/agents show critic", "Enter");
  await terminal.shows("change nothing");
  await terminal.keys("@critic look", "Enter");
  await terminal.shows("Looked.");
  await terminal.keys("/agents new critic", "Enter");
  await terminal.shows(unbroken("it is there already"));
  await terminal.keys("/agents show nobody", "Enter");
  await terminal.shows("There is no agent 'nobody'. There are: general, critic.");
  await terminal.keys("/agents new", "Enter");
  await terminal.shows("Give one name: /agents new NAME.");
  await terminal.keys("/agents dance", "Enter");
  await terminal.shows("There is no /agents dance");
});

Deno.test("agents that ask at once are answered one by one, and a denial ends only the agent that asked", async () => {
  const write = (name: string) => call("write", { file_path: name, content: `${name}\n` });
  await using at = await stage(byContent([
    [
      "go",
      call("agent", { agents: [{ task_prompt: "first" }, { task_prompt: "second" }] }),
      { text: "One of two." },
    ],
    ["first", write("one.txt"), { text: "wrote one" }],
    ["second", write("two.txt"), { text: "wrote two" }],
  ]));
  await using terminal = startInTerminal(at.place, { columns: 60 });
  await terminal.shows("›");
  await terminal.keys("go", "Enter");
  const asking = await terminal.shows(/general(?: 2)? asks: Allow write\?/);
  const [denied, other] = asking.includes("general 2 asks") ? ["two", "one"] : ["one", "two"];
  assert.match(asking, new RegExp(`${denied}\\.txt new, 1 line\n1 \\+ ${denied}\\.txt`));
  await terminal.shows("❯ Deny");
  await terminal.keys("d");
  await terminal.shows(`Denied write ${denied}.txt`);
  await terminal.shows(new RegExp(`${other}\\.txt new[^]*❯ Deny`));
  await terminal.keys("a");
  await terminal.shows("One of two.");
  assert.equal(await at.place.read(`${other}.txt`), `${other}.txt\n`);
  const told = JSON.stringify(at.server.requests.at(-1)?.body.messages);
  assert.match(told, new RegExp(`wrote ${other}`));
  assert.match(told, new RegExp(`It stopped: write.*${denied}\\.txt.*The user denied this call`));
});
