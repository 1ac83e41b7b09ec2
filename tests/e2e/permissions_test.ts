/**
 * Rules through the front door: what Always stores, that it holds in the next run and nowhere else, what voids
 * it, how it is listed and removed, and the log of every decision.
 */
import assert from "node:assert/strict";
import type { TerminalSession } from "../support/terminal_session.ts";
import { join } from "node:path";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { answerAll } from "../support/answered_turn.ts";
import { type Place, runAlly, type Stage, stage } from "../support/program.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const FILES = { "run.sh": "echo one\n", "a.txt": "a\n" };
const PROJECT = { kind: "always", scope: "project" } as const;

const run = (command: string): ScriptedReply => ({
  calls: [{ name: "bash", arguments: { command } }],
});
const END: ScriptedReply = { text: "Done." };

/** As many turns as a test needs, each of one command. */
const turns = (count: number, command = "sh run.sh") =>
  Array.from({ length: count }, () => [run(command), END]).flat();

/** A stage where every program that is not known to only read asks, whatever the sandbox holds. */
async function narrowStage(
  replies: readonly ScriptedReply[],
  files: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const made = await stage(replies, files);
  await Deno.mkdir(made.place.home, { recursive: true });
  await Deno.writeTextFile(join(made.place.home, "config.json"), '{"unasked":"safe"}');
  return made;
}

/** Runs ally without a terminal; 0 says that the command was allowed, 3 that it was denied. */
async function headless(place: Place, args: readonly string[] = []): Promise<number> {
  return (await runAlly(place, { args: [...args, "-p", "go on"] })).code;
}

async function permissions(place: Place, ...args: string[]) {
  return await runAlly(place, { args: ["permissions", ...args] });
}

async function listed(place: Place): Promise<Record<string, unknown>[]> {
  return JSON.parse((await permissions(place, "list", "--json")).stdout).rules;
}

async function decisions(place: Place): Promise<Record<string, unknown>[]> {
  const text = await Deno.readTextFile(join(place.home, "decisions.jsonl"));
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** Another directory with the same files and the same home. */
async function neighbour(place: Place): Promise<Place> {
  const dir = join(place.dir, "..", "other");
  await Deno.mkdir(dir);
  for (const [name, text] of Object.entries(FILES)) await Deno.writeTextFile(join(dir, name), text);
  return { ...place, dir };
}

Deno.test("Always in a project holds in its next run, and not in another directory", async () => {
  await using at = await narrowStage(turns(3), FILES);
  const { questions } = await answerAll(at.place, { answer: PROJECT });
  assert.deepEqual(questions.map(({ offers }) => offers[0]?.text), ["run=sh run.sh"]);
  assert.equal(await headless(at.place), 0);
  assert.equal(await headless(await neighbour(at.place)), 3);
});

Deno.test("a stored rule is for exactly its words", async () => {
  const commands = [
    "sh run.sh",
    "sh run.sh -x",
    "sh ./run.sh",
    "cd / && sh run.sh",
    "X=1 sh run.sh",
  ];
  await using at = await narrowStage(commands.flatMap((command) => [run(command), END]), FILES);
  await answerAll(at.place, { answer: PROJECT });
  for (const command of commands.slice(1)) assert.equal(await headless(at.place), 3, command);
});

Deno.test("editing the script that a rule runs voids it, and the list says so", async () => {
  await using at = await narrowStage(turns(4), FILES);
  await answerAll(at.place, { answer: PROJECT });
  await at.place.write("run.sh", "echo two\n");
  assert.equal(await headless(at.place), 3);
  const [rule] = await listed(at.place);
  assert.equal(rule?.void, "run.sh changed since; the command asks again");
  assert.match((await permissions(at.place, "list")).stdout, /VOID: run\.sh changed since/);
  await answerAll(at.place, { answer: PROJECT });
  const rules = await listed(at.place);
  assert.deepEqual(rules.map((one) => [one.id, one.void]), [["2", undefined]]);
  assert.equal(await headless(at.place), 0);
});

Deno.test("editing package.json voids the rule for one of its scripts", async () => {
  const manifest = { scripts: { test: "echo one" } };
  const files = { "package.json": JSON.stringify(manifest) };
  await using at = await narrowStage([run("npm test"), END], files);
  await answerAll(at.place, { answer: PROJECT });
  const decision = async () => {
    const { stdout } = await permissions(at.place, "explain", "--json", "npm test");
    return JSON.parse(stdout).decision;
  };
  assert.equal(await decision(), "allow");
  await at.place.write("package.json", JSON.stringify({ scripts: { test: "echo two" } }));
  assert.equal(await decision(), "ask");
  await at.place.write("package.json", JSON.stringify(manifest));
  assert.equal(await decision(), "allow");
});

Deno.test("what is no file to be compared has no Always", async () => {
  await using at = await narrowStage([run("python3 pkg"), END], FILES);
  await Deno.mkdir(join(at.place.dir, "pkg"));
  const { questions } = await answerAll(at.place, { answer: PROJECT });
  assert.deepEqual(
    questions.map(({ offers }) => offers.filter(({ breadth }) => breadth !== "kind")),
    [[]],
  );
  assert.deepEqual(await listed(at.place), []);
});

Deno.test("commands see a hidden variable only if a rule names it, and never one that is denied", async () => {
  const command = 'test "$MY_TOKEN" = abcd1234 && test -z "$PLAIN" && touch seen';
  await using at = await narrowStage(turns(4, command));
  const env = { MY_TOKEN: "abcd1234", PLAIN: "x" };
  const seen = async (...args: string[]) => {
    await Deno.remove(join(at.place.dir, "seen")).catch(() => {});
    await runAlly(at.place, { args: ["-A", ...args, "-p", "go on"], env });
    return await at.place.read("seen").then(() => true, () => false);
  };
  assert.equal(await seen("--deny-env=PLAIN"), false);
  assert.equal(await seen("--deny-env=PLAIN", "--allow-env=MY_*"), true);
  assert.equal(await seen("--deny-env=PLAIN", "--allow-env"), true);
  assert.equal(await seen("--deny-env=PLAIN,MY_TOKEN", "--allow-env"), false);
});

Deno.test({
  name: "commands see no password of the environment, and one of a proxy only with the network",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await narrowStage(turns(3, "env > seen"));
    const proxy = "http://me:qT7vQ2xM9pLw4Nf9Zr8y@127.0.0.1:9";
    const env = {
      DB_PASS: "hush",
      DATABASE_URL: "postgres://app:kT7vQ2xM9pLw4Nf9Zr8u@db.example/x",
      HTTPS_PROXY: proxy,
      MY_PROXY: "http://127.0.0.1:9?token=qT7vQ2xM9pLw4Nf9Zr8y",
      NO_PROXY: "127.0.0.1",
    };
    const seen = async (...args: string[]) => {
      await runAlly(at.place, { args: ["-A", ...args, "-p", "go on"], env });
      const lines = (await at.place.read("seen")).split("\n");
      return lines.filter((line) => Object.hasOwn(env, line.split("=")[0]!)).toSorted();
    };
    assert.deepEqual(await seen(), [
      `HTTPS_PROXY=${proxy}`,
      `MY_PROXY=${env.MY_PROXY}`,
      "NO_PROXY=127.0.0.1",
    ]);
    assert.deepEqual(await seen("--deny-net"), ["NO_PROXY=127.0.0.1"]);
    const named = await seen("--deny-net", "--allow-env=DB_PASS,DATABASE_URL");
    assert.deepEqual(named.map((line) => line.split("=")[0]), [
      "DATABASE_URL",
      "DB_PASS",
      "NO_PROXY",
    ]);
  },
});

Deno.test("a rule for this session is gone with it, one for everywhere is listed as the user's", async () => {
  await using at = await narrowStage(turns(3), FILES);
  await answerAll(at.place, { answer: { kind: "always", scope: "session" } });
  assert.equal(await headless(at.place), 3);
  assert.deepEqual(await listed(at.place), []);
  await answerAll(at.place, { answer: { kind: "always", scope: "user" } });
  assert.deepEqual((await listed(at.place)).map(({ source }) => source), ["user"]);
  const elsewhere = await neighbour(at.place);
  assert.deepEqual((await listed(elsewhere)).map(({ source }) => source), ["user"]);
});

Deno.test("Always for a file is for that file", async () => {
  const write = (file_path: string): ScriptedReply => ({
    calls: [{ name: "write", arguments: { file_path, content: "x\n" } }],
  });
  await using at = await narrowStage([
    write("one.txt"),
    END,
    write("one.txt"),
    END,
    write("two.txt"),
    END,
  ]);
  await answerAll(at.place, { answer: PROJECT });
  await Deno.remove(join(at.place.dir, "one.txt"));
  assert.equal(await headless(at.place), 0);
  assert.equal(await headless(at.place), 3);
});

Deno.test("what is extreme is asked about again, whatever was answered", async () => {
  await using at = await narrowStage(turns(2, "rm -rf a.txt"), FILES);
  const { questions } = await answerAll(at.place, { answer: PROJECT });
  assert.equal(questions[0]?.offers[0], undefined);
  assert.deepEqual(await listed(at.place), []);
  assert.equal(await headless(at.place), 3);
});

Deno.test("list tells what a rule covers and when it was made and used; remove ends it", async () => {
  await using at = await narrowStage(turns(3), FILES);
  await answerAll(at.place, { answer: PROJECT });
  const before = (await permissions(at.place, "list")).stdout;
  assert.match(before, / 1 {2}project {2}run=sh run\.sh\n/);
  assert.match(before, /exactly `sh run\.sh` in \/.*\/work, as long as run\.sh stays as now/);
  assert.match(before, /made \d{4}-\d\d-\d\d \d\d:\d\d, never used/);
  assert.equal(await headless(at.place), 0);
  const [rule] = await listed(at.place);
  assert.match(String(rule?.used), /^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
  const unknown = await permissions(at.place, "remove", "9");
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /no stored rule '9'.*permissions list/);
  const removed = await permissions(at.place, "remove", "1");
  assert.match(removed.stdout, /Removed run=sh run\.sh/);
  assert.equal(await headless(at.place), 3);
  assert.equal(
    (await permissions(at.place, "remove", "all")).stdout,
    "There are no stored rules.\n",
  );
});

Deno.test("where there is no bash, what only bash reads its way is extreme", async () => {
  await using at = await narrowStage([]);
  const classOf = async (env: Record<string, string>) => {
    const args = ["permissions", "explain", "--json", "(( ls ))"];
    const { stdout } = await runAlly(at.place, { args, env });
    return JSON.parse(stdout).class;
  };
  assert.equal(await classOf({}), hasBubblewrap() ? "safe" : "sensitive");
  // There the same text is a subshell in a subshell, and runs ls.
  assert.equal(await classOf({ PATH: at.place.dir }), "extreme");
});

Deno.test("explain --json gives each part with its class", async () => {
  await using at = await narrowStage([]);
  const { stdout } = await permissions(at.place, "explain", "--json", "ls && curl https://x");
  assert.deepEqual(JSON.parse(stdout), {
    class: "sensitive",
    parts: [
      { command: "ls", class: "safe", why: "only reads" },
      { command: "curl https://x", class: "sensitive", why: "curl fetches over the network" },
    ],
    decision: "ask",
    runs: "'ls' && 'curl' 'https://x'",
    sandbox: hasBubblewrap() ? "network" : "none",
  });
});

Deno.test("explain names the rule that decides, whatever its kind", async () => {
  await using at = await narrowStage(turns(1), FILES);
  await answerAll(at.place, { answer: PROJECT });
  await Deno.writeTextFile(
    join(at.place.home, "config.json"),
    JSON.stringify({ permissions: { allow: { run: ["git status"] }, deny: { run: ["curl"] } } }),
  );
  const rules = { "sh run.sh": "project rule 1 (run=sh run.sh)", "sudo ls": "ban list: sudo" };
  for (const [command, rule] of Object.entries(rules)) {
    const { stdout } = await permissions(at.place, "explain", "--json", command);
    assert.equal(JSON.parse(stdout).rule, rule);
  }
  const commands = ["git status", "curl x", "make"].map((one) => JSON.stringify(one)).join("\n");
  const { stdout } = await runAlly(at.place, {
    args: ["--no-sandbox", "permissions", "explain", "--json", "-"],
    input: commands,
  });
  const found = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(found.map(({ decision, rule }) => [decision, rule]), [
    [
      "allow",
      `allow run=git status (${at.place.home.replace(at.place.env.HOME!, "~")}/config.json)`,
    ],
    ["deny", `deny run=curl (${at.place.home.replace(at.place.env.HOME!, "~")}/config.json)`],
    ["ask", undefined],
  ]);
});

Deno.test("the configuration allows and denies like flags, and deny wins", async () => {
  await using at = await stage([...turns(1), ...turns(1, "touch a.txt"), ...turns(1)], FILES);
  await Deno.mkdir(at.place.home);
  const config = join(at.place.home, "config.json");
  await Deno.writeTextFile(config, '{"permissions": {"allow": {"run": ["sh", "touch"]}}}');
  assert.equal(await headless(at.place), 0);
  assert.equal(await headless(at.place, ["--deny-run=touch"]), 3);
  await Deno.writeTextFile(config, '{"permissions": {"deny": {"run": ["sh"]}}}');
  assert.equal(await headless(at.place, ["-A"]), 3);
});

Deno.test("where no command may run, it is not said that they run without a sandbox", async () => {
  await using at = await stage(turns(1), FILES);
  const { code, stderr } = await runAlly(at.place, { args: ["--deny-run", "-p", "go on"] });
  assert.equal(code, 3);
  assert.doesNotMatch(stderr, /without a sandbox/);
});

Deno.test("permissions that do not follow the grammar are refused with what and how", async () => {
  await using at = await stage([]);
  await Deno.mkdir(at.place.home);
  for (
    const [value, message] of [
      [{ allow: { rum: ["x"] } }, /'permissions\.allow\.rum' is \["x"\]/],
      [{ allow: { run: "git" } }, /'permissions\.allow\.run' is "git".*must be like/],
      [{ deny: { run: [1] } }, /'permissions\.deny\.run' is \[1\]/],
      [{ permit: {} }, /'permissions\.permit' is neither allow nor deny/],
    ] as const
  ) {
    const text = JSON.stringify({ permissions: value });
    await Deno.writeTextFile(join(at.place.home, "config.json"), text);
    const { code, stderr } = await runAlly(at.place, { args: ["-p", "go on"] });
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
});

Deno.test("a broken file of rules allows nothing, is named with its place, and stays as it is", async () => {
  await using at = await narrowStage(turns(3), FILES);
  await answerAll(at.place, { answer: PROJECT });
  const path = join(at.place.home, "permissions.json");
  const broken = (await Deno.readTextFile(path)).replace('"rules": [', '"rules": [,');
  await Deno.writeTextFile(path, broken);
  const { code, stderr } = await runAlly(at.place, { args: ["-p", "go on"] });
  assert.equal(code, 3);
  assert.match(stderr, /permissions\.json: at line 4 column \d+ it is not valid JSON\. Correct it/);
  const { events } = await answerAll(at.place, { answer: PROJECT });
  const notices = events.flatMap((event) => event.type === "notice" ? [event.text] : []);
  assert.ok(notices.some((text) => /holds for this session only: Cannot use/.test(text)));
  const removed = await permissions(at.place, "remove", "all");
  assert.equal(removed.code, 2);
  assert.match(removed.stderr, /Correct it, or remove it/);
  assert.equal(await Deno.readTextFile(path), broken);
});

Deno.test("every decision is in the log: safe, denied, by a rule and by a person", async () => {
  const replies = [run("ls"), run("sh run.sh"), END];
  await using at = await narrowStage([
    ...replies,
    run("touch x"),
    END,
    ...turns(1),
    ...turns(1, "sudo ls"),
  ], FILES);
  await answerAll(at.place, { answer: PROJECT });
  for (let count = 0; count < 3; count++) await headless(at.place);
  const [first] = await decisions(at.place);
  assert.deepEqual(Object.keys(first!).sort(), [
    "agent",
    "by",
    "call_id",
    "class",
    "cwd",
    "decision",
    "kinds",
    "reasons",
    "session",
    "time",
    "tool",
    "what",
  ]);
  assert.equal(first!.cwd, at.place.dir);
  assert.match(String(first!.session), /^\d{8}T\d{6}-/);
  const told = (await decisions(at.place)).map((
    one,
  ) => [one.tool, one.what, one.class, one.decision, one.by]);
  assert.deepEqual(told, [
    ["bash", "ls", "safe", "allow", "default"],
    ["bash", "sh run.sh", "sensitive", "always", "user"],
    ["bash", "touch x", "sensitive", "deny", "default"],
    ["bash", "sh run.sh", "sensitive", "allow", "project rule 1 (run=sh run.sh)"],
    ["bash", "sudo ls", "extreme", "deny", "ban list: sudo"],
  ]);
});

Deno.test("a log that cannot be written is told once and stops nothing", async () => {
  await using at = await narrowStage([run("ls"), run("cat a.txt"), END], FILES);
  await Deno.mkdir(join(at.place.home, "decisions.jsonl"), { recursive: true });
  const { code, stderr } = await runAlly(at.place, { args: ["-p", "go on"] });
  assert.equal(code, 0);
  assert.equal(stderr.split("Cannot write the log of decisions").length, 2);
});

Deno.test({
  name: "what ally keeps is for its user alone, and what was open is closed",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using at = await narrowStage([...turns(1), ...turns(1)], FILES);
    await answerAll(at.place, { answer: PROJECT });
    const open = async () => {
      const found: string[] = [];
      const visit = async (path: string) => {
        const { mode, isDirectory } = await Deno.lstat(path);
        if (((mode ?? 0) & 0o077) !== 0) found.push(path.slice(at.place.home.length));
        if (!isDirectory) return;
        for await (const { name } of Deno.readDir(path)) await visit(join(path, name));
      };
      await visit(at.place.home);
      return found;
    };
    assert.deepEqual(await open(), []);
    await Deno.chmod(at.place.home, 0o755);
    for (const name of ["permissions.json", "decisions.jsonl", "projects"]) {
      await Deno.chmod(join(at.place.home, name), 0o755);
    }
    await headless(at.place);
    assert.deepEqual(await open(), []);
  },
});

async function say(session: TerminalSession, text: string): Promise<void> {
  await session.shows(/›$/);
  await session.keys("-l", text);
  await session.keys("Enter");
}

Deno.test("at a terminal Always survives a restart; /permissions shows and removes it", async () => {
  await using at = await narrowStage(turns(3), FILES);
  {
    await using session = startInTerminal(at.place);
    await say(session, "go on");
    await session.shows(/Always allow run=sh run\.sh[^]*❯ Deny/);
    await session.keys("w");
    await session.shows(/Done\.[^]*›$/);
  }
  await using session = startInTerminal(at.place, { columns: 40 });
  await say(session, "go on");
  const screen = await session.shows(/Done\.[^]*›$/);
  assert.equal(screen.includes("❯ Deny"), false);
  await say(session, "/permissions");
  await session.shows(/1 project: run=sh run\.sh[^]*last used[^]*›$/);
  await say(session, "/permissions remove 7");
  await session.shows(/There is no rule '7'\. There are 1\.[^]*›$/);
  await say(session, "/permissions remove 1");
  await session.shows(/Removed run=sh run\.sh: it asks again\.[^]*›$/);
  await say(session, "go on");
  await session.shows(/Always allow run=sh run\.sh[^]*❯ Deny/);
  await session.keys("d");
  await session.shows(/Stopped[^]*›$/);
});

Deno.test({
  name: "a question tells what each breadth of Always would have covered of today's",
  ignore: !hasBubblewrap(),
  fn: async () => {
    const edit = (file_path: string): ScriptedReply => ({
      calls: [{ name: "write", arguments: { file_path, content: "x\n" } }],
    });
    await using at = await narrowStage([run("make a"), edit("b.txt"), run("make c"), END], {
      "Makefile": "a c:\n\techo $@\n",
    });
    await using session = startInTerminal(at.place, { rows: 60 });
    await say(session, "!make a");
    await say(session, "go on");
    await session.shows(/Always allow run=make a [^]*❯ Deny/);
    assert.doesNotMatch(await session.screen(), /would have covered/);
    await session.keys("a");
    await session.shows(/Allow write\?[^]*❯ Deny/);
    // No breadth would have covered the question about make, so there is nothing to compare.
    assert.doesNotMatch(await session.screen(), /have covered/);
    await session.keys("a");
    await session.shows(/Always allow run=make c [^]*❯ Deny/);
    assert.match(
      await session.screen(),
      /run=make c [^]*would have covered none of today's 2 questions here\s+Always allow run=make \* [^]*would have covered 1 of today's 2 questions here/,
    );
    await session.keys("d");
    await session.shows(/Stopped[^]*›$/);
  },
});

Deno.test({
  name: "g allows all work of git in the repository; what discards a tag asks again",
  ignore: !hasBubblewrap(),
  fn: async () => {
    const commands = [
      "git checkout -q -b topic",
      "git add -A; git add run.sh",
      "git switch -q -c more",
      "git tag -d v1",
    ];
    await using at = await stage([...commands.map(run), END], FILES);
    await new Deno.Command("git", { args: ["init", "-q", at.place.dir] }).output();
    await using session = startInTerminal(at.place);
    await say(session, "go");
    const asked = await session.shows(/Always allow all work of git in this repository[^]*❯ Deny/);
    assert.doesNotMatch(asked.replace(/\s+/g, " "), /in this repository \([^)]*\) in this project/);
    await session.keys("g");
    await session.shows(/git tag -d v1[^]*Allow bash\?[^]*discards history[^]*❯ Deny/);
    assert.equal(await at.place.read(".git/HEAD"), "ref: refs/heads/more\n");
    await session.keys("d");
    await say(session, "/permissions");
    await session.shows(/project: all work of git in this repository/);
    const [rule] = await listed(at.place);
    assert.match(String(rule?.covers), /git's add, bisect, branch, .* tag with any arguments/);
  },
});
