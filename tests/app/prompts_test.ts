import assert from "node:assert/strict";
import { Prompts } from "../../src/app/prompts.ts";
import { ModeSwitch } from "../../src/permission/mode_switch.ts";
import { type Harness, harness } from "../support/agent_harness.ts";
import { boundsOf } from "../support/focus.ts";

/** Prompts over a real directory; every one that was waited for is listed. */
function promptsIn(test: Harness) {
  const mode = new ModeSwitch();
  const focus = boundsOf(test);
  const prepared: string[] = [];
  const models = { prepareFor: (prompt: string) => Promise.resolve(void prepared.push(prompt)) };
  const attaching = {
    files: test.workspace,
    home: "",
    servers: undefined,
    otherNames: () => [],
    emit: test.deps.emit,
    fitToWindow: (text: string) => text,
    scheduler: test.deps,
  };
  const refuse = () => Promise.reject(new Error("no images here"));
  const media = { waiting: [], takeImage: refuse, readPdf: refuse };
  const prompts = new Prompts({ attaching, media, mode, focus, models });
  return { mode, focus, prepared, prompts };
}

Deno.test("a prompt holds the words, what they attach, what was piped in, and then what is new, each once", async () => {
  await using test = await harness({ files: { "a.txt": "inside\n", "b.txt": "no\n" } });
  const { mode, prompts, prepared } = promptsIn(test);
  mode.set("plan");
  prompts.tellModel("The user has noted: use tabs");
  const prompt = await prompts.turn("look at @a.txt", { piped: "piped, with @b.txt" });
  const order = ["look at @a.txt", "inside", "piped, with @b.txt", "use tabs", "Plan mode is on"];
  assert.deepEqual(order.map((part) => prompt.indexOf(part)).toSorted((a, b) => a - b), [
    ...order.map((part) => prompt.indexOf(part)),
  ]);
  assert.ok(order.every((part) => prompt.includes(part)), prompt);
  assert.ok(!prompt.includes("no\n"));
  // What is new is not told to a prompt that is given up meanwhile.
  assert.deepEqual(prepared, [prompt.slice(0, prompt.indexOf("\n\n[The user has noted"))]);
  assert.equal(await prompts.turn("again"), "again");
});

Deno.test("another agent's task tells it nothing of this conversation, which waits for the next prompt", async () => {
  await using test = await harness();
  const { mode, prompts } = promptsIn(test);
  mode.set("plan");
  prompts.tellModel("a note");
  assert.equal(await prompts.task("do it", { piped: "input" }), "do it\n\ninput");
  assert.match(await prompts.complete("command's text"), /a note[^]*Plan mode is on/);
});

Deno.test("words that steer a turn are told what is new, and wait for no window", async () => {
  await using test = await harness();
  const { prompts, prepared } = promptsIn(test);
  prompts.tellModel("a note");
  assert.equal(await prompts.steering("faster"), "faster\n\n[a note]");
  assert.deepEqual(prepared, []);
});
