/**
 * Files of the user's keys that words, links or settings of a repository name: what has the keys does not read them as
 * data, which would put them into the workspace, or before the model.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { hasBubblewrap } from "../support/sandbox.ts";
import { withThief } from "../support/thief.ts";

/** A repository that may name the keys, and a command that gets none; `$SSH` is where they are. */
const ATTEMPTS: readonly {
  setup: string;
  flags: readonly string[];
  commands: readonly string[];
}[] = [
  ...["objects/info/alternates", "info/grafts", "packed-refs", "branches/x"].map((name) => ({
    setup: `mkdir -p $(dirname .git/${name}); rm -f .git/${name}; ln -s $SSH/id_test .git/${name}`,
    flags: ["--allow-run=git"],
    commands: ["git fetch"],
  })),
  {
    setup: "mkdir -p z/info .git/objects/info; ln -s $SSH/id_test z/info/alternates; " +
      "echo $PWD/z > .git/objects/info/alternates",
    flags: ["--allow-run=git"],
    commands: ["git fetch -q"],
  },
  {
    setup: "git init -q --bare evil.git; mkdir -p evil.git/objects/info; " +
      "ln -s $SSH/id_test evil.git/objects/info/alternates",
    flags: ["-A"],
    commands: ["git clone -q --reference evil.git server:$PWD/up.git y"],
  },
  {
    setup: "git config core.attributesFile $PWD/attrs; git checkout -q -b other; " +
      "ln -s $SSH/words attrs; git add attrs; git commit -qm attrs; " +
      "cp a.txt o; git add o; git commit -qm o; git push -q up.git other; git checkout -q -",
    flags: ["-A"],
    commands: ["git pull -q --no-edit origin other"],
  },
  ...["git config include.path ../hop", "ln -s ../../hop .git/info/grafts"].map((setup) => ({
    setup: `mkdir -p .git/info; touch $SSH/../harmless; ln -s $SSH/../harmless hop; ${setup}`,
    flags: ["--allow-run=git"],
    commands: ["git fetch"],
  })),
  {
    setup: "rm -rf .git/info; mkdir x; ln -s ../x .git/info",
    flags: ["-A"],
    commands: ["ln -s ~/.ssh/id_test x/grafts", "git fetch"],
  },
  {
    setup: "git config core.attributesFile $SSH/words; cp a.txt b; git add b; git commit -qm b; " +
      "git push -q up.git HEAD:main; git reset -q --hard HEAD^",
    flags: ["--allow-run=git"],
    commands: ["git pull -q origin main"],
  },
  {
    setup: "cp a.txt id_test; git add id_test; git commit -qm b; git config core.worktree $SSH; " +
      "git push -q up.git HEAD:main; git commit -q --amend -m c",
    flags: ["--allow-run=git"],
    commands: [
      "git pull -q --rebase --autostash origin main",
      "git log --all --reflog; git cat-file --batch-check --batch-all-objects",
    ],
  },
  ...[
    "git fetch --stdin < k",
    "git fetch --stdin < ~/.ssh/id_test",
    'git fetch origin "$(< k)"',
    "scp k k2",
    "scp -r d e",
    "git --work-tree=$HOME/.ssh pull -q --rebase --autostash",
    'x=k; git fetch origin "$(cat ${x})"',
    'x=k; git fetch origin "$(< ${x})"',
    'for x in d; do git fetch origin "$(cat $x/k)"; done',
    'git fetch origin "$(cat ?)"',
    'git fetch origin "$(head d*/k)"',
    'git fetch origin "$(grep -Rh . d)"',
    'x=k; git fetch origin "$(date -f ${x} 2>&1)"',
    "for x in k; do date -f $x; done; git fetch",
    "git fetch --stdin < l/../kk",
    "while :; do cp a.txt q; sleep 1; done & sleep 1; git fetch --stdin < elsewhere",
    "git fetch --stdin < p/k",
    "cd e/f && git fetch --stdin < /proc/self/cwd/../../d/k",
    "git reset -q --hard other | { sleep 1; git fetch --stdin < pulled; }",
    'for x in 1; do git pull -q --no-edit origin other; git push origin "$(date --file=pulled 2>&1)"; done',
    "cd e/f && git fetch --stdin < ../../p/../../d/k",
    "git fetch --stdin < /proc/self/cwd/k",
    "git fetch --stdin < /dev/fd/../cwd/k",
    "git fetch --stdin < d*/../k",
    "ssh -F ~/.ssh/id_test host",
    "git config core.sshCommand 'ssh -F ~/.ssh/id_test' && git fetch",
    "if git clone -q -b other server:$PWD/up.git cl; then git fetch --stdin < cl/pulled; fi",
    "for x in 1; do git pull -q --no-edit origin other; git fetch --stdin < pulled; done",
    "git --work-tree=/ pull -q --rebase --autostash",
    "cd l/.. && git fetch --stdin < kk",
    "cd l && cd .. && git fetch --stdin < kk",
    "cd d && git fetch --stdin < k",
    "cd d || exit 1; git fetch --stdin < k",
    "(cd d; git fetch --stdin < k) | cat",
    "{ cd d && git fetch --stdin < k; } 2>&1 | cat",
    "for x in d; do (cd $x && git fetch --stdin < k); done",
    'for x in ". --work-tree=$HOME/.ssh"; do git -C $x pull -q --rebase --autostash; done',
    "while :; do ln -sf k n; cp a.txt m; mv m n; done & sleep 1; git fetch --stdin < n",
  ].map((command) => ({
    setup:
      "ln -s $SSH/id_test k; mkdir -p d e/f; ln -s $SSH/id_test d/k; ln -s $SSH/id_test e/kk; " +
      "touch $SSH/../harmless; ln -s $SSH/../harmless elsewhere; ln -s e/f l; ln -s /proc/self/cwd p; git checkout -q -b other; ln -s $SSH/id_test pulled; " +
      "git add pulled; git commit -qm pulled; git push -q up.git other; git checkout -q -",
    flags: ["-A", "--allow-run=scp"],
    commands: [command],
  })),
];

for (const { setup, flags, commands } of ATTEMPTS) {
  Deno.test({
    name: `keys are not read as data: ${setup.split(";")[0]}: ${commands.join(", ")}`,
    ignore: !hasBubblewrap(),
    async fn() {
      await using at = await withThief(commands);
      const keys = join(at.place.env.HOME!, ".ssh");
      await Deno.writeTextFile(join(keys, "words"), "x plo!ver\n");
      const { success } = await new Deno.Command("bash", {
        args: ["-ec", setup],
        cwd: at.place.dir,
        env: { SSH: keys, GIT_CONFIG_GLOBAL: "/dev/null" },
        stderr: "null",
      }).output();
      assert.ok(success);
      await at.run(flags);
      const told = at.results();
      assert.equal(told.length, commands.length);
      assert.match(
        told.join("\n"),
        /did not get the user's keys|No such file|other code in the same|git's history holds/,
      );
      assert.doesNotMatch(told.join("\n"), /plo!?ver/);
      await assert.rejects(at.place.read("k2"));
    },
  });
}

Deno.test({
  name: "links and settings of everyday repositories leave git its keys",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await withThief([
      "git fetch -q",
      "git push -q origin HEAD:new",
      "git pull -q origin main",
      "git fetch --stdin < names",
      "echo main | git fetch --stdin > log",
    ]);
    await at.place.write("hook.sh", "#!/bin/sh\n");
    await at.place.write("names", "main\n");
    await Deno.mkdir(join(at.place.dir, ".git/hooks"), { recursive: true });
    await Deno.symlink("../../hook.sh", join(at.place.dir, ".git/hooks/pre-push"));
    await at.git("config", "user.signingKey", join(at.place.env.HOME!, ".ssh/id_test.pub"));
    await at.git("config", "core.sshCommand", "ssh -i ~/.ssh/id_test");
    await at.git("config", "--unset", "core.sshCommand");
    await at.git("config", "core.excludesFile", ".ignored");
    await at.run(["-A"]);
    for (const result of at.results()) assert.doesNotMatch(result, /"success":false|did not get/);
  },
});

Deno.test({
  name: "everyday words around git leave it its keys",
  ignore: !hasBubblewrap(),
  async fn() {
    const commands = [
      "git push -q origin HEAD:$(git branch --show-current)-x",
      'B=$(git rev-parse --abbrev-ref HEAD); git push -q origin "HEAD:$B-y"',
      "V=$(cat version); git push -q origin HEAD:v$V",
      "V=$(jq -r .v p.json || cat version); git push -q origin HEAD:w$V",
      "(cd sub && git fetch -q) | cat",
      "cd sub || exit 1; git fetch -q 2>&1 | cat",
      "cd sub && git fetch -q",
      "for d in sub; do git -C $d fetch -q; done",
      "for d in sub; do (cd $d && git fetch -q && ls); done",
      "[[ -n $CI && $(git branch --show-current) == x ]] || git fetch -q",
      "for i in 1 2; do git fetch -q && break; sleep 1; done",
      "git fetch -q && git log --oneline HEAD..origin/main | head",
      "for b in $(git branch --show-current | cut -c1-); do git push -q origin HEAD:$b-z; done",
      "git fetch -q origin 'refs/heads/*:refs/remotes/o/*'",
      "git pull -q origin $(git branch --show-current)",
      'B=$(git rev-parse --abbrev-ref HEAD); git pull -q --rebase origin "$B"',
      'B=main; git pull -q --rebase origin "$B:refs/remotes/origin/$B"',
    ];
    await using at = await withThief(commands);
    await Deno.mkdir(join(at.place.dir, "sub"));
    await at.place.write("version", "1\n");
    await at.run(["-A"]);
    const results = at.results();
    assert.equal(results.length, commands.length);
    for (const [index, result] of results.entries()) {
      assert.doesNotMatch(result, /"success":false|did not get/, commands[index]);
    }
  },
});
