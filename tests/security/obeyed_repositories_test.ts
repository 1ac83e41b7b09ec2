/**
 * Which repositories git obeys beside the user's keys: none that code of the workspace has put in the place of another
 * one, has armed, or has hidden where nobody looks; and those that people work in, with all that runs before it.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { type Guarded, hasBubblewrap } from "../support/sandbox.ts";
import { stolen, withPlanters } from "../support/thief.ts";

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore: !hasBubblewrap() });
}

/** Makes what is there before, and says what the model runs then. */
interface Attempt {
  readonly prepare?: (at: Guarded) => Promise<void>;
  readonly commands: readonly string[];
}

async function program(at: Guarded, path: string, lines: string): Promise<void> {
  const file = join(at.place.dir, path);
  await Deno.mkdir(dirname(file), { recursive: true });
  await writeProgram(file, `#!/bin/sh\n${lines}\n`);
}

/** Of the workspace's own history: what arms whoever reads it as a configuration. */
async function commitConfig(at: Guarded): Promise<void> {
  const arms = `[core]\n\trepositoryformatversion = 0\n\tsshCommand = ${at.place.dir}/tool.sh\n`;
  await at.place.write("config", arms);
  await at.git("add", "config");
  await at.git("commit", "-qm", "config");
}

/** On a branch, and at the remote: the content of a repository's own directory, below the top or there. */
async function commitRepository(at: Guarded, top: string): Promise<void> {
  await at.git("checkout", "-q", "-b", "other");
  for (const name of ["objects", "refs"]) {
    await Deno.mkdir(join(at.place.dir, top, name), { recursive: true });
    await at.place.write(join(top, name, "one"), "");
  }
  await at.place.write(join(top, "HEAD"), "ref: refs/heads/main\n");
  const arms = `[core]\n\trepositoryformatversion = 0\n\tsshCommand = ${at.place.dir}/tool.sh\n`;
  await at.place.write(join(top, "config"), arms);
  const names = ["HEAD", "config", "objects", "refs"].map((name) => join(top, name));
  await at.git("add", "-f", ...names);
  await at.git("commit", "-qm", "other");
  await at.git("push", "-q", "./up.git", "other");
  await at.git("checkout", "-q", "main");
}

async function nest(at: Guarded): Promise<void> {
  await at.git("clone", "-q", ".", "sub");
  await at.git("-C", "sub", "config", "remote.origin.url", `server:${at.place.dir}/up.git`);
}

async function addSubmodule(at: Guarded): Promise<void> {
  const up = join(at.place.dir, "up.git");
  await at.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", up, "sub");
  await at.git("commit", "-qm", "sub");
  await at.git("-C", "sub", "config", "remote.origin.url", `server:${up}`);
}

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  "another repository in the place of a nested one": {
    prepare: nest,
    commands: ["mv sub old; ./make.sh sub; git -C sub fetch -q server:/x"],
  },
  "a link that leads to another one": {
    prepare: async (at) => {
      await nest(at);
      await Deno.rename(join(at.place.dir, "sub/.git"), join(at.place.dir, "store"));
      await Deno.symlink("../store", join(at.place.dir, "sub/.git"));
    },
    commands: ["rm sub/.git; ./make.sh sub; git -C sub fetch -q server:/x"],
  },
  "a submodule that a hook leads elsewhere": {
    prepare: async (at) => {
      await addSubmodule(at);
      const lead = "./make.sh evil; echo 'gitdir: ../evil/.git' > sub/.git";
      await program(at, ".husky/post-commit", lead);
      await at.git("config", "core.hooksPath", ".husky");
    },
    commands: ["git commit -q --allow-empty -m x; git -C sub fetch -q server:/x"],
  },
  "a gitlink that is no submodule yet": {
    prepare: async (at) => {
      await nest(at);
      await at.git("add", "sub");
      await at.git("commit", "-qm", "sub");
      await Deno.remove(join(at.place.dir, "sub"), { recursive: true });
      await program(at, "more.sh", "./make.sh sub; git -C sub config remote.origin.url server:/x");
    },
    commands: ["./more.sh; git fetch -q --recurse-submodules=yes origin"],
  },
  "a configuration that is a link": {
    prepare: async (at) => {
      await nest(at);
      await Deno.rename(join(at.place.dir, "sub/.git/config"), join(at.place.dir, "settings"));
      await Deno.symlink("../../settings", join(at.place.dir, "sub/.git/config"));
      await program(
        at,
        "write.sh",
        `printf '[core]\\nsshCommand=${at.place.dir}/tool.sh' >> settings`,
      );
    },
    commands: ["./write.sh; git -C sub fetch -q server:/x"],
  },
  "a configuration that the workspace's own one is a link to": {
    prepare: async (at) => {
      await Deno.rename(join(at.place.dir, ".git/config"), join(at.place.dir, "settings"));
      await Deno.symlink("../settings", join(at.place.dir, ".git/config"));
      await program(
        at,
        "write.sh",
        `printf '[core]\\nsshCommand=${at.place.dir}/tool.sh' >> settings`,
      );
    },
    commands: ["./write.sh; git fetch -q server:/x"],
  },
  "a configuration that another directory shares": {
    prepare: async (at) => {
      await nest(at);
      await Deno.mkdir(join(at.place.dir, "common"));
      for (const name of ["config", "objects", "refs"]) {
        await Deno.rename(join(at.place.dir, "sub/.git", name), join(at.place.dir, "common", name));
      }
      await at.place.write("sub/.git/commondir", "../../common\n");
      const write = `printf '[core]\\nsshCommand=${at.place.dir}/tool.sh' >> common/config`;
      await program(at, "write.sh", write);
    },
    commands: ["./write.sh; git -C sub fetch -q server:/x"],
  },
  "a submodule that shares its configuration with another directory": {
    prepare: async (at) => {
      await nest(at);
      await Deno.mkdir(join(at.place.dir, "common"));
      await at.git("-C", "sub", "config", "core.sshCommand", `${at.place.dir}/tool.sh`);
      for (const name of ["config", "objects", "refs"]) {
        await Deno.rename(join(at.place.dir, "sub/.git", name), join(at.place.dir, "common", name));
      }
      await at.place.write("sub/.git/commondir", "../../common");
    },
    commands: ["git -C sub fetch -q server:/x", "git fetch -q --recurse-submodules=yes origin"],
  },
  "a submodule whose directory lies where nobody looks": {
    prepare: async (at) => {
      await nest(at);
      await at.git("-C", "sub", "config", "core.sshCommand", `${at.place.dir}/tool.sh`);
      await Deno.rename(join(at.place.dir, "sub/.git"), join(at.place.dir, ".git/foo"));
      await at.place.write("sub/.git", "gitdir: ../.git/foo\n");
    },
    commands: ["git -C sub fetch -q server:/x", "git fetch -q --recurse-submodules=yes origin"],
  },
  "a large configuration, and a program named from where it lies": {
    prepare: async (at) => {
      await nest(at);
      await at.git("-C", "sub", "config", "core.sshCommand", "../tool.sh");
      const config = await at.place.read("sub/.git/config");
      await at.place.write("sub/.git/config", config + "# more\n".repeat(200_000));
    },
    commands: ["git -C sub fetch -q server:/x"],
  },
  "a repository in a bare one": {
    prepare: async (at) => {
      await at.git("init", "-q", "--bare", "bare");
      await at.git("init", "-q", "bare/inner");
      await at.git("-C", "bare/inner", "config", "core.sshCommand", `${at.place.dir}/tool.sh`);
    },
    commands: [
      "git --git-dir=bare/inner/.git fetch -q server:/x",
      "git -C bare/inner fetch -q server:/x > /tmp/log",
    ],
  },
  "a repository below a directory of objects in /tmp": {
    commands: ["./make.sh /tmp/objects", "git -C /tmp/objects fetch -q server:/x"],
  },
  "content that git checks out into another repository": {
    prepare: commitConfig,
    commands: [
      "git init -q y; git --work-tree=y/.git checkout HEAD -- config; git -C y fetch -q server:/x",
      "git config core.worktree $PWD/z/.git; git init -q z; git checkout HEAD -- config; git -C z fetch -q server:/x",
    ],
  },
  "content that git puts where it takes it for its own": {
    prepare: (at) => commitRepository(at, "."),
    commands: [
      "git clone -q -b other server:$PWD/up.git y/.git; git -C y fetch -q server:/x",
      "git worktree add -q z/.git other; git -C z fetch -q server:/x",
      "git worktree add -q wt other; mkdir w; git worktree move wt w/.git; git -C w fetch -q server:/x",
    ],
  },
  "content that git is told to take for its own": {
    prepare: (at) => commitRepository(at, "b"),
    commands: [
      "git checkout -q other; git init -q --separate-git-dir=$PWD/b y; git -C y fetch -q server:/x",
    ],
  },
  "content that a link leads to where git takes it for its own": {
    prepare: async (at) => {
      await commitRepository(at, ".");
      await Deno.symlink("y/.git", join(at.place.dir, "d"));
      await Deno.symlink("z/.git", join(at.place.dir, "e"));
    },
    commands: [
      "mkdir -p y/.git; git clone -q -b other server:$PWD/up.git d; git -C y fetch -q server:/x",
      "git init -q z; rm -rf e/HEAD e/config e/objects e/refs e/hooks e/info e/description e/branches; git clone -q -b other server:$PWD/up.git e; git -C z fetch -q server:/x",
    ],
  },
  "settings whatever the name of git is written like": {
    prepare: async (at) => void await at.git("config", "core.sshCommand", "./tool.sh"),
    commands: [
      "$'gi\\x74' fetch -q origin",
      "g$'it' fetch -q origin",
      "command $'\\147\\u0069t' fetch -q origin",
      "$'gi\\0x't fetch -q origin",
      "time gi\\\nt fetch -q origin",
    ],
  },
  "a program beside words that make only names": {
    commands: ["git init -q y; mkdir d; ./arm.sh y; git -C y fetch -q server:/x"],
  },
  "what watches files": {
    prepare: (at) => program(at, "watch.sh", "./arm.sh y"),
    commands: [
      "git config core.fsmonitor ./watch.sh",
      "git init -q y; git add a.txt; git -C y fetch -q server:/x",
    ],
  },
  "hooks of a directory that the user names for all repositories": {
    prepare: async (at) => {
      await program(at, ".githooks/post-checkout", "./arm.sh y");
      await at.git("config", "--unset", "core.hooksPath");
      await at.git("config", "--global", "core.hooksPath", ".githooks");
    },
    commands: ["git init -q y; git checkout -q -b z; git -C y fetch -q server:/x"],
  },
  "hooks of a directory that has just been named": {
    prepare: (at) => program(at, ".githooks/post-checkout", "./arm.sh y"),
    commands: [
      "git config core.hooksPath .githooks; git init -q y; git checkout -q -b z; git -C y fetch -q server:/x",
    ],
  },
  "settings that come to be obeyed by another name": {
    commands: [
      "git init -q y; git -C y config x.sshCommand ../tool.sh; git -C y config --rename-section x core; git -C y fetch -q server:/x",
    ],
  },
  "a setting whose name only running shows": {
    commands: [
      'echo core.sshCommand > n; git config "$(cat n)" ./tool.sh; git fetch -q server:/x',
    ],
  },
  "a file that words include from where it lies": {
    prepare: commitConfig,
    commands: ["git config include.path ../config; git fetch -q server:/x"],
  },
  "settings of a clone that only running shows": {
    prepare: (at) => at.place.write("words", `-c core.sshCommand=${at.place.dir}/tool.sh`),
    commands: ["git clone $(cat words) server:/x y", "git clone server:/x z $(cat words)"],
  },
  "an address that is a command line": {
    commands: [
      'git config protocol.ext.allow always && git remote add evil "ext::sh ./tool.sh"',
      "git fetch evil",
    ],
  },
  "a script that is made meanwhile": {
    commands: [
      "git config core.sshCommand 'sh new.sh'",
      "cp tool.sh new.sh; git fetch -q server:/x",
    ],
  },
};

for (const [name, { prepare, commands }] of Object.entries(ATTEMPTS)) {
  test(`beside keys git does not obey ${name}`, async () => {
    await using at = await withPlanters(commands);
    await prepare?.(at);
    await at.run(["-A"]);
    assert.equal(at.results().length, commands.length);
    assert.doesNotMatch(await stolen(at), /plover/);
  });
}

test("git with keys starts no program of the workspace by its name", async () => {
  await using at = await withPlanters(["git fetch made::x", "git pull -q -s made origin main"]);
  for (const name of ["git-remote-made", "git-merge-made"]) {
    await program(at, `node_modules/.bin/${name}`, "exec ./tool.sh");
  }
  const PATH = `${at.place.dir}/node_modules/.bin:${at.place.env.PATH}`;
  await at.run(["-A"], { env: { PATH } });
  assert.match(at.results()[0]!, /made/);
  assert.equal(await stolen(at), "");
});

/** Commands that a model runs at once, the first of them in the background. */
function atOnce(first: string, ...others: readonly string[]) {
  const background = { command: first, run_in_background: true };
  return {
    calls: [background, ...others.map((command) => ({ command }))]
      .map((given) => ({ name: "bash", arguments: given })),
  };
}

test("what begins while git has keys neither sets what it obeys, nor moves it", async () => {
  await using at = await withPlanters([
    atOnce(
      "sleep 2; git fetch -q server:/x; git -C sub fetch -q server:/x",
      "git config core.sshCommand ./tool.sh",
      "./swap.sh",
    ),
    "sleep 3",
  ]);
  await nest(at);
  await program(at, "swap.sh", "mv sub old; ./make.sh sub; sleep 3");
  await at.run(["-A"]);
  const [, setting] = at.results();
  assert.match(setting!, /Cannot run it now: git runs with the user's keys/);
  assert.doesNotMatch(await stolen(at), /plover/);
});

test("what has begun before git and may move a repository makes it one that git does not know", async () => {
  await using at = await withPlanters([
    atOnce("sleep 1; mv sub old; ./make.sh sub; sleep 9", "sleep 3; git -C sub fetch -q server:/x"),
  ]);
  await nest(at);
  await at.run(["-A"]);
  // Where it was moved just then, there is no sandbox either.
  assert.match(at.results()[1]!, /was not known when it began|was removed meanwhile/);
  assert.doesNotMatch(await stolen(at), /plover/);
});

test("beside what may write in .git, or lead it to other files, git has no keys", async () => {
  for (
    const [first, command, told] of [
      ["git -c alias.z='!./late.sh' z", "git fetch -q", /may write in \.git/],
      ["./late.sh", "git pull -q --rebase --autostash origin main", /lead it to other files/],
      ["./late.sh", "git pull -q origin main", /lead it to other files/],
    ] as const
  ) {
    await using at = await withPlanters([atOnce(first, `sleep 2; ${command}`)]);
    await program(at, "late.sh", "sleep 5");
    await at.run(["-A"]);
    assert.match(at.results()[1]!, told);
  }
  await using watched = await withPlanters([atOnce("git add a.txt", "sleep 1; git ls-remote -q")]);
  await program(watched, "late.sh", "sleep 5");
  await watched.git("config", "core.fsmonitor", join(watched.place.dir, "late.sh"));
  await watched.run(["--allow-run=git"]);
  assert.match(watched.results()[1]!, /may write in \.git/);
  await using at = await withPlanters([atOnce("./late.sh", "sleep 1; git fetch -q origin main")]);
  await program(at, "late.sh", "sleep 4");
  await at.run(["-A"]);
  assert.doesNotMatch(at.results()[1]!, /"success":false|did not get/);
});

test("git has its keys where people work, whatever has run before it", async () => {
  await using at = await withPlanters([
    "./test.sh && git push -q origin HEAD:a",
    "git pull -q origin main && ./test.sh && git commit -q --allow-empty -m x",
    "cd tree && ../test.sh && git push -q origin HEAD:b",
    "cd sub && ../test.sh && git push -q origin HEAD:c",
    "./test.sh; git -C nested push -q origin HEAD:d",
    "git checkout -q -b feature && git push -q -u origin feature",
  ]);
  await addSubmodule(at);
  await at.git("worktree", "add", "-q", "tree");
  await at.git("clone", "-q", ".", "nested");
  const url = `server:${at.place.dir}/up.git`;
  await at.git("-C", "nested", "config", "remote.origin.url", url);
  await program(at, "test.sh", "exit 0");
  await at.run(["-A"]);
  for (const result of at.results()) assert.doesNotMatch(result, /"success":false|did not get/);
  const branches = await at.git("--git-dir=up.git", "branch");
  for (const name of ["a", "b", "c", "d", "feature"]) {
    assert.match(branches, new RegExp(`\\b${name}\\b`));
  }
});

test("git has its keys where its own directory lies elsewhere, and where the user calls it safe", async () => {
  await using at = await withPlanters(["./test.sh && git push -q origin HEAD:a"]);
  await at.git("init", "-q", "--separate-git-dir", join(at.place.dir, "..", "store"));
  await at.git("config", "--global", "safe.directory", at.place.dir);
  await program(at, "test.sh", "exit 0");
  await at.run(["-A"]);
  assert.doesNotMatch(at.results()[0]!, /"success":false|did not get/);
});
