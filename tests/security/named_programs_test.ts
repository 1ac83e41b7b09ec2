/**
 * Programs that settings of git name and that lie in the workspace, whose content a command may have written: none of
 * them sees the user's keys, and the model is told why the command had none.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { hasBubblewrap } from "../support/sandbox.ts";
import { stolen, withPlanters, withThief } from "../support/thief.ts";

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore: !hasBubblewrap() });
}

for (
  const [name, value, command] of [
    ["core.sshCommand", "./tool.sh", "git fetch -q"],
    ["core.sshCommand", "sh tool.sh", "git push -q origin HEAD:x"],
    ["core.sshCommand", "sh -c 'exec $PWD/tool.sh'", "git ls-remote origin"],
    ["core.sshCommand", "make -s tool", "git fetch -q"],
    ["credential.https://a.invalid.helper", "!sh ./tool.sh", "git fetch -q https://a.invalid/b"],
    ["remote.origin.uploadpack", "./tool.sh", "git fetch -q origin"],
    ["gc.recentObjectsHook", "./tool.sh", "git fetch -q origin"],
    ["filter.x.smudge", "./tool.sh", "git pull -q origin main"],
    ["merge.x.driver", "$PWD/tool.sh %A", "git pull -q origin main"],
    ["include.path", "../settings", "git fetch -q"],
    ["includeIf.onbranch:main.path", "../settings", "git fetch -q"],
  ] as const
) {
  test(`${command} gets no keys where ${name} is ${value}`, async () => {
    await using at = await withThief([command]);
    await at.place.write("settings", "[core]\n\tsshCommand = ./tool.sh\n");
    await at.git("config", name, value);
    await at.run(["-A"]);
    assert.match(at.results()[0]!, /did not get the user's keys.*with ! before it/);
    assert.ok(at.results()[0]!.includes(value.replaceAll("\\", "")), at.results()[0]);
    assert.doesNotMatch(await stolen(at), /plover/);
  });
}

for (
  const [name, value, command] of [
    ["filter.x.clean", "./tool.sh", "git push -q origin HEAD:x"],
    ["core.editor", "./tool.sh", "git fetch -q"],
    ["alias.st", "!./tool.sh", "git pull -q origin main"],
    ["filter.lfs.clean", "git-lfs clean -- %f", "git pull -q origin main"],
    ["credential.helper", "cache --timeout 60", "git pull -q origin main"],
    ["http.https://a.invalid/.extraheader", "AUTHORIZATION: basic eA==", "git fetch -q"],
    ["gitflow.branch.master", "main", "git fetch -q"],
    ["include.path", "~/more", "git pull -q origin main"],
  ] as const
) {
  test(`${command} has its keys where ${name} is ${value}`, async () => {
    await using at = await withThief([command]);
    await at.git("config", name, value);
    await at.run(["-A"]);
    assert.doesNotMatch(at.results()[0]!, /"success":false|did not get/);
    assert.equal(await stolen(at), "");
  });
}

for (
  const [name, value, command] of [
    ["core.sshCommand", "cp ~/.ssh/id_test k;#", "git fetch -q"],
    ["core.sshCommand", "ssh -o ProxyCommand=id", "git push -q origin HEAD:x"],
    ["core.sshCommand", "ssh -F $PWD/config", "git fetch -q"],
    ["core.sshCommand", "env", "git ls-remote origin"],
    ["credential.helper", "store --file=k", "git fetch -q"],
    ["credential.helper", "!f() { cp ~/.ssh/id_test k; }; f", "git pull -q origin main"],
    ["http.proxy", "http://127.0.0.1:1", "git fetch -q"],
    ["http.https://a.invalid/.sslVerify", "false", "git fetch -q"],
    ["url.http://a.invalid/.insteadOf", "https://a.invalid/", "git fetch -q"],
    ["filter.x.smudge", "cp ~/.ssh/id_test %f", "git pull -q origin main"],
    ["lfs.customtransfer.x.path", "cp", "git fetch -q"],
    ["core.whatIsNew", "x", "git fetch -q"],
  ] as const
) {
  test(`${command} gets no keys where ${name} says what nobody sets every day: ${value}`, async () => {
    await using at = await withThief([command]);
    await at.git("config", name, value);
    await at.run(["-A"]);
    assert.match(at.results()[0]!, /did not get the user's keys/);
    assert.ok(at.results()[0]!.includes(`${value} (`), at.results()[0]);
    assert.doesNotMatch(await at.place.read("k").catch(() => "") + await stolen(at), /plover/);
  });
}

test("what words set is obeyed beside keys only where it is ordinary", async () => {
  await using at = await withThief([
    "git config pull.rebase true && git -c user.name=x pull -q origin main",
    "git -c core.sshCommand='cp ~/.ssh/id_test k;#' fetch -q",
    "git config core.sshCommand 'cp ~/.ssh/id_test k;#'; git fetch -q",
  ]);
  await at.run(["-A"]);
  const [ordinary, , set] = at.results();
  assert.match(set!, /did not get the user's keys.*core\.sshcommand = cp/);
  assert.doesNotMatch(ordinary!, /did not get/);
  assert.doesNotMatch(await at.place.read("k").catch(() => ""), /plover/);
});

for (
  const set of [
    "git config core.sshCommand ./tool.sh",
    "git config -f .git/config core.sshCommand ./tool.sh",
    "git config --fil .git/config core.sshCommand ./tool.sh",
  ]
) {
  test(`what the words of a list set before git talks counts as set: ${set}`, async () => {
    await using at = await withThief([`${set}; git fetch -q`]);
    await at.run(["-A"]);
    assert.match(at.results()[0]!, /did not get the user's keys/);
    assert.doesNotMatch(await stolen(at), /plover/);
  });
}

for (
  const [command, told] of [
    ["git checkout -q -b y; git fetch -q", /config-set-aside/],
    ["git fetch -q | git checkout -q -b y", /did not get.*hooks of the workspace that run beside/],
    ["git checkout -q -b y | git fetch -q", /did not get.*hooks of the workspace that run beside/],
    ["(git checkout -q -b y; true) | cat; git fetch -q", /config-set-aside/],
    ["env -u GIT_CONFIG_COUNT git checkout -q -b y; git fetch -q", /config-set-aside/],
    ["git fetch -q && git checkout -q -b y", /config-set-aside/],
  ] as const
) {
  test(`what hooks set is undone before git gets its keys, or it gets none beside them: ${command}`, async () => {
    await using at = await withThief([command]);
    await Deno.mkdir(join(at.place.dir, ".husky"));
    const plant = "#!/bin/sh\ngit config core.sshCommand ./tool.sh\n";
    await writeProgram(join(at.place.dir, ".husky", "post-checkout"), plant);
    await at.git("config", "core.hooksPath", ".husky");
    await at.run(["-A"]);
    assert.match(at.results()[0]!, told);
    assert.doesNotMatch(await stolen(at), /plover/);
    assert.match(await at.git("branch"), /\* y/);
    assert.match(await at.git("config", "core.sshCommand"), /local-ssh$/m);
  });
}

for (
  const [command, told] of [
    ["./make.sh y; git -C y fetch -q server:/x", /y\/\.git-set-aside/],
    ["./make.sh y; cd y; git pull -q server:/x", /y\/\.git-set-aside/],
    ["./make.sh y && true | git -C y fetch -q server:/x", /y\/\.git-set-aside/],
    ["./make.sh y | git -C y fetch -q server:/x", /exited with code/],
    ["./make.sh /tmp/y; git -C /tmp/y fetch -q server:/x", /did not get the user's keys/],
    ["./make.sh y; git --git-dir=y/.git fetch -q server:/x", /exited with code/],
    ["git clone -q . y; ./arm.sh y; git -C y fetch -q server:/x", /y\/\.git\/config: Read-only/],
    ["git init -q y; ./arm.sh y; cd y && git fetch -q server:/x", /y\/\.git\/config: Read-only/],
    [
      "git init -q y; cp settings y/.git/config; git -C y fetch -q server:/x",
      /keeps \.git as it is/,
    ],
    ["./make.sh y; git -c safe.directory=* -C y fetch -q server:/x", /exited with code/],
    ["./make.sh y; GIT_TEST_ASSUME_DIFFERENT_OWNER=0 git -C y fetch server:/x", /exited with code/],
  ] as const
) {
  test(`what a list has made meanwhile names nothing beside keys: ${command}`, async () => {
    await using at = await withPlanters([command]);
    await at.place.write("settings", "[core]\n\tsshCommand = ../tool.sh\n");
    await at.run(["-A"]);
    assert.match(at.results()[0]!, told);
    assert.doesNotMatch(await stolen(at), /plover/);
  });
}

for (
  const command of [
    "./make.sh y; git fetch -q origin",
    "git fetch -q origin | cat > log.txt",
    "git init -q z && git -C z fetch -q server:$PWD/up.git",
    "rm -rf z && git clone -q server:$PWD/up.git z && cd z && git pull -q",
    "git clone -q server:$PWD/up.git /tmp/z && git -C /tmp/z pull -q",
  ]
) {
  test(`git has its keys in ${command}`, async () => {
    await using at = await withPlanters([command]);
    await at.run(["-A"]);
    assert.doesNotMatch(at.results()[0]!, /"success":false|did not get/);
  });
}

test("a filter that may set what git starts runs beside no keys, and arms no repository that it makes", async () => {
  await using at = await withThief(["git checkout -q other; git fetch -q", "git checkout -q main"]);
  await at.git("checkout", "-q", "-b", "other");
  await at.place.write("a.txt", "other\n");
  await at.git("commit", "-qam", "other");
  await at.git("checkout", "-q", "main");
  await writeProgram(
    join(at.place.dir, "filter.sh"),
    "#!/bin/sh\ncat\nexec > /dev/null 2>&1\nunset GIT_DIR GIT_WORK_TREE\n" +
      "git init -q made; git -C made config core.fsmonitor ./tool.sh\n" +
      "git config core.sshCommand ./tool.sh\n",
  );
  await at.git("config", "filter.x.smudge", "./filter.sh");
  await at.place.write(".git/info/attributes", "a.txt filter=x\n");
  await at.run(["-A"]);
  const [fetched, back] = at.results();
  assert.match(fetched!, /work\/\.git\/config-set-aside/);
  assert.match(fetched! + back!, /made\/\.git\/config-set-aside/);
  assert.doesNotMatch(await at.git("-C", "made", "config", "--list", "--local"), /fsmonitor/);
  assert.doesNotMatch(await stolen(at), /plover/);
});

test("hooks of a repository in the workspace to which git pushes see no keys", async () => {
  await using at = await withThief([
    "git push -q ./up.git HEAD:x",
    'p=./up; git push -q "$p.git" HEAD:y',
    "git -c protocol.file.allow=always push -q ./up.git HEAD:z",
    "git remote set-url origin ./up.git && git push -q origin HEAD:w",
  ]);
  const hook = join(at.place.dir, "up.git", "hooks", "post-receive");
  await Deno.copyFile(join(at.place.dir, "tool.sh"), hook);
  await at.run(["-A"]);
  const branches = await at.git("--git-dir=up.git", "branch");
  for (const name of ["x", "w"]) assert.match(branches, new RegExp(`\\b${name}\\b`), name);
  assert.match(await stolen(at), /ran/);
  assert.doesNotMatch(await stolen(at), /plover/);
});

test("settings of a repository in /tmp, which commands may write, name nothing beside keys", async () => {
  await using at = await withThief([
    "git clone -q . /tmp/mine",
    'printf "[core]\\n\\tsshCommand = $PWD/tool.sh\\n" >> /tmp/mine/.git/config',
    "git -C /tmp/mine fetch -q server:/x",
  ]);
  await at.run(["-A"]);
  assert.match(at.results()[2]!, /did not get the user's keys/);
  assert.match(await stolen(at), /ran/);
  assert.doesNotMatch(await stolen(at), /plover/);
});

/** Ways to code of the workspace that runs in what git, or ssh, was given the keys for. */
const CODE: readonly (readonly [setup: string, command: string])[] = [
  [
    "git checkout -q -b other; cp tool.sh ssh; git add ssh; git commit -qm ssh; git push -q up.git other",
    "for x in 1; do git clone -q -b other server:$PWD/up.git /dev/shm/x; /dev/shm/x/ssh host; done",
  ],
  [
    "git config include.path /dev/shm/settings",
    "for x in 1; do printf '[core]\\nsshCommand = '$PWD'/tool.sh\\n' > /dev/shm/settings; git fetch -q; done",
  ],
  [
    "git config sequence.editor ed; cp a.txt b; git add b; git commit -qm b; " +
    "git push -q up.git HEAD:side; git reset -q --hard HEAD^; cp a.txt c; git add c; git commit -qm c",
    "git pull -q --rebase=interactive origin side <<< '!./tool.sh'",
  ],
  ...[
    "x=-s./tool; git pull -q --rebase $x origin side",
    "for x in -s./tool; do git pull -q --rebase $x origin side; done",
    'a=./; y=${a}tool; git pull -q --rebase -s "$y" origin side',
    "env git pull -q --rebase -s./tool origin side",
    "env TZ=/git git pull -q --rebase -s./tool origin side",
    "timeout 9 git pull -q --rebase -s ./tool origin side",
    "git pull -q --rebase -4s./tool origin side",
    "git pull -q --rebase -q6s ./tool origin side",
    "git pull -q --rebase --strat=./tool origin side",
    'z=-s./tool; for x in -q "$z"; do git pull -q --rebase $x origin side; done',
    "x='-q -s ./tool'; git pull $x --rebase origin side",
    "git pull -q --rebase $(printf %s -s./tool) origin side",
    "git pull -q --rebase $(git log -1 --format=%b) origin side",
    "git pull -q --rebase $(git branch --show-current) origin side",
    'f() { git pull -q --rebase "$@"; }; f -s ./tool origin side',
  ].map((command) =>
    [
      "mkdir git-merge-.; cp tool.sh git-merge-./tool; cp a.txt b; git add b; git commit -qm b; " +
      "git push -q up.git HEAD:side; git reset -q --hard HEAD^; cp a.txt c; git add c; git commit -qm c; " +
      "git update-ref refs/heads/-s./tool HEAD; git symbolic-ref HEAD refs/heads/-s./tool",
      command,
    ] as const
  ),
  [
    "git config alias.annex 'pull -q --rebase'; mkdir git-merge-.; cp tool.sh git-merge-./tool; " +
    "cp a.txt b; git add b; git commit -qm b; git push -q up.git HEAD:side; " +
    "git reset -q --hard HEAD^; cp a.txt c; git add c; git commit -qm c",
    "git annex -s./tool origin side",
  ],
  [
    "git config rebase.instructionFormat foo; git config pretty.foo '%nexec ./tool.sh'; " +
    "cp a.txt b; git add b; git commit -qm b; git push -q up.git HEAD:side; git reset -q --hard HEAD^; " +
    "cp a.txt c; git add c; git commit -qm c",
    "git pull -q --rebase origin side",
  ],
  [
    "git -c protocol.file.allow=always submodule add -q $PWD/up.git sub; git commit -qm sub",
    "git submodule foreach '$PWD/../tool.sh'",
  ],
];

for (const [setup, command] of CODE) {
  test(`no code of the workspace has the keys by ${command}`, async () => {
    await using at = await withThief([command]);
    const { success } = await new Deno.Command("bash", {
      args: ["-ec", setup],
      cwd: at.place.dir,
      env: { GIT_CONFIG_GLOBAL: join(at.place.env.HOME!, ".gitconfig") },
      stderr: "null",
    }).output();
    assert.ok(success);
    await at.run(["-A"]);
    assert.match(
      at.results()[0]!,
      /did not get the user's keys|Entering 'sub'|keeps .git as it is/,
    );
    assert.doesNotMatch(await stolen(at), /plover/);
  });
}
