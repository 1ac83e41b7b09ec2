/**
 * --record, --replay and `ally replay` as a user has them: the real program, real tools, real git.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { scripted, writeServers } from "../support/mcp_place.ts";
import { makePlace, type Place, runAlly, stage } from "../support/program.ts";
import { hasBubblewrap, sandboxFlags } from "../support/sandbox.ts";
import { SKILL_PLACES, skillText, writeFiles } from "../support/skill_place.ts";

Deno.test("a changed prompt of this ally is found too: --append-system-prompt is part of the request", async () => {
  await using t = await stage([{ text: "yes" }]);
  const { place } = t;
  await runAlly(place, { args: ["-p", "--record", "r.jsonl", "hi"] });
  const same = await runAlly(place, { args: ["-p", "--replay", "r.jsonl", "hi"] });
  assert.deepEqual([same.code, same.stdout], [0, "yes\n"]);
  const args = ["-p", "--replay", "r.jsonl", "--append-system-prompt", "Be kind.", "hi"];
  const other = await runAlly(place, { args });
  assert.equal(other.code, 1);
  assert.match(other.stderr, /request 1 is not as recorded/);
  assert.match(other.stderr, /Be kind\./);
  assert.equal(t.server.requests.length, 1);
});

const WORK: readonly ScriptedReply[] = [
  {
    calls: [
      { name: "bash", arguments: { command: "git status --short; git log --oneline; date +%T" } },
      { name: "read", arguments: { file_paths: ["a.txt"] } },
      { name: "ls", arguments: { file_path: "." } },
    ],
  },
  {
    calls: [{
      name: "edit",
      arguments: { file_path: "a.txt", old_string: "wrld", new_string: "world" },
    }],
  },
  { text: "The key ghp_abcdefghijklmnopqrstuvwxyz0123456789 is in .env." },
];

async function git(place: Place, ...args: string[]): Promise<void> {
  const command = new Deno.Command("git", {
    args: ["-c", "user.name=a", "-c", "user.email=a@b", ...args],
    cwd: place.dir,
  });
  assert.ok((await command.output()).success, args.join(" "));
}

Deno.test("a session that changed a git repository runs again from where it began, and changes nothing", async () => {
  const secret = "ghp_zyxwvutsrqponmlkjihgfedcba9876543210";
  await using t = await stage(WORK, { "a.txt": "hello wrld\n", ".env": `TOKEN=${secret}\n` });
  const { place } = t;
  await git(place, "init", "-q");
  await git(place, "add", "-A");
  await git(place, "commit", "-q", "-m", "one");
  await place.write("a.txt", "hello wrld!\n");
  const key = "sk-proj-abcdefghijklmnopqrstuvwx12345678";
  const args = ["-p", "-A", "--record", "r.jsonl", "fix it"];
  const env = { OPENAI_API_KEY: key };
  const recorded = await runAlly(place, { args, env });
  assert.equal(recorded.code, 0, recorded.stderr);
  const text = await place.read("r.jsonl");
  for (const hidden of [key, secret, "ghp_abc", "uthorization"]) {
    assert.ok(!text.includes(hidden), hidden);
  }
  assert.equal(await place.read("a.txt"), "hello world!\n");
  await t.server.close();
  const again = await runAlly(place, {
    args: ["replay", ...sandboxFlags(), "r.jsonl", "--verbose"],
  });
  assert.equal(again.code, 0, again.stdout + again.stderr);
  assert.match(again.stderr, /ok: edit a\.txt/);
  assert.equal(await place.read("a.txt"), "hello world!\n");
  const projects = await Array.fromAsync(Deno.readDir(join(place.home, "projects")));
  assert.equal(projects.length, 1);
});

Deno.test("a session in a repository runs again whatever settings of git the person has", async () => {
  const look = "git status --short; git log --format=%s; git remote; wc -c a.txt more/1";
  await using t = await stage(
    [{ calls: [{ name: "bash", arguments: { command: look } }] }, { text: "done" }],
    { "a.txt": "hello\nthere\n" },
  );
  const { place } = t;
  // More than a recording holds: the replay has them of the commit.
  await Deno.mkdir(join(place.dir, "more"));
  for (let index = 0; index < 450; index++) await place.write(`more/${index}`, "x\ny\n");
  await git(place, "init", "-q");
  await git(place, "add", "-A");
  await git(place, "commit", "-q", "-m", "one");
  const settings = `
    [commit] gpgSign = true
    [core] autocrlf = true
    [core] hooksPath = /nowhere
    [clone] defaultRemoteName = upstream
    [clone] rejectShallow = true
    [submodule] recurse = true
    [init] defaultBranch = trunk
  `;
  await Deno.writeTextFile(join(place.env.HOME ?? "", ".gitconfig"), settings);
  const recorded = await runAlly(place, {
    args: ["-p", "-A", "--record", "r.jsonl", "look"],
  });
  assert.equal(recorded.code, 0, recorded.stderr);
  const again = await runAlly(place, { args: ["replay", ...sandboxFlags(), "r.jsonl"] });
  assert.equal(again.code, 0, again.stdout + again.stderr);
});

Deno.test("a session that commits runs again whoever commits here, or if nobody is known to", async () => {
  const command = "git commit -q --allow-empty -m two; git log";
  await using t = await stage(
    [{ calls: [{ name: "bash", arguments: { command } }] }, { text: "done" }],
    { "a.txt": "hello\n" },
  );
  const { place } = t;
  await git(place, "init", "-q");
  await git(place, "commit", "-q", "--allow-empty", "-m", "one");
  const settings = join(place.env.HOME!, ".gitconfig");
  const settle = (name: string) =>
    Deno.writeTextFile(settings, `[user]\n\tname = ${name}\n\temail = ${name}@example.invalid\n`);
  await settle("Jane");
  const recorded = await runAlly(place, { args: ["-p", "-A", "--record", "r.jsonl", "commit"] });
  assert.equal(recorded.code, 0, recorded.stderr);
  assert.match(t.server.requests[1]!.text, /Author: Jane .*two/);
  for (const act of [() => settle("Bob"), () => Deno.remove(settings)]) {
    await act();
    for (const flags of [sandboxFlags(), ["--no-sandbox"]]) {
      const again = await runAlly(place, { args: ["replay", ...flags, "r.jsonl"] });
      assert.equal(again.code, 0, again.stdout + again.stderr);
    }
  }
});

Deno.test("a session in a repository without a commit runs again in one", async () => {
  await using t = await stage([
    { calls: [{ name: "bash", arguments: { command: "git status; git branch --show-current" } }] },
    { text: "done" },
  ], { "a.txt": "hello\n" });
  await git(t.place, "init", "-q", "-b", "trunk");
  const recorded = await runAlly(t.place, { args: ["-p", "-A", "--record", "r.jsonl", "look"] });
  assert.equal(recorded.code, 0, recorded.stderr);
  assert.ok(t.server.requests[1]?.text.includes("No commits yet"));
  const again = await runAlly(t.place, { args: ["replay", ...sandboxFlags(), "r.jsonl"] });
  assert.equal(again.code, 0, again.stdout + again.stderr);
});

Deno.test("a secret in the name of the working directory is not in the recording, which runs again", async () => {
  await using t = await stage([
    { calls: [{ name: "bash", arguments: { command: "ls" } }] },
    { text: "done" },
  ]);
  const secret = "ghp_zyxwvutsrqponmlkjihgfedcba9876543210";
  await Deno.mkdir(join(t.place.dir, secret));
  await t.place.write(join(secret, "a.txt"), "a\n");
  const record = join(t.place.dir, "r.jsonl");
  const args = ["-p", "-A", "-C", secret, "--record", record, "look"];
  const recorded = await runAlly(t.place, { args });
  assert.equal(recorded.code, 0, recorded.stderr);
  assert.ok(!(await t.place.read("r.jsonl")).includes(secret));
  const again = await runAlly(t.place, { args: ["replay", ...sandboxFlags(), "r.jsonl"] });
  assert.equal(again.code, 0, again.stdout + again.stderr);
});

Deno.test("a recording that is there is not overwritten, and nothing is asked of the server", async () => {
  await using t = await stage([{ text: "yes" }], { "r.jsonl": "mine" });
  const done = await runAlly(t.place, { args: ["-p", "--record", "r.jsonl", "hi"] });
  assert.equal(done.code, 2);
  assert.match(done.stderr, /Cannot record to .*r\.jsonl: it is there already\. Name another file/);
  assert.equal(await t.place.read("r.jsonl"), "mine");
  const inside = await runAlly(t.place, { args: ["-p", "--record", ".", "hi"] });
  assert.match(inside.stderr, /it is a directory\. Name a file in it/);
  assert.equal(t.server.requests.length, 0);
});

Deno.test("a project in which something was changed before is repeated without a difference", async () => {
  const write = (name: string): ScriptedReply => ({
    calls: [{ name: "write", arguments: { file_path: name, content: "x\n" } }],
  });
  await using at = await stage([write("a.txt"), { text: "One." }, write("b.txt"), {
    text: "Two.",
  }]);
  await runAlly(at.place, { args: ["-p", "--allow-write", "first"] });
  await runAlly(at.place, { args: ["-p", "--allow-write", "--record", "r.jsonl", "second"] });
  const again = await runAlly(at.place, { args: ["replay", ...sandboxFlags(), "r.jsonl"] });
  assert.equal(again.code, 0, again.stdout);
});

Deno.test("the model does not find the recording of its own run", async () => {
  await using t = await stage([
    {
      calls: [{ name: "ls", arguments: { file_path: "." } }, {
        name: "glob",
        arguments: { pattern: "*" },
      }],
    },
    { text: "done" },
  ], { "a.txt": "a\n" });
  await runAlly(t.place, { args: ["-p", "--record", "r.jsonl", "hi"] });
  assert.ok((await t.place.read("r.jsonl")).endsWith('{"type":"end"}\n'));
  assert.ok(!t.server.requests[1]?.text.includes("r.jsonl"));
});

Deno.test("a recording that was cut off is good up to the cut, for --replay too", async () => {
  await using t = await stage([
    { calls: [{ name: "ls", arguments: { file_path: "." } }] },
    { text: "done" },
  ]);
  const { place } = t;
  await runAlly(place, { args: ["-p", "--record", "r.jsonl", "hi"] });
  const all = (await place.read("r.jsonl")).split("\n");
  const last = all.findIndex((line) => line.startsWith('{"type":"response","id":2'));
  const cut = [...all.slice(0, last), all[last]!.slice(0, 100)].join("\n");
  await Deno.remove(join(place.dir, "r.jsonl"));
  await Deno.writeTextFile(join(place.home, "cut.jsonl"), cut);
  const file = join(place.home, "cut.jsonl");
  const done = await runAlly(place, { args: ["replay", ...sandboxFlags(), file] });
  assert.equal(done.code, 0, done.stdout);
  assert.match(
    done.stdout,
    /As recorded: \d requests? in 1 turn; there the recording was cut off\./,
  );
  const print = await runAlly(place, { args: ["-p", "--replay", file, "hi"] });
  assert.equal(print.code, 1);
  assert.match(print.stderr, /has no recorded answer: the recording was cut off there/);
});

Deno.test("what is no recording is refused with the line and what to do", async () => {
  await using place = await makePlace({ files: { "x.jsonl": '{"role":"user"}\n' } });
  const foreign = await runAlly(place, { args: ["replay", ...sandboxFlags(), "x.jsonl"] });
  assert.equal(foreign.code, 2);
  assert.match(foreign.stderr, /Cannot replay .*x\.jsonl: line 1 is not the header of a recording/);
  const missing = await runAlly(place, { args: ["-p", "--replay", "no.jsonl", "hi"] });
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /Cannot replay .*no\.jsonl: there is no such file/);
});

Deno.test("whatever a recording allows itself, its run again reaches nothing outside the copy", async () => {
  await using place = await makePlace({ files: { "mine.txt": "mine\n" } });
  const outside = join(place.dir, "mine.txt");
  const call = { name: "write", arguments: { file_path: outside, content: "theirs\n" } };
  await using t = await stage([{ calls: [call] }, { text: "done" }]);
  const args = ["-p", `--allow-write=${place.dir}`, "--record", "r.jsonl", "go"];
  await runAlly(t.place, { args });
  const record = await t.place.read("r.jsonl");
  await t.place.write("all.jsonl", record.replace('"allowAll":false', '"allowAll":true'));
  await place.write("mine.txt", "mine\n");
  for (const name of ["r.jsonl", "all.jsonl"]) {
    const done = await runAlly(t.place, { args: ["replay", ...sandboxFlags(), name] });
    assert.equal(done.code, 1, done.stdout);
    assert.equal(await place.read("mine.txt"), "mine\n");
  }
});

Deno.test("what a recording brings along starts no MCP server, unless the person trusts it here", async () => {
  await using t = await stage([{ text: "done" }]);
  await runAlly(t.place, { args: ["-p", "--record", "r.jsonl", "go"] });
  const [header = "", ...lines] = (await t.place.read("r.jsonl")).split("\n");
  const started = join(t.place.home, "started");
  const server = { command: "sh", args: ["-c", `touch ${started}; cat`] };
  const files = { ".ally/mcp.json": { text: JSON.stringify({ mcpServers: { theirs: server } }) } };
  const foreign = [
    header.replace('"trusted":false', '"trusted":true'),
    ...lines.map((line) =>
      line.startsWith('{"type":"files"') ? JSON.stringify({ type: "files", files }) : line
    ),
  ];
  await t.place.write("foreign.jsonl", foreign.join("\n").replace("Answer briefly", "Answer"));
  const off = await runAlly(t.place, { args: ["replay", ...sandboxFlags(), "foreign.jsonl"] });
  assert.equal(off.code, 1);
  await assert.rejects(Deno.stat(started), Deno.errors.NotFound);
  await runAlly(t.place, {
    args: ["replay", ...sandboxFlags(), "foreign.jsonl", "--trust-project"],
  });
  assert.ok((await Deno.stat(started)).isFile);
});

Deno.test({
  name: "no line of a recording gets a command out of the sandbox",
  ignore: !hasBubblewrap(),
  async fn() {
    await using place = await makePlace();
    const outside = join(place.dir, "theirs.txt");
    const command = `echo theirs > ${outside}`;
    await using t = await stage([
      { calls: [{ id: "c1", name: "bash", arguments: { command } }] },
      { text: "done" },
    ]);
    await runAlly(t.place, { args: ["-p", "-A", "--record", "r.jsonl", "go"] });
    const record = (await t.place.read("r.jsonl"))
      .replace('"interactive":false', '"interactive":true');
    const note = (line: Record<string, unknown>) => `${JSON.stringify(line)}\n`;
    const allow = { type: "answer", call_id: "c1", tool: "bash", answer: { kind: "allow" } };
    const typed = note({ type: "prompt", shell: command });
    const end = note({ type: "end" });
    await t.place.write("answered.jsonl", record.replace(end, note(allow) + note(allow) + end));
    await t.place.write("typed.jsonl", record.replace(end, typed + end));
    for (const name of ["answered.jsonl", "typed.jsonl"]) {
      await runAlly(t.place, { args: ["replay", ...sandboxFlags(), name] });
      await assert.rejects(Deno.stat(outside), Deno.errors.NotFound, name);
    }
  },
});

Deno.test("a session at the terminal is recorded with its answers and typed commands, and runs again", async () => {
  await using t = await stage([
    { calls: [{ name: "bash", arguments: { command: "cp hello.sh copy.sh" } }] },
    { text: "It is copied." },
    { text: "Still there." },
  ], { "hello.sh": "echo hello\n" });
  {
    await using session = startInTerminal(t.place, { args: ["--record", "r.jsonl"] });
    await session.shows(/›$/);
    await session.keys("-l", "run it");
    await session.keys("Enter");
    await session.shows(/❯ Deny/);
    await session.keys("w");
    await session.shows(/It is copied\.[^]*›$/);
    await session.keys("-l", "!echo typed > new.txt");
    await session.keys("Enter");
    await session.shows(/created new\.txt[^]*›$/);
    await session.keys("-l", "and now?");
    await session.keys("Enter");
    await session.shows(/Still there\.[^]*›$/);
    await session.keys("-l", "/exit");
    await session.keys("Enter");
    await session.shows(/left 0/);
  }
  const done = await runAlly(t.place, { args: ["replay", ...sandboxFlags(), "r.jsonl"] });
  assert.equal(done.code, 0, done.stdout + done.stderr);
  assert.match(done.stdout, /As recorded: 3 requests in 2 turns\./);
});

Deno.test("what was typed while ally worked steers the run again at the same place", async () => {
  await using t = await stage([
    { calls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.1; done" } }] },
    { text: "Turned." },
  ], { "a.txt": "a\n" });
  {
    const args = ["--allow-run", "--record", "r.jsonl"];
    await using session = startInTerminal(t.place, { args });
    await session.shows(/›$/);
    await session.keys("-l", "begin");
    await session.keys("Enter");
    await session.shows(/Running…/);
    await session.keys("-l", "first the docs");
    await session.keys("Enter");
    await session.shows(/queued: first the docs/);
    await t.place.write("go", "");
    await session.shows(/Turned\.[^]*›$/);
    await session.keys("-l", "/exit");
    await session.keys("Enter");
    await session.shows(/left 0/);
  }
  // What ended the command came from outside of the run.
  const text = await t.place.read("r.jsonl");
  await t.place.write("r.jsonl", text.replace('"files":{"', '"files":{"go":{"text":""},"'));
  const done = await runAlly(t.place, { args: ["replay", ...sandboxFlags(), "r.jsonl"] });
  assert.equal(done.code, 0, done.stdout + done.stderr);
  assert.match(done.stdout, /As recorded: 2 requests in 1 turn\./);
});

const SUMMARY = `## Goal\nMake things.\n## State\n${"A file was made and taken back. ".repeat(12)}`;

Deno.test("commands that were typed, a choice, a note and an interrupted call are done again", async () => {
  await using t = await stage([
    { calls: [{ id: "c1", name: "bash", arguments: { command: "echo begun; sleep 60" } }] },
    { calls: [{ id: "c2", name: "write", arguments: { file_path: "n.txt", content: "x\n" } }] },
    { text: "Written." },
    { calls: [{ id: "c3", name: "ls", arguments: { file_path: "." } }] },
    { text: "Gone." },
    { text: SUMMARY },
    { text: "Done." },
  ], { "ALLY.md": "# Notes\n" });
  {
    const args = ["--trust-project", "--allow-run", "--allow-write", "--record", "r.jsonl"];
    await using session = startInTerminal(t.place, { args });
    const say = async (line: string, shown: RegExp) => {
      await session.keys("-l", line);
      await session.keys("Enter");
      await session.shows(shown);
    };
    await session.shows(/›$/);
    await say("go", /begun[^]*Running…/);
    await session.keys("C-c");
    await session.shows(/nterrupted[^]*›$/);
    await say("again", /Written\.[^]*›$/);
    await say("/undo", /❯ No/);
    await session.keys("y");
    await session.shows(/removed n\.txt[^]*›$/);
    await say("#be brief", /Noted in[^]*›$/);
    await say("look", /Gone\.[^]*›$/);
    await say("/compact", /compacted[^]*›$/i);
    await say("and now", /Done\.[^]*›$/);
    await say("/exit", /left 0/);
  }
  const done = await runAlly(t.place, { args: ["replay", ...sandboxFlags(), "r.jsonl"] });
  assert.equal(done.code, 0, done.stdout + done.stderr);
  assert.match(done.stdout, /As recorded: 7 requests in 4 turns\./);

  const before = await t.place.read("r.jsonl");
  await t.place.write(
    "r.jsonl",
    before.replaceAll("Answer briefly, in Markdown", "Answer briefly; in Markdown"),
  );
  const update = await runAlly(t.place, {
    args: ["replay", ...sandboxFlags(), "--update", "r.jsonl"],
  });
  assert.equal(update.code, 0, update.stdout);
  const typed = (text: string) => text.match(/"type":"(prompt|choice)"[^\n]*/g) ?? [];
  assert.equal(typed(before).length, 8);
  assert.deepEqual(typed(await t.place.read("r.jsonl")), typed(before));
});

Deno.test("a recorded run goes without skills and the search, and its replay is the same", async () => {
  await using t = await stage([{ text: "One." }, { text: "Two." }]);
  const record = (name: string) => runAlly(t.place, { args: ["-p", "--record", name, "hi"] });
  const plain = await record("plain.jsonl");
  assert.equal(plain.stderr, "");
  await writeFiles(SKILL_PLACES.agents(t.place), { "tea/SKILL.md": skillText("tea", "Brew.") });
  const config = {
    search_url: "https://search.example.com",
    hooks: { stop: [{ command: "true" }] },
  };
  await Deno.writeTextFile(join(t.place.home, "config.json"), JSON.stringify(config));
  const done = await record("tea.jsonl");
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stderr, /Your skills are left out: a recorded run has none/);
  assert.match(done.stderr, /web_search is left out: a recorded run has none/);
  assert.match(done.stderr, /A replay runs none of your hooks/);
  const again = await runAlly(t.place, { args: ["replay", ...sandboxFlags(), "tea.jsonl"] });
  assert.match(again.stdout, /As recorded: 1 request in 1 turn\./);
});

Deno.test("a recording made with an MCP server says so, and only a tool of one that is missing names the flag", async () => {
  await using t = await stage([{ text: "One." }, { text: "Two." }]);
  const record = (name: string) => runAlly(t.place, { args: ["-p", "--record", name, "hi"] });
  const replay = async (name: string) =>
    (await runAlly(t.place, { args: ["replay", ...sandboxFlags(), name] })).stdout;
  await record("plain.jsonl");
  await writeServers(t.place.home, { s: scripted("good") });
  const made = await record("r.jsonl");
  assert.match(made.stderr, /A replay starts the MCP servers only with --trust-project/);
  const off = await replay("r.jsonl");
  assert.match(off, /the definition of s__echo is missing/);
  assert.match(off, /MCP servers stayed off: --trust-project starts them/);
  const plain = await t.place.read("plain.jsonl");
  await t.place.write("plain.jsonl", plain.replace("Answer briefly", "Answer"));
  const other = await replay("plain.jsonl");
  assert.match(other, /is not as recorded/);
  assert.doesNotMatch(other, /MCP servers/);
});
