/**
 * Whatever a model, a file, a tool, a name or a server says, the bytes that reach the terminal hold no control
 * sequence of theirs: every place that shows text, the bytes as they come.
 */
import assert from "node:assert/strict";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { EVIL, EVIL_NAME, found, withoutOwnStrings } from "../support/evil.ts";
import { makePlace, runAlly, stage } from "../support/program.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const NAME = EVIL_NAME.slice(0, 60);
const CALLS = [
  { name: "ls", arguments: { file_path: "." } },
  { name: "read", arguments: { file_paths: ["evil.txt"] } },
  { name: "read", arguments: { file_paths: [EVIL_NAME] } },
  { name: `no${EVIL_NAME}tool`, arguments: {} },
  { name: "todo_add", arguments: { tasks: [{ task: EVIL }] } },
  { name: "grep", arguments: { pattern: "start", path: "." } },
  {
    name: "bash",
    arguments: { command: "cat evil.txt; cat evil.txt >&2; exit 1", description: EVIL },
  },
  { name: "write", arguments: { file_path: "new.txt", content: EVIL } },
  { name: "edit", arguments: { file_path: "evil.txt", old_string: "end", new_string: EVIL } },
  { name: "ally_write", arguments: { section: EVIL_NAME, content: EVIL } },
];

Deno.test("nothing shown in a session at a terminal carries a control sequence", async () => {
  const server = await startScriptedServer({
    models: ["scripted", `m${EVIL_NAME}`],
    replies: [
      ...CALLS.map((call) => ({ text: EVIL, thinking: EVIL, calls: [call] })),
      {
        text:
          `# ${EVIL}\n\n| a |\n| - |\n| ${EVIL} |\n\n\`\`\`sh\n${EVIL}\n\`\`\`\n[x](http://${EVIL})`,
      },
      { status: 400, text: EVIL },
    ],
  });
  await using place = await makePlace({
    endpoint: server.url,
    files: { "evil.txt": `${EVIL.replaceAll("\0", "")}\n`, [NAME]: "x\n" },
  });
  await using session = startInTerminal(place, { rows: 200, columns: 100 });
  await session.shows(/›$/);
  await session.keys("-l", "go");
  await session.keys("Enter");
  // Where no sandbox holds it, the command asks too.
  const asking = [...(hasBubblewrap() ? [] : ["bash"]), "write", "edit", "ally_write"];
  for (const _ of asking) {
    await session.shows(/❯ Deny/);
    await session.keys("a");
    await session.shows((screen) => !screen.includes("❯ Deny"));
  }
  for (
    const line of [
      "again",
      "/model",
      "/todo",
      "/undo list",
      "/stats",
      "/nosuch",
      "!cat evil.txt",
    ]
  ) {
    await session.shows(/›$/);
    await session.keys("-l", line);
    await session.shows(`› ${line}`);
    await session.keys("Enter");
    if (line === "/model") {
      await session.shows("❯ scripted");
      await session.keys("Escape");
    }
    await session.shows((screen) => !screen.endsWith(`› ${line}`));
  }
  await session.shows(/›$/);
  await session.keys("-l", "@ev");
  await session.keys("Tab", "Tab", "C-c");
  await session.shows(/›$/);
  await session.keys("C-d");
  await session.shows(/left 0/);
  const output = new TextDecoder().decode(await session.output());
  assert.ok(output.includes("\x1b]2;ally: work · asks\x1b\\"));
  assert.deepEqual(found(withoutOwnStrings(output)), []);
  await server.close();
});

Deno.test("nothing that print mode writes carries a control sequence, and JSON reads back the same", async () => {
  const script = [...CALLS.map((call) => ({ text: EVIL, calls: [call] })), { text: EVIL }];
  for (const format of ["text", "json", "stream-json"]) {
    await using at = await stage(script, { "evil.txt": `${EVIL}\n`, [NAME]: "x\n" });
    const args = ["-p", "-A", "--output-format", format, "go"];
    const { stdout, stderr } = await runAlly(at.place, { args });
    assert.deepEqual(found(stdout), [], format);
    assert.deepEqual(found(stderr), [], format);
    if (format === "json") assert.equal(JSON.parse(stdout).text, EVIL);
  }
});

Deno.test("errors on the command line show what they name without its control sequences", async () => {
  await using place = await makePlace();
  for (
    const args of [
      ["-p", "--endpoint", EVIL_NAME, "x"],
      ["-p", `--${EVIL_NAME}`, "x"],
      ["-p", "-C", `/${EVIL_NAME}`, "x"],
      ["permissions", "explain", `rm ${EVIL_NAME}`],
      ["permissions", "explain", "--json", `rm ${EVIL_NAME}`],
    ]
  ) {
    const { stdout, stderr } = await runAlly(place, { args });
    assert.deepEqual(found(stdout + stderr), [], args.join(" "));
    assert.match(stdout + stderr, /start/);
  }
});
