import assert from "node:assert/strict";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { makePlace, runAlly } from "../support/program.ts";

/** Lets a model write a broken file, and returns the result it got for that. */
async function resultOfWrite(config: Readonly<Record<string, unknown>>): Promise<string> {
  await using server = await startScriptedServer({
    replies: [
      { calls: [{ name: "write", arguments: { file_path: "a.py", content: "f(\n" } }] },
      { text: "Done." },
    ],
  });
  await using place = await makePlace({ endpoint: server.url });
  await Deno.mkdir(place.home, { recursive: true });
  await Deno.writeTextFile(`${place.home}/config.json`, JSON.stringify(config));
  const done = await runAlly(place, { args: ["-p", "--allow-write", "go"] });
  assert.equal(done.code, 0, done.stderr);
  const messages = server.requests.at(-1)?.body.messages as { role: string; content: string }[];
  return messages.find((message) => message.role === "tool")?.content ?? "";
}

Deno.test("a model reads the syntax errors of what it wrote", async () => {
  const result = JSON.parse(await resultOfWrite({}));
  assert.equal(result.file_check.checker, "python");
  assert.equal(result.file_check.errors[0].message, "missing ')' for this '('");
});

Deno.test("file_checks false in the configuration turns the checks off", async () => {
  const result = JSON.parse(await resultOfWrite({ file_checks: false }));
  assert.equal(result.success, true);
  assert.equal("file_check" in result, false);
});
