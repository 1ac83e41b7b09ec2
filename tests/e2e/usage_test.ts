/**
 * What ally says of its own command line: help, and what cannot be read.
 */
import assert from "node:assert/strict";
import { HELP_TOPICS } from "../../src/help/topics.ts";
import { quoteWord } from "../../src/lib/text.ts";
import { allyCommand, makePlace, runAlly, stage } from "../support/program.ts";

Deno.test("help fits 80 columns, and names every command and option", async () => {
  await using place = await makePlace();
  const { stdout, code } = await runAlly(place, { args: ["--help"] });
  assert.equal(code, 0);
  const wide = stdout.split("\n").filter((line) => line.length > 80);
  assert.deepEqual(wide, []);
  for (const flag of ["--print", "--allow-write[=LIST]", "--deny-env[=LIST]", "--replay"]) {
    assert.ok(stdout.includes(`${flag} `), flag);
  }
  const [, commands = ""] = stdout.split(/^Commands:$/m);
  const names = [...commands.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name = ""]) => name);
  for (const command of ["init", "demo", "doctor", "config", "sessions", "permissions", "plugin"]) {
    assert.ok(names.includes(command), command);
  }
  for (const command of names) {
    const { stdout: page } = await runAlly(place, { args: [command, "--help"] });
    assert.deepEqual(page.split("\n").filter((line) => line.length > 80), [], command);
    const [, below = ""] = page.split(/^Commands:$/m);
    const inner = [...below.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name = ""]) => name);
    for (const name of inner) {
      const { stdout } = await runAlly(place, { args: [command, name, "--help"] });
      assert.deepEqual(
        stdout.split("\n").filter((line) => line.length > 80),
        [],
        `${command} ${name}`,
      );
    }
  }
});

Deno.test("ally help COMMAND is that command's help, and other words after help are a prompt", async () => {
  await using at = await stage([{ text: "Gladly." }]);
  const run = async (...args: string[]) => (await runAlly(at.place, { args })).stdout;
  assert.ok((await run("help")).startsWith((await run("--help")).trimEnd()));
  assert.equal(await run("help", "doctor"), await run("doctor", "--help"));
  assert.equal(await run("help", "config", "set"), await run("config", "set", "--help"));
  assert.equal(await run("help", "me", "with", "this"), "Gladly.\n");
});

Deno.test("ally help lists the topics, and ally help TOPIC shows its page as Markdown in a pipe", async () => {
  await using place = await makePlace();
  const run = async (...args: string[]) => (await runAlly(place, { args })).stdout;
  const overview = await run("help");
  for (const { name, summary, load } of HELP_TOPICS) {
    assert.match(overview, new RegExp(`^  ${name} +${summary.replace(/[^\w ]/g, ".")}$`, "m"));
    assert.ok((await run("help", name)).startsWith((await load()).trimEnd()), name);
  }
  const sessions = await run("help", "sessions");
  assert.ok(sessions.includes((await run("sessions", "--help")).trimEnd()), sessions);
});

Deno.test("a topic that is not there is told with the nearest, and is not sent to the model", async () => {
  await using at = await stage([]);
  const done = await runAlly(at.place, { args: ["help", "permission"] });
  assert.equal(done.code, 2);
  assert.match(done.stderr, /no help on 'permission'\. Did you mean permissions\?/);
  assert.equal(at.server.requests.length, 0);
});

for (
  const [line, meant] of [
    ["doctr", "ally doctor"],
    ["plugins", "ally plugin"],
    ["session list", "ally sessions list"],
    ["confg get model", "ally config get"],
  ] as const
) {
  Deno.test(`ally ${line} is taken for a slip, not for a prompt`, async () => {
    await using at = await stage([]);
    const done = await runAlly(at.place, { args: line.split(" ") });
    assert.equal(done.code, 2);
    assert.ok(done.stderr.includes(`Did you mean ${meant}?`), done.stderr);
    assert.equal(at.server.requests.length, 0);
  });
}

Deno.test("what is like a command is a prompt with -p, and with other words behind it", async () => {
  await using at = await stage([{ text: "One." }, { text: "Two." }]);
  assert.equal((await runAlly(at.place, { args: ["-p", "doctr"] })).stdout, "One.\n");
  assert.equal((await runAlly(at.place, { args: ["unit", "tests"] })).stdout, "Two.\n");
});

for (
  const [args, message] of [
    [["sessions"], /ally sessions list, show, export or delete\. See ally sessions --help/],
    [["config", "set", "a"], /missing required argument 'VALUE'\nSee ally config set --help/],
    [["permissions", "explain", "ls", "-l"], /ally permissions explain 'ls -l'/],
    [["mcp", "add", "x", "npx", "-y", "p"], /goes after --/],
    [["mcp", "add", "x", "ftp://a.example/x"], /It must be a URL that begins with http:\/\/ or ht/],
    [["-p", "--endpoint", "http://127.0.0.1:9/v1", "/undo"], /\/undo is a command of the prompt/],
    [["-p", "--modle", "x", "go"], /Did you mean --model\?/],
    [["-p", "--sysprompt", "x", "go"], /unknown option '--sysprompt'\nSee ally --help/],
    [["-p", "--ctxsize", "9000", "go"], /Did you mean --context-size\?/],
    [["sessions", "lst"], /unknown command 'lst'\nDid you mean list\?\nSee ally sessions/],
    [["sessions", "list", "--jsn"], /Did you mean --json\?/],
    [["-p", "--allow-write=", "go"], /names nothing/],
    [["-p", "--allow-run= , ", "go"], /names nothing/],
    [["-p", "--deny-read=secret/*.pem,a", "go"], /--deny-read cannot name "secret\/\*\.pem"/],
    [["-p", "--deny-read=a,**/*.env", "go"], /a directory covers all below it/],
    [["-p", "--deny-write=[ab].txt", "go"], /neither patterns nor variables are expanded/],
    [["-p", "--allow-read=$HOME/x", "go"], /--allow-read cannot name "\$HOME\/x"/],
    [["-p", "--deny-read={a", "go"], /nothing is called so/],
    [["-p", "--allow-write=~nobody/x", "go"], /only ~ and ~\/ stand for a home/],
    [["-p", "--deny-read=file:///etc/x", "go"], /an address is no path/],
    [["-p", "--allow-env=A=b", "go"], /must name environment variables, without their values/],
  ] as const
) {
  Deno.test(`ally ${args.join(" ")} exits with 2 and says what would be right`, async () => {
    await using place = await makePlace();
    const done = await runAlly(place, { args });
    assert.equal(done.code, 2);
    assert.match(done.stderr, message);
    assert.equal(done.stdout, "");
  });
}

Deno.test({
  name: "a command whose output cannot be written fails; one whose reader has left does not",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using place = await makePlace();
    const ally = allyCommand().map(quoteWord).join(" ");
    const shell = async (line: string) => {
      const { code, stderr } = await new Deno.Command("bash", {
        args: ["-c", line.replaceAll("ally", ally)],
        cwd: place.dir,
        clearEnv: true,
        env: { ...place.env },
      }).output();
      return { code, stderr: new TextDecoder().decode(stderr) };
    };
    const full = await shell("ally config schema > /dev/full");
    assert.equal(full.code, 1);
    assert.match(full.stderr, /Standard output cannot be written: No space left/);
    assert.deepEqual(await shell("set -o pipefail; ally config schema | true"), {
      code: 0,
      stderr: "",
    });
  },
});
