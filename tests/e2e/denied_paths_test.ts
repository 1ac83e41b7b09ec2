/**
 * `--deny-read=PATH` and `--deny-write=PATH` hold for every way to a file: tools that name it, searches that
 * come upon it, commands that name it, and commands that reach it by a name nobody sees.
 */
import assert from "node:assert/strict";
import { basename, dirname, join } from "node:path";
import { runAlly, type Stage, stage } from "../support/program.ts";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

const FILES = {
  "secret.txt": "the word is plover\n",
  "a.txt": "no word here\n",
  "show.sh": "cat *.txt\n",
  "change.sh": "for f in *.txt; do echo more >> $f; done\n",
};

interface Outcome {
  readonly code: number;
  /** What the model read of the call. */
  readonly result: string;
  /** What the file that is denied holds at the end. */
  readonly secret: string;
}

async function call(
  flags: readonly string[],
  [name, args]: readonly [string, Readonly<Record<string, unknown>>],
): Promise<Outcome> {
  await using at = await stage([{ calls: [{ name, arguments: args }] }, { text: "Done." }], FILES);
  const { code } = await runAlly(at.place, { args: [...flags, "-p", "go"] });
  const result = results(at).join("\n");
  return { code, result, secret: await at.place.read("secret.txt") };
}

/** What the model read of commands that it asks for one after the other. */
async function resultsOf(
  flags: readonly string[],
  commands: readonly string[],
): Promise<(readonly [command: string, result: string])[]> {
  const replies = commands.map((command) => ({
    calls: [{ name: "bash", arguments: { command } }],
  }));
  await using at = await stage([...replies, { text: "Done." }], FILES);
  await runAlly(at.place, { args: [...flags, "-p", "go"] });
  const read = results(at);
  assert.equal(read.length, commands.length);
  return commands.map((command, index) => [command, read[index]!]);
}

function results({ server }: Stage): string[] {
  const messages = server.requests.at(-1)!.body.messages as { role: string; content: string }[];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

const bash = (command: string) => ["bash", { command }] as const;

Deno.test("what may not be read is shown by no tool and by no command that names it", async () => {
  const flags = ["-A", "--deny-read=secret.txt"];
  for (
    const attempt of [
      ["read", { file_paths: ["secret.txt"] }],
      ["grep", { pattern: "word", path: "secret.txt" }],
      bash("cat secret.txt"),
      bash("cat ./sec'ret'.txt"),
    ] as const
  ) {
    const { code, result } = await call(flags, attempt);
    assert.equal(code, 3, JSON.stringify(attempt));
    assert.match(result, /Permission denied: --deny-read=\S*secret\.txt forbids it/);
    assert.doesNotMatch(result, /plover/);
  }
});

Deno.test("~ is the home in a list of paths, wherever it stands in it", async () => {
  for (const flag of ["--deny-read=~/HERE/secret.txt", "--deny-read=a.txt,~/HERE/secret.txt"]) {
    await using at = await stage([{
      calls: [{ name: "read", arguments: { file_paths: ["secret.txt"] } }],
    }, { text: "Done." }], FILES);
    const env = { ...at.place.env, HOME: dirname(at.place.dir) };
    const named = flag.replace("HERE", basename(at.place.dir));
    const { code } = await runAlly({ ...at.place, env }, { args: ["-A", named, "-p", "go"] });
    assert.equal(code, 3, flag);
    assert.doesNotMatch(results(at).join(), /plover/);
  }
});

Deno.test("what is called like a pattern may be denied, and what lies in it", async () => {
  await using at = await stage([{
    calls: [{ name: "read", arguments: { file_paths: ["[id].ts"] } }],
  }, { text: "Done." }], { "[id].ts": "plover\n" });
  const { code, stderr } = await runAlly(at.place, { args: ["--deny-read=[id].ts", "-p", "go"] });
  assert.equal(code, 3);
  assert.doesNotMatch(stderr, /nothing is there/);
  assert.doesNotMatch(results(at).join(), /plover/);
});

Deno.test("a denial of what is not there is told once, and holds when it comes to be", async () => {
  await using at = await stage([
    { calls: [{ name: "write", arguments: { file_path: "later.txt", content: "x\n" } }] },
    { text: "Done." },
  ], FILES);
  const flags = ["-A", "--deny-read=secrte.txt,secret.txt", "--deny-write=later.txt"];
  const { code, stderr } = await runAlly(at.place, { args: [...flags, "-p", "go"] });
  assert.equal(code, 3);
  assert.equal(stderr.match(/nothing is there yet/g)?.length, 1);
  assert.match(stderr, /--deny-read=\S*\/secrte\.txt --deny-write=\S*\/later\.txt: nothing/);
});

Deno.test("a search leaves out what may not be read", async () => {
  const { code, result } = await call(["--deny-read=secret.txt"], ["grep", { pattern: "word" }]);
  assert.equal(code, 0);
  assert.match(result, /a\.txt/);
  assert.doesNotMatch(result, /plover/);
});

Deno.test("where reading is denied as a whole, searching the working directory is, and every command", async () => {
  for (
    const attempt of [
      ["grep", { pattern: "word" }],
      ["ls", { file_path: "." }],
      bash("ls"),
    ] as const
  ) {
    const { code, result } = await call(["-A", "--deny-read"], attempt);
    assert.equal(code, 3);
    assert.match(result, /--deny-read forbids it/);
  }
});

Deno.test({
  name:
    "in the sandbox a command finds nothing in what may not be read, and cannot change what is kept",
  ignore: !hasBubblewrap(),
  async fn() {
    const shown = await call(["-A", "--deny-read=secret.txt"], bash("sh show.sh"));
    assert.match(shown.result, /no word here/);
    assert.doesNotMatch(shown.result, /plover/);
    const changed = await call(["-A", "--deny-write=secret.txt"], bash("sh change.sh"));
    assert.match(changed.result, /Read-only file system/);
    assert.equal(changed.secret, FILES["secret.txt"]);
  },
});

Deno.test("without a sandbox no command runs that could, unless its program was named", async () => {
  for (const kind of ["read", "write"]) {
    const flags = ["--no-sandbox", `--deny-${kind}=secret.txt`];
    const { code, result } = await call([...flags, "-A"], bash("sh show.sh"));
    assert.equal(code, 3);
    assert.match(result, /without a sandbox the command may (read|change) it/);
    const named = await call([...flags, "--allow-run=sh"], bash("sh show.sh"));
    assert.equal(named.code, 0);
  }
});

Deno.test("what may not be read is not shown from the history of git either", async () => {
  const attempts = [
    "git show HEAD",
    "git show HEAD:",
    "git log -p",
    "git log --patch --all",
    "git log -G plover",
    "git log -p -- .",
    "git diff HEAD~1",
    "git cat-file --batch-all-objects --batch",
    "git cat-file -p deadbeef",
    "git blame -- x",
    "git grep plover HEAD",
    "git archive HEAD",
    "git stash show -p",
    "git format-patch --stdout -1",
    "git -C . show HEAD",
    "timeout 5 git show HEAD",
    "true && git diff",
    "git commit -v -m x",
    'git show "$X"',
    "git tag t deadbeef",
    "git for-each-ref --format='%(raw)' refs/tags/t",
    "git notes add -C deadbeef HEAD",
    "git log -1 --format=%N",
    "git config --blob deadbeef -l",
    "git switch old",
  ];
  for (const allow of ["-A", "--allow-run=git"]) {
    const all = await resultsOf([allow, "--deny-read=secret.txt"], attempts);
    for (const [command, result] of all) {
      assert.match(result, /--deny-read=\S*secret\.txt forbids it/, command);
    }
  }
});

Deno.test({
  name: "what shows nothing of it is left alone, where the sandbox holds the rest",
  ignore: !hasBubblewrap(),
  async fn() {
    const harmless = [
      "git status",
      "git log --oneline -5",
      "git log -p -- a.txt",
      "git show HEAD:a.txt",
      "git diff -- a.txt show.sh",
      "git commit -m x",
      "git switch -c topic",
      "git for-each-ref --format='%(refname) %(objectname)'",
    ];
    for (const [command, result] of await resultsOf(["-A", "--deny-read=secret.txt"], harmless)) {
      assert.doesNotMatch(result, /forbids it/, command);
    }
    const outside = await call(["-A", "--deny-read=/etc/nothing"], bash("git show HEAD"));
    assert.doesNotMatch(outside.result, /forbids it/);
  },
});

Deno.test({
  name: "git itself works beside what may not be read, alone and into a pipe",
  ignore: !hasBubblewrap(),
  async fn() {
    const commands = [
      "git log --oneline | head -n 5",
      "git status --short; git branch",
      "echo more >> a.txt",
      "git add a.txt && git commit -q -m second",
      "git --no-pager log --oneline",
      "sh history.sh",
    ];
    await using at = await guarded(commands, {
      repository: true,
      files: { ...FILES, "history.sh": "git show HEAD:a.txt\n" },
    });
    await at.run(["-A", "--deny-read=secret.txt"]);
    const [first, , , , last, script] = at.results();
    assert.match(first!, / first/);
    assert.match(last!, / second\n.* first/);
    assert.match(script!, /the sandbox hides the history of git/);
  },
});

Deno.test({
  name: "the history of a repository around the workspace shows none of it either",
  ignore: !hasBubblewrap(),
  async fn() {
    const commands = ["git log -p", "git grep plover HEAD", "sh history.sh"];
    await using at = await guarded(commands, { repository: true, files: FILES });
    const inner = join(at.place.dir, "inner");
    await Deno.mkdir(inner);
    await Deno.writeTextFile(join(inner, "history.sh"), "git log -p\n");
    await at.run(["-A", "-C", "inner", "--deny-read=../secret.txt"]);
    const [log, grep, script] = at.results();
    for (const result of [log!, grep!]) assert.match(result, /secret\.txt forbids it/);
    assert.match(script!, /the sandbox hides the history of git/);
  },
});

Deno.test("without a sandbox no name of a program allows what its words are denied", async () => {
  const run = (command: string): [string, Record<string, unknown>] => ["bash", { command }];
  for (
    const [allow, deny, command] of [
      ["cat", "--deny-read=secret.txt", "cat secret.txt"],
      ["cat", "--deny-read=secret.txt", "cat ./secret.txt a.txt"],
      ["touch,cp,mv", "--deny-write=secret.txt", "cp a.txt secret.txt"],
      ["touch,cp,mv", "--deny-write=secret.txt", "mv secret.txt other.txt"],
    ] as const
  ) {
    const flags = ["--no-sandbox", `--allow-run=${allow}`, "--allow-write", deny];
    const { code, result, secret } = await call(flags, run(command));
    assert.equal(code, 3, command);
    assert.doesNotMatch(result, /plover/);
    assert.match(result, /the command names it/);
    assert.equal(secret, FILES["secret.txt"]);
  }
});
