/**
 * What somebody types on the first days: flags with an unset variable behind them, names that are not there, words and
 * options of other agents. Each is answered with what happened and what to do, and nothing goes to the model in silence.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../src/cli/run.ts";
import { createMemoryIo } from "../support/memory_io.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";
import { makePlace, type Place, runAlly, stage } from "../support/program.ts";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { SKILL_PLACES, skillText, writeFiles } from "../support/skill_place.ts";

async function refused(place: Place, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runAlly(place, { args });
  assert.equal(code, 2, `${args.join(" ")}: ${stderr}`);
  assert.equal(stdout, "", args.join(" "));
  return stderr;
}

Deno.test("an option with an empty value, as from an unset variable, is refused, whatever the option", async () => {
  await using at = await stage([]);
  const options =
    "--cwd --add-dir --resume --fork --record --replay --receipt --image --plugin-dir " +
    "--output-schema --model --endpoint --fallback-model --allow-plugin";
  for (const option of options.split(" ")) {
    assert.match(await refused(at.place, ["-p", option, "", "hi"]), /It must not be empty/, option);
  }
  assert.match(await refused(at.place, ["-p", "--allow-plugin=", "hi"]), /It must not be empty/);
  assert.equal(at.server.requests.length, 0);
});

Deno.test("--add-dir does not take the whole disk, and the error says what to do instead", async () => {
  await using at = await stage([]);
  for (const disk of ["/", "/tmp/.."]) {
    const told = await refused(at.place, ["-p", "-A", "--add-dir", disk, "hi"]);
    assert.match(told, /Cannot add the directory \/: it is the whole disk/);
    assert.match(told, /Name the directories that are needed, or start in it \(-C \/\)/);
  }
  for (const directory of ["/usr", "/usr/bin"]) {
    const told = await refused(at.place, ["-p", "-A", "--add-dir", directory, "hi"]);
    assert.match(told, /Cannot add the directory \/usr\S*: it holds programs of the system/);
  }
  assert.equal(at.server.requests.length, 0);
});

Deno.test("--continue and --resume exclude each other; last stands for the id of the last session", async () => {
  await using at = await stage([{ text: "One.", repeat: 9 }]);
  const resumed = async (...args: string[]) => {
    const flags = ["-p", "--output-format", "json", ...args];
    const { code, stdout, stderr } = await runAlly(at.place, { args: flags });
    assert.equal(code, 0, stderr);
    return { id: JSON.parse(stdout).session_id, stderr };
  };
  // Who reads JSON is warned, too.
  assert.match((await resumed("--resume", "last", "hi")).stderr, /There is no session in this/);
  assert.match(await refused(at.place, ["-p", "-c", "-r", "last", "hi"]), /cannot be used with/);
  const { id } = await resumed("first");
  assert.equal((await resumed("--resume", "last", "and now?")).id, id);
  const fork = await resumed("--fork", "last", "and now?");
  assert.notEqual(fork.id, id);
  const [, , , , , last] = at.server.requests.at(-1)!.body.messages as { content: string }[];
  assert.equal(last?.content, "and now?");
});

Deno.test("a prompt of blanks is none", async () => {
  await using at = await stage([]);
  for (const input of [undefined, " \n"]) {
    const done = await runAlly(at.place, { args: ["-p", "  "], ...input && { input } });
    assert.equal(done.code, 2);
    assert.match(done.stderr, /There is no prompt\. Give one/);
  }
  const { stdout } = await runAlly(at.place, { args: ["-p", "--output-format", "json"] });
  assert.match(JSON.parse(stdout).error, /There is no prompt/);
  assert.equal(at.server.requests.length, 0);
});

Deno.test("behind -p the name of a command is a prompt like any other word", async () => {
  await using at = await stage([{ text: "Fine.", repeat: 9 }]);
  for (const args of [["-p", "doctor"], ["-cp", "undo"], ["--print", "config", "list"]]) {
    assert.equal((await runAlly(at.place, { args })).stdout, "Fine.\n", args.join(" "));
  }
  assert.equal(at.server.requests.length, 3);
});

Deno.test("options and commands of other agents are answered with ally's own", async () => {
  await using at = await stage([]);
  const rows: [args: string[], says: RegExp][] = [
    [["-p", "--dangerously-skip-permissions", "go"], /In ally that is --allow-all \(-A\)\./],
    [["-p", "--allowedTools", "Bash", "go"], /In ally that is --allow-write, --allow-run=PROGRAMS/],
    [["-p", "--json", "go"], /In ally that is --output-format json or stream-json\./],
    [["-p", "--max-budget-usd", "1", "go"], /In ally that is --max-cost\./],
    [["-p", "--timeout", "9", "go"], /In ally that is --max-time\./],
    [["sessions", "show", "last", "--jsn"], /Did you mean --json\?/],
    [["update"], /There is no command 'update'\. Did you mean ally upgrade\?.*ally -p "update"/],
    [["login"], /Did you mean ally init\?/],
    [["version"], /Did you mean ally --version\?/],
    [["resume"], /Did you mean ally --resume\?/],
    [["hep"], /Did you mean ally help\?/],
  ];
  for (const [args, says] of rows) assert.match(await refused(at.place, args), says);
  assert.equal(at.server.requests.length, 0);
});

Deno.test("a mistyped @name is said before it goes to the model as text; any other @word is text", async () => {
  await using at = await stage([{ text: "Hm.", repeat: 99 }]);
  await writeFiles(join(at.place.home, "agents"), { "reviewer.md": "You review." });
  await writeFiles(SKILL_PLACES.own(at.place), { "tea/SKILL.md": skillText("tea", "Boil.") });
  const said = async (prompt: string) => (await runAlly(at.place, { args: ["-p", prompt] })).stderr;
  assert.match(
    await said("@reviwer look at this"),
    /@reviwer names no agent, skill or file, so it is sent as text\. Did you mean @reviewer\?/,
  );
  assert.match(await said("have @reviewr look"), /Did you mean @reviewer\?/);
  assert.match(await said("@nobody look at this"), /@nobody names no agent, skill or file/);
  for (const prompt of ["the tag @param here", "ask @reviewer too", "@tea please", "a@b.de"]) {
    assert.doesNotMatch(await said(prompt), /sent as text/, prompt);
  }
});

Deno.test("a command that is not there is said, with the nearest, and goes to the model as text", async () => {
  await using at = await stage([{ text: "Hm.", repeat: 9 }]);
  await writeFiles(join(at.place.home, "commands"), { "review.md": "Review." });
  await writeFiles(SKILL_PLACES.own(at.place), { "tea/SKILL.md": skillText("tea", "Boil.") });
  const said = async (prompt: string) => {
    const { code, stderr } = await runAlly(at.place, { args: ["-p", prompt] });
    assert.equal(code, 0, stderr);
    return stderr;
  };
  assert.match(await said("/reviw src"), /no command \/reviw\. Did you mean \/review\?/);
  assert.match(await said("/te a"), /no command \/te\. Did you mean .*\/tea/);
  assert.match(await said("!ls"), /begins with ! runs a command at the prompt only/);
  assert.match(await said("/zzzz"), /no command \/zzzz\. What you typed is sent as text\./);
  assert.match(await said("/revind"), /Did you mean \/rewind\? What you typed is sent as text\./);
  assert.doesNotMatch(await said("/etc/hosts is what?"), /command/);
});

Deno.test("a file to write in a directory that is not there is told by that directory", async () => {
  await using at = await stage([{ text: "Hi." }]);
  await runAlly(at.place, { args: ["-p", "hi"] });
  const path = join(at.place.dir, "none", "f.md");
  const why = `there is no directory ${join(at.place.dir, "none")}.`;
  for (const args of [["--record", path], ["--receipt", path]]) {
    assert.ok((await refused(at.place, ["-p", ...args, "hi"])).includes(why), args[0]);
  }
  assert.ok((await refused(at.place, ["sessions", "export", "last", path])).includes(why));
  const other = await refused(at.place, ["sessions", "export", "last", "talk.docx"]);
  assert.match(other, /written as Markdown, HTML or JSON, not as \.docx\. Name it talk\.md/);
});

Deno.test("what a person set up at the terminal mistyped stays in the line, to be mended", async () => {
  await using server = await startScriptedServer({ replies: [], models: ["only"] });
  await using place = await makePlace();
  const terminal = new MemoryTerminal({ columns: 90, rows: 40 });
  const env = { ...place.env, OPENAI_BASE_URL: "", OPENAI_API_KEY: "", TERM: "xterm-256color" };
  const io = createMemoryIo({ env, cwd: place.dir, terminal });
  const running = run(["init", "--ports", "1"], io);
  await terminal.shown(/And now\?[^]*leave/);
  io.type("\x1b[B");
  io.type("\r");
  await terminal.shown(/Which service\?[^]*another one/);
  io.type("another");
  await terminal.shown(/❯ another one/);
  io.type("\r");
  await terminal.shown(/Esc goes back\n›/);
  const address = new URL(server.url).host;
  io.type(`${address}/v2\r`);
  await terminal.shown(
    new RegExp(`Did you mean http://${address}/v2\\?[^]*› http://${address}/v2`),
  );
  io.type("\r");
  await terminal.shown(/404[^]*› http:[^\n]*\/v2$/);
  io.type("\x7f1\r");
  await terminal.shown(/calls tools|does not call|Nothing|only/);
  io.type("\x03");
  await running;
  assert.match(terminal.screen, /only/);
});

Deno.test("the address of a server may be typed into each list of servers and services", async () => {
  await using server = await startScriptedServer({ replies: [], models: ["only"] });
  const { host } = new URL(server.url);
  const env = { OPENAI_BASE_URL: "", OPENAI_API_KEY: "", ALLY_MODEL: "" };
  const lists = [{ ports: "1", keys: [] }, { ports: "1", keys: ["\x1b[B", "\r"] }, {
    ports: new URL(server.url).port,
    keys: [],
  }];
  for (const { ports, keys } of lists) {
    await using place = await makePlace();
    const terminal = new MemoryTerminal({ columns: 90, rows: 40 });
    const io = createMemoryIo({ env: { ...place.env, ...env }, cwd: place.dir, terminal });
    const running = run(["init", "--ports", ports], io);
    await terminal.shown(/(And now|Which server)\?[^]*elsewhere/);
    for (const key of keys) io.type(key);
    if (keys.length > 0) await terminal.shown(/Which service\?[^]*another one/);
    io.type(`${host}/v1`);
    await terminal.shown(new RegExp(`❯ use http://${host}/v1`));
    io.type("\r");
    await terminal.shown(/calls tools|does not call|Nothing|only/);
    io.type("\x03");
    await running;
    assert.doesNotMatch(terminal.screen, /Esc goes back/);
  }
});

Deno.test("a terminal that redraws nothing takes a typed address where a number was asked for", async () => {
  await using server = await startScriptedServer({ replies: [], models: ["only"] });
  await using place = await makePlace();
  const terminal = new MemoryTerminal({ columns: 90, rows: 40 });
  const env = { ...place.env, OPENAI_BASE_URL: "", OPENAI_API_KEY: "", TERM: "dumb" };
  const io = createMemoryIo({ env, cwd: place.dir, terminal });
  const running = run(["init", "--ports", "1"], io);
  await terminal.shown(/And now\?[^]*\[1-3\]/);
  io.type(`${server.url}\r`);
  await terminal.shown(/calls tools|does not call|Nothing|only/);
  io.type("\x03");
  await running;
  assert.match(terminal.screen, /only/);
});

Deno.test("a flag that allows what another one denies is said to allow nothing", async () => {
  await using at = await stage([{ text: "Hi.", repeat: 9 }]);
  const rows: [args: string[], said: string[]][] = [
    [["--plan", "--allow-write"], ["--allow-write allows nothing: --plan denies it."]],
    [["--allow-run=git", "--deny-run"], ["--allow-run allows nothing: --deny-run denies it."]],
    [["--allow-run", "--deny-run=git"], []],
    [["--plan", "-A"], []],
  ];
  for (const [args, said] of rows) {
    const { code, stderr } = await runAlly(at.place, { args: ["-p", ...args, "hi"] });
    assert.equal(code, 0, stderr);
    const lines = stderr.split("\n").filter((line) => line.includes("allows nothing"));
    assert.deepEqual(lines, said.map((one) => `warning: ${one}`), args.join(" "));
  }
});

Deno.test("what is left out is said with its reason, and where to see more of it", async () => {
  await using at = await stage([{ text: "Hi.", repeat: 9 }]);
  await writeFiles(at.place.home, {
    "plugins/odd/plugin.json": '{"manifest": 1, "name": "odd"}',
    "skills/odd/SKILL.md": "no head",
    "mcp.json": '{"mcpServers": {"gone": {"command": "false"}}}',
  });
  const { stderr } = await runAlly(at.place, { args: ["-p", "hi"] });
  assert.match(stderr, /odd is left out: .*: it has no "version"; plugin\.json line .*"tools"$/m);
  assert.match(stderr, /MCP server gone is off: .*exit code 1\. ally mcp test gone shows more\./);
  const { stdout } = await runAlly(at.place, { args: ["skills", "list"] });
  assert.match(stdout, /does not act: it cannot be used: it does not begin with a head/);
});

Deno.test("a path on which a file stands where a directory would be needs another path, not another try", async () => {
  const replies = [
    { calls: [{ name: "write", arguments: { file_path: "a.txt", content: "a" } }] },
    { calls: [{ name: "write", arguments: { file_path: "a.txt/b", content: "b" } }] },
    { text: "Hm." },
  ];
  await using at = await stage(replies);
  const args = ["-p", "--allow-write", "--output-format", "stream-json", "go"];
  const { stdout } = await runAlly(at.place, { args });
  const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const { error, suggestion } = events.findLast(({ type }) => type === "tool_end").result;
  assert.match(error, /Cannot write a\.txt\/b: a part of the path is not a directory\./);
  assert.match(suggestion, /every part but the last is a directory/);
});

Deno.test("what does not fit the event of a hook is said with its place", async () => {
  await using place = await makePlace();
  const said = await refused(place, ["hooks", "test", "before_tool", "--with", '{"tool": 1}']);
  assert.match(said, /does not fit before_tool\. At 'tool': It must be a string, not a number\./);
});

Deno.test("a model is told in plain words what does not fit the schema of a tool", async () => {
  const replies = [
    { calls: [{ name: "read", arguments: { file_paths: [] } }] },
    { text: "Hm." },
  ];
  await using at = await stage(replies);
  await runAlly(at.place, { args: ["-p", "go"] });
  const told = at.server.requests[1]!.text;
  assert.match(told, /Invalid 'file_paths': It must have at least 1 item, not 0\./);
});
