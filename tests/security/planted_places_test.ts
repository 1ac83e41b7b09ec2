/**
 * Places of a repository's own directory in which a hook may leave what the user's git would run or write through later:
 * nothing of it stays unsaid, in repositories that were there and in those that git has just made.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { type Guarded, guarded, hasBubblewrap } from "../support/sandbox.ts";

interface Planting {
  /** What is there before, as a script. */
  readonly before?: string;
  /** What the hook does. */
  readonly hook: string;
  readonly command?: string;
  /** What the result says. */
  readonly told: RegExp;
  /** What must be true afterwards, as a script. */
  readonly after: string;
}

const MODULE = "git init -q --bare up && git -C up symbolic-ref HEAD refs/heads/main && " +
  "git push -q up main && git -c protocol.file.allow=always submodule add -q ./up sub && " +
  "git commit -qm sub";
const TREE = `${MODULE} && git worktree add -q ../wt && cd ../wt && ` +
  "git -c protocol.file.allow=always submodule update -q --init";
const CONFLICT = "echo one > a.txt && git commit -qam one && git checkout -q -b y HEAD~1 && " +
  "echo two > a.txt && git commit -qam two";
const REPO = "git init -q lib; cd lib; git commit -q --allow-empty -m first";

const PLANTINGS: Readonly<Record<string, Planting>> = {
  "settings of a submodule in a linked working tree": {
    before: TREE,
    hook: "git config -f .git/worktrees/wt/modules/sub/config core.fsmonitor ./x",
    told: /modules\/sub\/config-set-aside/,
    after: "! grep -q fsmonitor .git/worktrees/wt/modules/sub/config",
  },
  "a second name of a list of steps": {
    before: CONFLICT,
    hook: "[ -d .git/rebase-merge ] && ln -f .git/rebase-merge/git-rebase-todo .git/COMMIT_EDITMSG",
    command: "git rebase main",
    told: /git-rebase-todo-set-aside/,
    after: "! [ .git/rebase-merge/git-rebase-todo -ef .git/COMMIT_EDITMSG ]",
  },
  "a step that the message of a commit spells": {
    before: `${CONFLICT}; git rebase main; echo three > a.txt; git add a.txt`,
    hook: "[ -d .git/rebase-merge ] && echo 'exec ./x' >> .git/rebase-merge/git-rebase-todo",
    command: "git commit -qm '-x./x'",
    told: /git-rebase-todo-set-aside/,
    after: "! grep -q '^exec' .git/rebase-merge/git-rebase-todo",
  },
  "a link in a repository that git has made": {
    hook: `[ -d lib ] || { ${REPO}; ln -sf config .git/COMMIT_EDITMSG; }`,
    told: /COMMIT_EDITMSG-set-aside/,
    after: "! [ -L lib/.git/COMMIT_EDITMSG ]",
  },
  "a second name of settings in a repository that git has made": {
    hook: `[ -d lib ] || { ${REPO}; ln -f .git/config .git/COMMIT_EDITMSG; }`,
    told: /config-set-aside/,
    after: "! [ lib/.git/config -ef lib/.git/COMMIT_EDITMSG ]",
  },
  "a step in a repository that git has made": {
    hook: `[ -d lib ] || { ${REPO}; mkdir .git/rebase-merge; ` +
      "echo 'exec ./x' > .git/rebase-merge/git-rebase-todo; }",
    told: /git-rebase-todo-set-aside/,
    after: "! grep -q '^exec' lib/.git/rebase-merge/git-rebase-todo",
  },
  "a submodule in a repository that git has made": {
    hook: `[ -d lib ] || { ${REPO}; git init -q --bare .git/modules/sub; ` +
      "git config -f .git/modules/sub/config core.fsmonitor ./x; }",
    told: /modules\/sub\/config-set-aside/,
    after: "! grep -q fsmonitor lib/.git/modules/sub/config",
  },
  "a working tree in git's own directory": {
    before: MODULE,
    hook: "git config -f .git/modules/sub/config core.worktree ../../../.git",
    told: /modules\/sub\/config-set-aside/,
    after: "git config -f .git/modules/sub/config core.worktree | grep -qx ../../../sub",
  },
  "a record of a working tree elsewhere": {
    hook: "mkdir -p .git/worktrees/new; cd .git/worktrees/new; echo ../.. > commondir; " +
      "echo ref: refs/heads/main > HEAD; echo $HOME/docs/.git > gitdir",
    told: /worktrees\/new/,
    after: "! [ -e .git/worktrees/new/HEAD ]",
  },
  "other attributes in a file too long to be put back": {
    before: "{ printf '#'; head -c 8100000 /dev/zero | tr '\\0' x; } > .git/info/attributes",
    hook: "cp -p .git/info/attributes was; " +
      "printf '* filter=evil\\n#' | dd of=.git/info/attributes conv=notrunc status=none; " +
      "touch -r was .git/info/attributes",
    told: /info\/attributes-set-aside/,
    after: "! grep -q '^. filter' .git/info/attributes",
  },
  "a link whose name is no text": {
    hook: "ln -sf ~/.bashrc \".git/logs/refs/heads/$(printf 'm\\377')\"",
    told: /its name is no text/,
    after: "true",
  },
  "a link in place of packs": {
    hook: "rmdir .git/objects/pack; ln -s ~ .git/objects/pack",
    told: /pack-set-aside/,
    after: "! [ -L .git/objects/pack ]",
  },
};

async function run(at: Guarded, script: string): Promise<boolean> {
  const { success } = await new Deno.Command("bash", {
    args: ["-c", script],
    cwd: at.place.dir,
    clearEnv: true,
    env: { PATH: at.place.env.PATH!, HOME: at.place.env.HOME!, GIT_EDITOR: "true" },
    stdout: "null",
    stderr: "null",
  }).output();
  return success;
}

for (const [what, { before = "true", hook, command, told, after }] of Object.entries(PLANTINGS)) {
  Deno.test({
    name: `a hook does not leave ${what}`,
    ignore: !hasBubblewrap(),
    async fn() {
      const files = { "a.txt": "a\n" };
      await using at = await guarded([command ?? "git checkout -q -b x"], {
        repository: true,
        files,
      });
      const settings = "[user]\n\tname = a\n\temail = a@b.c\n";
      await Deno.writeTextFile(join(at.place.env.HOME!, ".gitconfig"), settings);
      await run(at, before);
      await Deno.mkdir(join(at.place.dir, ".husky"));
      for (const name of ["post-checkout", "post-index-change", "pre-commit"]) {
        const script = `#!/bin/sh\nunset GIT_DIR GIT_INDEX_FILE\n${hook}\nexit 0\n`;
        await writeProgram(join(at.place.dir, ".husky", name), script);
      }
      await at.git("config", "core.hooksPath", ".husky");
      await at.run(["--allow-run=git"]);
      assert.match(at.results()[0]!, told);
      assert.ok(await run(at, after), at.results()[0]);
    },
  });
}

Deno.test({
  name: "hooks stay as they are in a directory in .git that the user's own settings name",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded(["git checkout -q -b x"], { repository: true });
    await at.git("config", "--unset", "core.hooksPath");
    const settings = "[core] hooksPath = .git/mine\n[user]\n\tname = a\n\temail = a@b.c\n";
    await Deno.writeTextFile(join(at.place.env.HOME!, ".gitconfig"), settings);
    await Deno.mkdir(join(at.place.dir, ".git/mine"));
    const hook =
      "#!/bin/sh\necho ran > ran.txt; echo ./x > .git/mine/pre-push; mv .git/mine .git/x\n";
    await writeProgram(join(at.place.dir, ".git/mine/post-checkout"), hook);
    await at.run(["--allow-run=git"]);
    assert.equal(await at.place.read("ran.txt"), "ran\n");
    const names = Array.from(Deno.readDirSync(join(at.place.dir, ".git/mine")), ({ name }) => name);
    assert.deepEqual(names, ["post-checkout"]);
  },
});
