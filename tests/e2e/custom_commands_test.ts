import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { startInTerminal } from "../support/ally_terminal.ts";
import { type Place, runAlly, stage } from "../support/program.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const bash = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });

async function lay(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(root, name)), { recursive: true });
    await Deno.writeTextFile(join(root, name), text);
  }
}

const own = ({ home }: Place) => join(home, "commands");
const theirs = ({ dir }: Place) => join(dir, ".ally", "commands");

const MAKE = "---\nallowed-tools: bash(mkdir:*)\nmodel: other\n---\nMake $1 for $ARGUMENTS.\n";

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

Deno.test("a command of the user's is a prompt with its words, its model and what it approves", async () => {
  await using at = await stage([bash("mkdir made"), { text: "Done." }]);
  await lay(own(at.place), { "git/make.md": MAKE });
  const done = await runAlly(at.place, { args: ["-p", "/git:make", "a b"] });
  assert.deepEqual([done.code, done.stdout], [0, "Done.\n"]);
  assert.match(done.stderr, /In this turn, without asking: `run=mkdir`/);
  const { body } = at.server.requests[0]!;
  assert.equal(body.model, "other");
  assert.equal((body.messages as { content: string }[]).at(-1)!.content, "Make a for a b.");
  assert.ok(await exists(join(at.place.dir, "made")));
});

Deno.test("nothing extreme, forbidden or of another program is approved beforehand", async () => {
  const write = { name: "write", arguments: { file_path: ".git/config", content: "x" } };
  const refused = [bash("rm -rf kept"), bash("mkdir a && sudo true"), bash("touch made"), {
    calls: [write],
  }, bash("mkdir made")];
  await using at = await stage(refused.flatMap((call) => [call, { text: "Done." }]));
  await lay(own(at.place), {
    "all.md": "---\nallowed-tools: [bash(rm:*), bash(mkdir:*), write]\n---\nGo",
  });
  await Deno.mkdir(join(at.place.dir, "kept"));
  await Deno.mkdir(join(at.place.dir, ".git"));
  for (const call of refused) {
    const deny = call === refused.at(-1) ? ["--deny-run=mkdir"] : [];
    const done = await runAlly(at.place, { args: ["-p", ...deny, "/all"] });
    assert.equal(done.code, 3, JSON.stringify(call));
  }
  assert.ok(await exists(join(at.place.dir, "kept")));
  for (const path of ["a", "made", ".git/config"]) {
    assert.ok(!await exists(join(at.place.dir, path)), path);
  }
});

Deno.test("what of a command's head is left out is told with its line, and the rest holds", async () => {
  await using at = await stage([{ text: "Done." }]);
  await lay(own(at.place), {
    "git/odd.md": "---\nbogus: 1\nallowed-tools: frob(x), bash(mkdir:*)\n---\nGo",
    "other.md": "---\nbogus: 1\n---\nGo",
  });
  const { code, stderr } = await runAlly(at.place, { args: ["-p", "/git:odd"] });
  assert.equal(code, 0);
  assert.match(stderr, /git\/odd\.md:2: 'bogus' has no meaning here/);
  assert.match(stderr, /git\/odd\.md:3: allowed-tools: 'frob\(x\)' is left out: there is no tool/);
  assert.match(stderr, /without asking: `run=mkdir`/);
  assert.doesNotMatch(stderr, /other\.md/);
});

Deno.test("what a project's command approves holds only if the project is trusted", async () => {
  await using at = await stage([{ text: "What?" }, bash("mkdir made"), { text: "Done." }]);
  await lay(theirs(at.place), { "make.md": MAKE });
  const untrusted = await runAlly(at.place, { args: ["-p", "/make", "x"] });
  assert.match(untrusted.stderr, /Left out.*\.ally\/commands\/make\.md/);
  const { messages } = at.server.requests[0]!.body as { messages: { content: string }[] };
  assert.equal(messages.at(-1)!.content, "/make x");
  const trusted = await runAlly(at.place, { args: ["-p", "--trust-project", "/make", "x"] });
  assert.match(trusted.stderr, /`run=mkdir` \(commands as far as the sandbox holds them\)/);
  assert.equal(trusted.code, hasBubblewrap() ? 0 : 3, trusted.stderr);
  assert.equal(await exists(join(at.place.dir, "made")), hasBubblewrap());
});

Deno.test("a broken command is named with its line, and the words go to the model as they are", async () => {
  await using at = await stage([{ text: "What?" }]);
  await lay(own(at.place), { "bad.md": "---\ndescription: a: b: c\n---\nGo" });
  const done = await runAlly(at.place, { args: ["-p", "/bad"] });
  assert.match(done.stderr, /commands\/bad\.md is left out: line 2: /);
});

Deno.test("at the prompt commands complete, appear in help and end with their turn; what they approve is asked about before", async () => {
  await using at = await stage([
    bash("mkdir made"),
    { text: "Made it." },
    bash("mkdir more"),
    { text: "Not made." },
  ]);
  await lay(theirs(at.place), { "db/up.md": MAKE });
  await lay(own(at.place), { "help.md": "Mine" });
  await using screen = startInTerminal(at.place);
  const trust = await screen.shows("❯ Not now");
  assert.match(trust, /the command \/db:up: Make \$1/);
  assert.match(trust, /WITHOUT ASKING, while it runs: bash\(mkdir:\*\)/);
  await screen.keys("t");
  await screen.shows("Ctrl+C stops");
  await screen.shows(/help\.md\s+is\s+left\s+out:\s+\/help\s+is\s+ally's\s+own/);
  await screen.keys("/db", "Tab");
  await screen.shows(/› \/db:up$/m);
  await screen.keys("it", "Enter");
  if (!hasBubblewrap()) {
    await screen.shows("❯ Deny");
    await screen.keys("a");
  }
  await screen.shows("Made it.");
  await screen.keys("more", "Enter");
  await screen.shows("❯ Deny");
  await screen.keys("Enter");
  await screen.shows(/Stopped: a call was denied\.[^]*›$/);
  await screen.keys("/help", "Enter");
  await screen.shows(/\/db:up.*of this project; with other; may/);
  await lay(own(at.place), { "late.md": "Late $1" });
  await screen.keys("/late words", "Enter");
  await screen.shows("Not made.");
  const { messages, model } = at.server.requests.at(-1)!.body as {
    messages: { content: string }[];
    model: string;
  };
  assert.deepEqual([messages.at(-1)!.content, model], ["Late words", "scripted"]);
});
