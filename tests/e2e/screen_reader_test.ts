/**
 * A session that a screen reader can follow: lines that stay, in words, and nothing drawn.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { stripControls } from "../../src/lib/text.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { stage } from "../support/program.ts";

const SCRIPT = [
  {
    thinking: "Hm.",
    text: "I look.",
    calls: [
      { name: "bash", arguments: { command: "echo out; exit 1" } },
      { name: "read", arguments: { file_paths: ["a.txt"] } },
    ],
  },
  {
    text: "# Title\n\n- one\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n",
    calls: [{
      name: "edit",
      arguments: { file_path: "a.txt", old_string: "two", new_string: "2" },
    }],
  },
  { text: "All done." },
];

Deno.test("a session for a screen reader is lines in words, whose cursor never moves", async () => {
  for (const said of ["variable", "setting"]) {
    await using at = await stage(SCRIPT, { "a.txt": "one\ntwo\n" });
    await Deno.mkdir(at.place.home, { recursive: true });
    const config = { screen_reader: said === "setting" };
    await Deno.writeTextFile(join(at.place.home, "config.json"), JSON.stringify(config));
    const env = { ALLY_SCREEN_READER: said === "variable" ? "1" : "" };
    await using session = startInTerminal(at.place, {
      env,
      args: ["--allow-run", "--allow-write"],
    });
    await session.keys("-l", "go\n");
    await session.shows(/All done\.[^]*\n>$/);
    await session.keys("-l", "/exit\n");
    await session.shows("left 0");
    const output = new TextDecoder().decode(await session.output());
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(output, /\x1b(?!\[[\d;]*m)|\r(?!\n)|[\u2500-\u28ff•›❯⎿✗✓]/);
    const lines = stripControls(output).split("\n");
    for (
      const line of [
        "Working.",
        "Running bash: echo out; exit 1",
        "Failed: bash echo out; exit 1",
        "Done: read a.txt",
        "a: 1",
        "b: 2",
        "Running edit: a.txt",
      ]
    ) assert.ok(lines.includes(line), `${line} in\n${lines.join("\n")}`);
    assert.match(output, /Finished - /);
  }
});
