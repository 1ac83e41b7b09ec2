import assert from "node:assert/strict";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { makePlace, runAlly } from "../support/program.ts";

const REPLIES = [
  {
    calls: [
      { name: "grep", arguments: { pattern: "(o)ld", replace: "$1ther", include: "*.ts" } },
      { name: "format", arguments: { file_paths: ["a.ts"] } },
      { name: "lint", arguments: { file_paths: ["a.ts"] } },
    ],
  },
  { text: "Done." },
];
const FILES = { "deno.json": "{}", "a.ts": "export let  old=1\n" };

/** Runs the calls above; gives the exit code, what the model was told and what the file holds. */
async function run(flags: readonly string[]) {
  await using server = await startScriptedServer({ replies: REPLIES });
  await using place = await makePlace({ endpoint: server.url, files: FILES });
  const { code } = await runAlly(place, { args: ["-p", ...flags, "tidy up"] });
  const messages = server.requests.at(-1)?.body.messages as { role: string; content: string }[];
  const told = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  return { code, told, text: await place.read("a.ts") };
}

Deno.test("ally -p replaces, formats and lints in one reply, each on what the one before left", async () => {
  const { code, told, text } = await run(["--allow-write", "--allow-run=deno"]);
  assert.equal(text, "export let other = 1;\n");
  assert.match(
    told[0] ?? "",
    /^Replaced 1 match in 1 file\na\.ts:\n {2}Line 1: - export let {2}old=1/,
  );
  assert.match(told[1] ?? "", /^1 of 1 file was changed by deno\n/);
  assert.match(told[2] ?? "", /by deno\na\.ts:1:12 warning prefer-const `other` is never/);
  assert.equal(code, 0);
});

Deno.test("ally -p runs no formatter and no linter that no flag allows", async () => {
  const { code, told, text } = await run(["--allow-write"]);
  assert.equal(text, "export let  other=1\n");
  assert.match(
    told[1] ?? "",
    /Permission denied: deno fmt formats files of the workspace; allow it with --allow-run/,
  );
  assert.match(told[2] ?? "", /Not run, because an earlier call/);
  assert.equal(code, 3);
});
