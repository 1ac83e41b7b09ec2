import assert from "node:assert/strict";
import { HistorySource } from "../../../src/modes/interactive/history_source.ts";

const ENTRIES = [
  { text: "fix the parser test" },
  { text: "explain the parser", project: "/home/me/tool" },
  { text: "run the tests", project: "/home/me/site" },
  { text: "explain the parser", project: "/home/me/site" },
  { text: "fix the build", project: "/home/me/tool" },
  { text: "deploy to production", project: "/home/me/site" },
  { text: "clear\u001b[2J the screen", project: "/home/me/tool" },
];

async function found(
  letters: string,
  entries: readonly { text: string; project?: string }[] = ENTRIES,
): Promise<string[]> {
  const source = new HistorySource(entries, { project: "/home/me/tool" });
  const { items } = await source.find(letters, new AbortController().signal);
  return items.map(({ label, detail }) => detail === undefined ? label : `${label} (${detail})`);
}

Deno.test("without letters this project's texts come first, each once, the newest first", async () => {
  assert.deepEqual(await found(""), [
    "fix the build",
    "explain the parser",
    "deploy to production (site)",
    "run the tests (site)",
    "fix the parser test",
  ]);
});

Deno.test("letters find texts of all projects, this project's before others that match as well", async () => {
  assert.deepEqual(await found("prod"), ["deploy to production (site)"]);
  assert.equal((await found("fix"))[0], "fix the build");
  assert.equal((await found("parser"))[0], "explain the parser");
  assert.equal((await found("run test"))[0], "run the tests (site)");
  assert.deepEqual(await found("zzz"), []);
});

Deno.test("in a long history the same comes first, and all that matches is counted", async () => {
  const long = Array.from({ length: 3000 }, (_, at) => ({
    text: `what about the file with number ${at} and parts of it`,
    project: "/home/me/site",
  }));
  assert.equal((await found("parser", [...long, ...ENTRIES]))[0], "explain the parser");
  const source = new HistorySource(long, { project: "/x" });
  const { items, rest } = await source.find("number", new AbortController().signal);
  assert.equal(items.length + rest, 3000);
  assert.equal(items[0]?.label, "what about the file with number 2999 and parts of it");
});
