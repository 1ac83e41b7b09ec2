/**
 * A rule of "Always" is bound to files as they are when the command begins: what an earlier part of the same command line
 * or an earlier call of the same reply makes of them does not run by it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { type Guarded, guarded, hasBubblewrap, sandboxFlags } from "../support/sandbox.ts";
import { storeRule } from "../support/stored_rules.ts";

const make = (name: string) => `all:\n\techo ${name} > ${name}\n`;
const script = (name: string) => JSON.stringify({ scripts: { test: `echo ${name} > ${name}` } });

/** Files whose content decides what is made: `fine`, or `changed` by what lies beside them. */
const FILES = {
  "Makefile": make("fine"),
  "other.mk": make("changed"),
  "first.mk": "first:\n\techo changed > changed\n",
  "patterns.mk": `include other/*.mk\n${make("fine")}`,
  "package.json": script("fine"),
  "other.json": script("changed"),
  "a.py": "open('fine', 'w')\n",
  "other.py": "open('changed', 'w')\n",
  "run.sh": "echo fine > fine\n",
  "link.sh": "ln -s ../outside x\n",
};

const bash = (command: string) => ({ name: "bash", arguments: { command } });
const reply = (...commands: string[]) => ({ calls: commands.map(bash) });

interface Attempt {
  readonly name: string;
  readonly run: Parameters<typeof guarded>[0][number];
  readonly flags?: readonly string[];
  readonly rules: readonly Parameters<typeof storeRule>[1][];
}

const COPIES = ["--allow-run=cp"];
const MAKE = { command: "make" };
const COPY_ANY = { command: "cp a.py b.py", breadth: "program" } as const;

/** What lets cp run in each way: only in the sandbox is there a rule for whatever a program is given. */
const WAYS = [
  ...hasBubblewrap() ? [{ flags: [], copies: [COPY_ANY] }] : [],
  { flags: ["--no-sandbox", ...COPIES], copies: [] },
];

const ATTEMPTS: readonly Attempt[] = [
  {
    name: "an earlier call of the reply changes a makefile",
    run: reply("cp other.mk Makefile", "make"),
    flags: COPIES,
    rules: [MAKE],
  },
  {
    name: "an earlier call of the reply changes a script that runs closed without its rule",
    run: reply("cp other.py a.py", "python3 a.py"),
    flags: COPIES,
    rules: [{ command: "python3 a.py" }],
  },
  {
    name: "an earlier part changes a makefile",
    run: "cp other.mk Makefile && make",
    rules: [MAKE],
  },
  {
    name: "an earlier part makes a makefile that goes before the other",
    run: "cp other.mk GNUmakefile; make",
    rules: [MAKE],
  },
  {
    name: "an earlier part in braces changes a makefile",
    run: "{ cp other.mk Makefile; ls; } && (make)",
    rules: [MAKE],
  },
  {
    name: "a part beside it changes a makefile",
    run: "cp other.mk Makefile | make",
    rules: [MAKE],
  },
  {
    name: "a part in the same loop changes a makefile",
    run: "for x in 1; do cp other.mk Makefile; make; done",
    rules: [MAKE],
  },
  {
    name: "an earlier part makes a file that a makefile includes by a pattern",
    run: "cp first.mk other/new.mk; make -f patterns.mk",
    rules: [{ command: "make -f patterns.mk" }],
  },
  {
    name: "an earlier part changes scripts of package.json that run closed without their rule",
    run: "cp other.json package.json && npm test",
    flags: COPIES,
    rules: [{ command: "npm test" }],
  },
];

for (const { name, run, flags = [], rules } of ATTEMPTS) {
  Deno.test(`nothing changed runs by a rule: ${name}`, async () => {
    for (const way of WAYS) {
      await using at = await guarded([run], { files: FILES });
      await Deno.mkdir(join(at.place.dir, "other"));
      for (const rule of [...rules, ...way.copies]) await storeRule(at.place, rule);
      await at.run([...flags, ...way.flags]);
      await assert.rejects(at.place.read("changed"), Deno.errors.NotFound, way.flags.join(" "));
    }
  });
}

Deno.test({
  name:
    "a part whose files are unchanged runs after others by its rule, and one that does not says why",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded(["cp a.py b.py && make", "cp other.mk Makefile && make"], {
      files: FILES,
    });
    for (const rule of [MAKE, COPY_ANY]) await storeRule(at.place, rule);
    const { code } = await at.run([]);
    assert.equal(code, 0);
    assert.equal(await at.place.read("fine"), "fine\n");
    assert.match(at.results()[1]!, /not run: the rule for it is bound to \S+Makefile, which has/);
  },
});

Deno.test("a rule for a whole command line holds where its parts share a shell", async () => {
  const command = "for x in 1; do cp a.py b.py; sh run.sh; done";
  await using at = await guarded([command], { files: FILES });
  for (const rule of [command, "sh run.sh", "cp a.py b.py"]) {
    await storeRule(at.place, { command: rule });
  }
  await at.run(["--no-sandbox"]);
  assert.equal(await at.place.read("fine"), "fine\n");
});

Deno.test({
  name: "all work of git runs in lists as long as no part brings other hooks",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded([
      "git checkout -q side && git merge -q main && git commit -q --allow-empty -m merged",
      "git checkout -q hooked && git commit -q --allow-empty -m hooked",
    ], { files: FILES, repository: true });
    const hook = join(at.place.dir, ".husky", "pre-commit");
    await at.git("config", "core.hooksPath", ".husky");
    await at.git("branch", "side");
    await at.git("checkout", "-q", "-b", "hooked");
    await Deno.mkdir(join(hook, ".."));
    await Deno.writeTextFile(hook, "#!/bin/sh\necho changed > changed\n");
    await Deno.chmod(hook, 0o755);
    await at.git("add", ".husky");
    await at.git("commit", "-q", "--no-verify", "-m", "hook");
    await at.git("checkout", "-q", "main");
    await Deno.remove(join(at.place.dir, "changed")).catch(() => {});
    await storeRule(at.place, { command: "git commit -m x", breadth: "repository" });
    await at.run([]);
    assert.match(await at.git("log", "-1", "--format=%s", "side"), /merged/);
    assert.match(await at.git("log", "-1", "--format=%s", "hooked"), /hook$/m);
    assert.match(at.results()[1]!, /bound to \S+pre-commit, which has changed/);
  },
});

Deno.test("a rule for git holds in the workspace's own repository alone", async () => {
  const command = "git -C src commit -q --allow-empty -m later";
  await using at = await guarded([command, { text: "done" }, command], {
    files: FILES,
    repository: true,
  });
  await at.git("config", "core.hooksPath", ".husky");
  for (const name of ["sub", "src"]) await Deno.mkdir(join(at.place.dir, name));
  await at.git("init", "-q", "sub");
  for (
    const other of [
      "git -C sub commit --allow-empty -m x",
      "cd sub && git push",
      "git submodule update",
      "git --git-dir=sub/.git commit --allow-empty -m x",
      "timeout 5 git -C src -C ../sub commit -m x",
    ]
  ) await assert.rejects(storeRule(at.place, { command: other }), /No Always for/, other);
  await storeRule(at.place, { command });
  assert.equal((await at.run(sandboxFlags())).code, 0);
  assert.match(await at.git("log", "-1", "--format=%s"), /^later$/m);
  await at.git("init", "-q", "src");
  assert.equal((await at.run(sandboxFlags())).code, 3);
});

const HOOKED: Readonly<Record<string, (at: Guarded) => Promise<unknown>>> = {
  "the user's own settings": (at) =>
    Deno.writeTextFile(join(at.place.env.HOME!, ".gitconfig"), "[core]\n\thooksPath = .husky\n"),
  "the line of a section": async (at) =>
    await at.place.write(
      ".git/config",
      `${await at.place.read(".git/config")}[core] hooksPath = .husky\n`,
    ),
  "a line that goes on": async (at) =>
    await at.place.write(
      ".git/config",
      `${await at.place.read(".git/config")}[core]\n\thooksPath = ".hus\\\nky" ; ours\n`,
    ),
};

for (const [where, name] of Object.entries(HOOKED)) {
  Deno.test(`a rule for git commit is bound to the hooks that ${where} names`, async () => {
    const command = "git commit -q --allow-empty -m later";
    await using at = await guarded([command, { text: "denied" }, command], { repository: true });
    await at.git("config", "--unset", "core.hooksPath");
    await Deno.mkdir(join(at.place.dir, ".husky"));
    const hook = join(at.place.dir, ".husky", "pre-commit");
    await writeProgram(hook, "#!/bin/sh\necho fine > fine\n");
    await name(at);
    await storeRule(at.place, { command });
    await writeProgram(hook, "#!/bin/sh\necho changed > changed\n");
    assert.equal((await at.run(sandboxFlags())).code, 3);
    await writeProgram(hook, "#!/bin/sh\necho fine > fine\n");
    assert.equal((await at.run(sandboxFlags())).code, 0);
    assert.equal(await at.place.read("fine"), "fine\n");
  });
}

Deno.test("no link that an earlier call of the reply makes leads a command of the table outside", async () => {
  await using at = await guarded([reply("sh link.sh", "cat x/leaf", "grep -rn . x")], {
    files: FILES,
  });
  const outside = join(at.place.dir, "..", "outside");
  await Deno.mkdir(outside);
  await Deno.writeTextFile(join(outside, "leaf"), "plover\n");
  await at.run(["--no-sandbox", "--allow-run=sh"]);
  assert.ok((await Deno.lstat(join(at.place.dir, "x"))).isSymlink);
  assert.doesNotMatch(at.results().join("\n"), /plover/);
});
