/**
 * The examples for the library do what they say.
 */
import assert from "node:assert/strict";
import { describeProject } from "../../scripts/examples/ask.ts";
import { fix } from "../../scripts/examples/follow.ts";
import { explainTicket } from "../../scripts/examples/own_tool.ts";
import { stage } from "../support/program.ts";

Deno.test("ask.ts has an answer as a value", async () => {
  await using at = await stage([{ text: '{"language": "Rust", "tests": false}' }]);
  const { env, dir: cwd } = at.place;
  assert.equal(await describeProject({ env, cwd }), "Rust, without tests");
});

Deno.test("own_tool.ts lets the model call a tool of the program", async () => {
  await using at = await stage([
    { calls: [{ name: "find_ticket", arguments: { number: 7 } }] },
    { text: "An empty line counts." },
  ]);
  const { env, dir: cwd } = at.place;
  assert.equal(await explainTicket(7, { env, cwd }), "An empty line counts.");
  assert.match(at.server.requests[1]!.text, /The total is wrong/);
});

Deno.test("follow.ts tells what happens, answers questions, and goes on with the session", async () => {
  const write = { name: "write", arguments: { file_path: "a.txt", content: "1\n" } };
  const test = { name: "bash", arguments: { command: "mkdir made && echo ran" } };
  await using at = await stage([{ calls: [write, test] }, { text: "Fixed." }, {
    text: "It was 2.",
  }]);
  const { env, dir: cwd } = at.place;
  const lines: string[] = [];
  assert.equal(
    await fix({ env, cwd, settings: { sandbox: "off" } }, (line) => lines.push(line)),
    "It was 2.",
  );
  assert.equal(await at.place.read("a.txt"), "1\n");
  assert.ok((await Deno.stat(`${cwd}/made`)).isDirectory);
  assert.ok(lines.includes("ended: done"), lines.join("\n"));
  assert.match(at.server.requests[2]!.text, /Fixed\./);
});
