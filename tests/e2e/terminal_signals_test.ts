/**
 * What a session writes to the terminal beside its text, in each kind of terminal, and how to have none of it.
 */
// deno-lint-ignore-file no-control-regex
import assert from "node:assert/strict";
import { join } from "node:path";
import { startInTerminal } from "../support/ally_terminal.ts";
import { stage } from "../support/program.ts";

/** In one piece, so that no frame ends within it. */
const ANSWER = { text: "See https://example.com/guide and `src/a.ts:7`.", chunkSize: 100 };

interface Row {
  readonly env: Readonly<Record<string, string>>;
  readonly config?: unknown;
}

/** All that is written to the terminal in a session of one turn. */
async function written({ env, config }: Row): Promise<string> {
  await using at = await stage([ANSWER]);
  await Deno.mkdir(at.place.home, { recursive: true });
  await Deno.writeTextFile(join(at.place.home, "config.json"), JSON.stringify(config ?? {}));
  await using session = startInTerminal(at.place, { env });
  const enter = env.TERM === "dumb" || env.ALLY_SCREEN_READER ? "\n" : "\r";
  await session.keys("-l", `go${enter}`);
  await session.shows(/guide[^]*[›>]$/);
  await session.keys("-l", `/exit${enter}`);
  await session.shows(/left 0/);
  return new TextDecoder().decode(await session.output());
}

const LINK = "\x1b]8;;https://example.com/guide\x1b\\";

Deno.test("addresses and files are links where the terminal takes them, and files only of its own machine", async () => {
  const kitty = await written({ env: { TERM: "xterm-kitty" } });
  assert.ok(kitty.includes(LINK));
  assert.match(kitty, /\x1b\]8;;file:\/\/\/[^\x1b]*\/src\/a\.ts#7\x1b\\/);
  const remote = await written({ env: { TERM: "xterm-kitty", SSH_CONNECTION: "1 2 3 4" } });
  assert.ok(remote.includes(LINK));
  assert.ok(!remote.includes("]8;;file:"));
});

Deno.test("a call's line links the file that it shows, and nothing that only looks like one", async () => {
  await using at = await stage([
    {
      calls: [
        { name: "read", arguments: { file_paths: ["a.txt"] } },
        { name: "bash", arguments: { command: "cat b.txt" } },
      ],
    },
    ANSWER,
  ], { "a.txt": "one\n", "b.txt": "two\n" });
  await using session = startInTerminal(at.place, {
    env: { TERM: "xterm-kitty" },
    args: ["--allow-run"],
  });
  await session.keys("-l", "go\r");
  await session.shows(/guide[^]*›$/);
  const output = new TextDecoder().decode(await session.output());
  assert.match(
    output,
    /read\x1b\[22m \x1b\]8;;file:\/\/\/[^\x1b]*\/work\/a\.txt\x1b\\a\.txt\x1b\]8;;\x1b\\/,
  );
  assert.doesNotMatch(output, /\x1b\]8;;[^\x1b]*b\.txt/);
});

Deno.test("a session sets the title, marks its prompts and answers, and leaves the terminal as it was", async () => {
  const output = await written({ env: { TERM: "xterm-kitty" } });
  const signs = [...output.matchAll(/\x1b\](133;[A-D](?:;\d)?|2;[^\x1b]*)\x1b\\|\x1b\[2[23];2t/g)]
    .map(([whole, said]) => said ?? whole.slice(2));
  assert.deepEqual(signs, [
    "22;2t",
    "2;ally: work",
    ...["133;A", "133;B", "133;C"],
    "2;ally: work · working",
    "2;ally: work · done",
    ...["133;D;0", "133;A", "133;B", "133;C", "133;D;0"],
    ...["2;", "23;2t"],
  ]);
  assert.ok(output.lastIndexOf("\x1b[?1004l") > output.lastIndexOf("\x1b[?1004h"));
  const builds = await written({ env: { TERM: "xterm-kitty", CI: "true" } });
  assert.doesNotMatch(builds, /\x1b\](133|2);|\x1b\[\?1004/);
});

Deno.test("a terminal that takes nothing, a dumb one, and one that is to get nothing get no such sequence", async () => {
  const rows: Row[] = [
    { env: { TERM: "linux" } },
    { env: { TERM: "dumb", WT_SESSION: "1" } },
    { env: { TERM: "xterm-kitty", ALLY_SCREEN_READER: "1" } },
    { env: { TERM: "xterm-kitty" }, config: { terminal_integration: false } },
  ];
  for (const row of rows) {
    const output = await written(row);
    assert.ok(output.includes("https://example.com/guide"), JSON.stringify(row));
    assert.ok(!output.includes("\x1b]"), JSON.stringify(row));
  }
});
