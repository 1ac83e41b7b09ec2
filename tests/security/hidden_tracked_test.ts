/**
 * Files that a repository tracks and the sandbox hides: no command of git takes them for deleted, in the index or in a
 * commit, and what git says of them is set right.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { type Guarded, guarded, hasBubblewrap } from "../support/sandbox.ts";

const FILES = {
  "a.txt": "a\n",
  "src/b.txt": "b\n",
  "secret/key.txt": "key\n",
  "pub/y.txt": "y\n",
  "pub/deny/x.txt": "x\n",
  "one.txt": "one\n",
};
const DENIED = "--deny-read=secret,pub/deny,one.txt";

/** A repository that tracks these files, in which each of them that is not hidden has changed. */
async function tracked(commands: Parameters<typeof guarded>[0]): Promise<Guarded> {
  const at = await guarded(commands, { repository: true });
  for (const [name, text] of Object.entries(FILES)) await write(at, name, text);
  await at.git("add", "-A");
  await at.git("commit", "-qm", "files");
  for (const name of ["a.txt", "src/b.txt", "pub/y.txt"]) await write(at, name, "changed\n");
  return at;
}

async function write({ place }: Guarded, name: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(join(place.dir, name)), { recursive: true });
  await place.write(name, text);
}

const RECORDS = [
  "git add -A && git commit -qm wip",
  "git add -u",
  "git add -n .",
  "git add .",
  "git add --all -- pub",
  "git add -v '*.txt'",
  "git add -- ':/'",
  "git commit -qam wip",
  "git commit -a -m wip",
  "git commit --all -m wip",
  "git commit -qm wip .",
  "git commit -qm wip -- a.txt pub",
  "git rm -rq --cached .",
  "git rm -rq --cached pub",
  "cd src && git add -A",
  "cd src; git add ..",
  "git -C src add -A",
  "git -C src -C .. add pub",
  "X=1 git add -u",
  "if true; then git add -A; fi",
];

Deno.test({
  name: "no command of git records hidden files as deleted",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await tracked(RECORDS);
    const { code } = await at.run(["-A", DENIED]);
    assert.equal(code, 3);
    const results = at.results();
    for (const [index, command] of RECORDS.entries()) {
      assert.match(results[index]!, /forbids it: the sandbox hides that, and git would/, command);
    }
    assert.match(results[0]!, /git add FILE && git commit -m TEXT/);
    assert.equal(await at.git("diff", "--cached", "--name-status"), "");
    assert.equal((await at.git("log", "--format=%s")).trim(), "files\nfirst");
  },
});

Deno.test({
  name: "what names other files is recorded, and so is all where nothing hidden is tracked",
  ignore: !hasBubblewrap(),
  async fn() {
    const commands = [
      "git add src/b.txt && git commit -qm one",
      "git add a.txt pub/y.txt",
      "git commit -qm 'all of -a'",
      "echo more >> src/b.txt; cd src && git add . && git commit -qm three",
      "git rm -q --cached a.txt; git reset -q; git add a.txt",
    ];
    await using at = await tracked(commands);
    assert.equal((await at.run(["-A", DENIED])).code, 0);
    assert.match(await at.git("log", "--format=%s"), /^three\nall of -a\none\n/);
    assert.equal(await at.git("status", "--short"), "");
    assert.match(await at.git("ls-files"), /secret\/key\.txt/);

    const all = ["git add -A && git commit -qm all", "rm .gitignore; git add -A"];
    await using other = await guarded(all, { repository: true, files: { ".gitignore": ".env\n" } });
    for (const name of [".env", "b.txt", "private/c.txt"]) await write(other, name, "x\n");
    await other.run(["-A", "--deny-read=.env,private,later"]);
    const [added, refused] = other.results();
    assert.doesNotMatch(added!, /forbids it/);
    assert.equal(await other.git("show", "--format=", "--name-only", "HEAD"), "b.txt\n");
    assert.match(refused!, /the sandbox hides a file that git was to add/);
  },
});

Deno.test({
  name: "git that writes files again leaves hidden ones as they are",
  ignore: !hasBubblewrap(),
  async fn() {
    const commands = [
      "git reset -q --hard",
      "git checkout -q -- .",
      "git restore .",
      "git restore --staged .",
      "git clean -fdxq",
      "git switch -q -c topic",
      "git reset -q",
      "git stash",
      "git checkout -q HEAD~1",
      "git mv pub other",
    ];
    await using at = await tracked(commands);
    await at.run(["-A", DENIED]);
    await at.git("checkout", "-q", "--", "a.txt", "src", "pub/y.txt");
    assert.equal(await at.git("status", "--short"), "");
    for (const name of ["secret/key.txt", "pub/deny/x.txt", "one.txt"] as const) {
      assert.equal(await at.place.read(name), FILES[name]);
    }
  },
});

Deno.test({
  name: "what git says of hidden files is set right, and of others left as it is",
  ignore: !hasBubblewrap(),
  async fn() {
    const telling = [
      "git status",
      "git status --short",
      "git status --porcelain=v2",
      "cd src && git status -s",
      "git -C pub status -s",
      "git commit -qm nothing",
      "git reset",
    ];
    await using at = await tracked([...telling, "git status -s src", "git log --stat"]);
    await at.run(["-A", DENIED]);
    const results = at.results();
    const [first, ...plain] = [results[0]!, ...results.slice(telling.length)];
    for (const [index, command] of telling.entries()) {
      assert.match(results[index]!, /Git does not see \S*\/secret, /, command);
    }
    assert.match(first!, /one\.txt, which may not be read: it takes that for deleted or changed/);
    for (const result of plain) assert.doesNotMatch(result, /does not see/);
  },
});

Deno.test({
  name: "keys that a home under git tracks are not recorded as deleted",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded(["git add -u", "git commit -qam x", "git add a.txt"], {
      repository: true,
      files: { "a.txt": "a\n" },
    });
    await write(at, ".ssh/config", "Host x\n");
    await at.git("add", "-A");
    await at.git("commit", "-qm", "files");
    await write(at, "a.txt", "b\n");
    await at.run(["-A"], { env: { HOME: at.place.dir } });
    const [add, commit, named] = at.results();
    for (const result of [add!, commit!]) assert.match(result, /the sandbox hides \S*\/\.ssh, and/);
    assert.doesNotMatch(named!, /hides/);
    assert.equal(await at.git("diff", "--cached", "--name-status"), "M\ta.txt\n");
  },
});

Deno.test({
  name: "an index of which ally does not know how to read it may hold what is hidden",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await tracked(["git add -A"]);
    await at.git("update-index", "--split-index");
    await at.run(["-A", "--deny-read=secret"]);
    assert.match(at.results()[0]!, /git would record it as deleted/);
    assert.equal(await at.git("diff", "--cached", "--name-status"), "");
  },
});

Deno.test({
  name:
    "git shows nothing of keys that a home under git tracks, nor of what is denied by any word for it",
  ignore: !hasBubblewrap(),
  async fn() {
    const shows = [
      "git cat-file -p HEAD:.ssh/id_rsa",
      "git show HEAD:.ssh/id_rsa",
      "git log -p",
      "git grep plover HEAD",
    ];
    await using at = await guarded([...shows, "git log -p -- a.txt"], { repository: true });
    await write(at, ".ssh/id_rsa", "the word is plover\n");
    await write(at, "a.txt", "a\n");
    await at.git("add", "-A");
    await at.git("commit", "-qm", "files");
    await at.run([], { env: { HOME: at.place.dir } });
    const results = at.results();
    assert.doesNotMatch(results.join("\n"), /plover\b(?!\s+HEAD)/);
    assert.match(results[0]!, /git's history holds .*\.ssh/);
    assert.match(results.at(-1)!, /\+a/);

    const words = [
      ...["git log -p -- ~+", "git diff HEAD -- ~+", "git show HEAD -- ~+/"],
      ...["git add ~+ && git commit -qm wip", "git rm -rq --cached ~+", "git commit -qm wip ~+"],
    ];
    await using denied = await tracked(words);
    await denied.run(["-A", DENIED]);
    for (const result of denied.results()) assert.match(result, /Permission denied/);
  },
});

/** The directory with the key, as git calls it. */
const TREE = "7d18fa82c14b51645994f0d78c63b2bcc9fd46b1";

Deno.test({
  name:
    "git shows what is hidden by the name of no tree, and in no directory to which a link leads",
  ignore: !hasBubblewrap(),
  async fn() {
    const shows = [
      ...["git show tree:key.txt", "git cat-file -p note:key.txt", `git show ${TREE}:key.txt`],
      ...[`git show ${TREE.slice(0, 7)}:key.txt`, "git diff tree HEAD -- key.txt"],
      ...["git diff HEAD..tree -- key.txt", "git show tree -- key.txt", "git diff tree -- key.txt"],
      ...[
        "git show main:key.txt",
        "git -C link show HEAD:./key.txt",
        "git -C link log -p -- key.txt",
      ],
      ...["git -C link -C . show HEAD:./key.txt", "cd link && git show HEAD:./key.txt"],
      "git -C link -C .. add secret",
    ];
    const plain = [
      ...["git show one:src/b.txt two~0:a.txt", "git diff one two -- src", "git diff one.. -- src"],
      ...[
        "git -C src show HEAD:./b.txt",
        "git -C src log -p -- b.txt",
        "git show two -- src/b.txt",
      ],
    ];
    await using at = await tracked([...shows, ...plain]);
    await Deno.symlink("secret", join(at.place.dir, "link"));
    await at.git("tag", "tree", TREE);
    await at.git("tag", "-am", "x", "note", TREE);
    await at.git("update-ref", "refs/tags/main", TREE);
    await at.git("tag", "one");
    await at.git("commit", "-qam", "two");
    await at.git("tag", "-am", "x", "two");
    await at.run(["-A", DENIED]);
    const results = at.results();
    for (const [index, command] of shows.entries()) {
      assert.match(results[index]!, /Permission denied: --deny-read=\S+ forbids it/, command);
    }
    for (const [index, command] of plain.entries()) {
      assert.match(results[shows.length + index]!, /^\+?changed$/m, command);
    }

    await using home = await guarded([`git show ${TREE}:key.txt`], { repository: true });
    await write(home, ".aws/key.txt", "key\n");
    await home.git("add", "-A");
    await home.git("commit", "-qm", "files");
    await home.run([], { env: { HOME: home.place.dir } });
    assert.match(home.results()[0]!, /git's history holds .*\.aws/);
  },
});

const DUMPS = "git cat-file --batch-all-objects --batch >&2; cat";

Deno.test({
  name:
    "no program that settings of git name sees the history of hidden files, and the result says why",
  ignore: !hasBubblewrap(),
  async fn() {
    for (
      const [name, value, command] of [
        ["diff.x.textconv", "sh u.sh", "git log -p -- a.txt"],
        ["diff.x.textconv", "sh u.sh", "git show HEAD -- a.txt"],
        ["diff.x.textconv", `${DUMPS} #`, "git diff -- a.txt"],
        ["filter.x.clean", "sh u.sh", "git add a.txt"],
        ["core.fsmonitor", DUMPS, "git status -s -- a.txt"],
        ["gpg.program", `sh -c '${DUMPS}'`, "git commit -qS -m x"],
      ] as const
    ) {
      await using at = await tracked([command]);
      await write(at, "u.sh", `${DUMPS} $1\n`);
      await write(at, ".gitattributes", "a.txt diff=x filter=x\n");
      await at.git("config", name, value);
      await at.run(["--allow-write", "--allow-run=git", DENIED]);
      const [result] = at.results();
      assert.doesNotMatch(result!, /^key$|\\nkey\\n/m, command);
      assert.ok(result!.includes(`name: ${name.toLowerCase()} = `), `${command}: ${result}`);
    }
    await using at = await tracked(["git log -p -- a.txt", "git add a.txt"]);
    await at.git("config", "diff.x.textconv", "git-crypt diff");
    await at.git("config", "core.fsmonitor", "false");
    await at.run(["--allow-write", "--allow-run=git", DENIED]);
    for (const result of at.results()) assert.doesNotMatch(result, /hides|"success":false/);
  },
});

Deno.test({
  name: "no setting of a repository has git show more of the history than its words say",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await tracked([
      "git log -p -M1% -- pub.txt",
      "GIT_EDITOR=cat git commit --allow-empty --amend pub.txt",
      "git show 'HEAD^{/!-x:y}'",
    ]);
    await at.git("config", "log.follow", "true");
    await at.git("config", "commit.verbose", "2");
    await write(at, "pub.txt", "key\nmore\n");
    await at.git("add", "pub.txt");
    await at.git("commit", "-qm", "pub");
    await write(at, "pub.txt", "key\nless\n");
    await at.run(["--allow-write", "--allow-run=git", DENIED]);
    const results = at.results();
    assert.equal(results.length, 3);
    assert.match(results[0]!, /new file mode/);
    assert.doesNotMatch(results.join("\n"), /copy from|-key|-one|deleted file/);
  },
});

const HOOKS_PATHS: Readonly<Record<string, string>> = {
  "a plain line": "[core]\n\thooksPath = .husky\n",
  "the line of its section": "[core] hooksPath = .husky\n",
  "two lines": "[core]\n\thooksPath = .hus\\\nky\n",
  "a line with words behind it": "[core]\n\thooksPath = .husky # ours\n",
};

for (const [where, text] of Object.entries(HOOKS_PATHS)) {
  Deno.test({
    name: `no hook that ${where} leads to sees a hidden history`,
    ignore: !hasBubblewrap(),
    async fn() {
      await using at = await tracked([
        "git commit -q --allow-empty -m x",
        "git log -1 --format=%s",
      ]);
      await Deno.mkdir(join(at.place.dir, ".husky"));
      const hook = "#!/bin/sh\ngit show HEAD:secret/key.txt >&2; echo ran > ran.txt\n";
      await writeProgram(join(at.place.dir, ".husky/pre-commit"), hook);
      await write(at, ".git/config", await at.place.read(".git/config") + text);
      await at.run(["--allow-write", "--allow-run=git", DENIED]);
      assert.match(at.results()[1]!, /^x$/m);
      assert.equal(await at.place.read("ran.txt").catch(() => ""), "");
    },
  });
}

/** A reply that calls a tool. */
const call = (name: string, input: Record<string, unknown>) => ({
  calls: [{ name, arguments: input }],
});
const read = (path: string) => call("read", { file_paths: [path] });

/** Files in which git keeps contents of others. */
const KEPT_BY_GIT = [
  ...["rebase-merge/patch", "COMMIT_EDITMSG", "lost-found/other/x", "rebase-apply/0001"],
  ...["ADD_EDIT.patch", "MERGE_MSG", "worktrees/w/COMMIT_EDITMSG", "newer/x"],
];

Deno.test("nothing that git keeps of hidden files is read, but what holds names alone is", async () => {
  const denied = [
    ...KEPT_BY_GIT.map((name) => read(`.git/${name}`)),
    call("grep", { pattern: "plover", path: ".git" }),
    call("glob", { pattern: ".git/rebase-apply/*", show_content: true }),
    call("glob", { pattern: "rebase-apply/*", path: ".git", show_content: true }),
  ];
  await using at = await tracked([
    ...denied,
    call("glob", { pattern: ".gi?/**", show_content: true }),
    call("grep", { pattern: "plover", include: ".git/**" }),
    ...hasBubblewrap() ? [`cd .git && cat ${KEPT_BY_GIT.join(" ")}; grep -rn plover .`] : [],
    read(".git/HEAD"),
  ]);
  for (const name of KEPT_BY_GIT) await write(at, `.git/${name}`, "plover\n");
  await at.run([DENIED]);
  const results = at.results();
  assert.doesNotMatch(results.join("\n"), /^plover|[:\t]plover/m);
  for (const result of results.slice(0, denied.length)) {
    assert.match(
      result,
      /Permission denied: --deny-read=\S+ forbids it: git's history may hold it/,
    );
  }
  assert.match(results.at(-1)!, /ref: refs\/heads\/main/);
});

/** Where a repository keeps what it knows of a tree, beside that; and how it comes there. */
const PLACES_OF_GIT: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "sub/.git": [["init", "-q", "sub"]],
  "kept": [["init", "-q", "--separate-git-dir=kept", "sub"]],
  "bare/worktrees/sub": [
    ["clone", "-q", "--bare", ".", "bare"],
    ["-C", "bare", "worktree", "add", "-q", "../sub", "-b", "sub"],
  ],
  "bare/worktrees/inner": [
    ["clone", "-q", "--bare", ".", "bare"],
    ["-C", "bare", "worktree", "add", "-q", "inner", "-b", "inner"],
  ],
};

for (const [directory, makes] of Object.entries(PLACES_OF_GIT)) {
  Deno.test(`before any other command nothing is read of a hidden file that git keeps in ${directory}`, async () => {
    const tree = directory.endsWith("inner") ? "bare/inner" : "sub";
    const kept = `${directory}/rebase-apply/0001`;
    await using at = await guarded([
      ...hasBubblewrap() ? [`cat ${kept}`, `cat ${tree}/plain.txt`] : [],
      read(kept),
      read(`${tree}/plain.txt`),
      call("grep", { pattern: "plover", path: directory.split("/")[0] }),
      call("glob", { pattern: `${directory}/rebase-apply/*`, show_content: true }),
    ], { repository: true });
    for (const args of makes) await at.git(...args);
    await write(at, `${tree}/secret.txt`, "plover\n");
    await write(at, `${tree}/plain.txt`, "heron\n");
    await write(at, kept, "plover\n");
    await at.run([`--deny-read=${tree}/secret.txt`]);
    const results = at.results();
    assert.doesNotMatch(results.join("\n"), /^\s*plover|[:\t] ?plover/m);
    assert.equal(results.filter((one) => /heron/.test(one)).length, hasBubblewrap() ? 2 : 1);
  });
}

Deno.test({
  name: "no script sees the history of a hidden file in a nested repository or a submodule",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded(["sh x.sh sub; sh x.sh mod"], { repository: true });
    await Deno.mkdir(join(at.place.dir, "sub"));
    await write(at, "sub/secret.txt", "plover\n");
    await at.git("init", "-q", "sub");
    await at.git("-C", "sub", "add", "-A");
    await at.git("-C", "sub", "commit", "-qm", "secret");
    await at.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "./sub", "mod");
    await write(at, "x.sh", "git -C $1 show HEAD:secret.txt; git -C $1 rev-parse HEAD\n");
    await at.run(["--allow-run=sh", "--deny-read=sub/secret.txt,mod/secret.txt"]);
    assert.doesNotMatch(at.results()[0]!, /plover/);
    assert.match(at.results()[0]!, /[0-9a-f]{40}[^]*[0-9a-f]{40}/);
  },
});
