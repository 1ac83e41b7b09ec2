/**
 * What git keeps of a file that may not be read, where links, other repositories or settings have it lie elsewhere than in
 * `.git` beside that file.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { type Guarded, guarded, hasBubblewrap } from "../support/sandbox.ts";

async function write({ place }: Guarded, name: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(join(place.dir, name)), { recursive: true });
  await place.write(name, text);
}

/** A reply that calls a tool. */
const call = (name: string, input: Record<string, unknown>) => ({
  calls: [{ name, arguments: input }],
});
const read = (path: string) => call("read", { file_paths: [path] });

/** How links and other repositories lead to what `sub` keeps of a file, once it has been committed. */
const LINKED_HISTORIES: Readonly<Record<string, string>> = {
  "objects behind a link": "mv sub/.git/objects store; ln -s ../../store sub/.git/objects",
  "directories of objects behind links":
    "mkdir store; cd sub/.git/objects; for i in ??; do mv $i ../../../store; ln -s ../../../store/$i; done",
  "packs behind a link":
    "git -C sub gc -q; mv sub/.git/objects/pack store; ln -s ../../../store sub/.git/objects/pack",
  "a pack behind a link":
    "git -C sub gc -q; mkdir store; cd sub/.git/objects/pack; for i in *; do mv $i ../../../../store; ln -s ../../../../store/$i; done",
  "links to another repository":
    "mv sub/.git store; mkdir sub/.git; cd sub/.git; for i in config refs objects info hooks; do ln -s ../../store/$i; done; cp ../../store/HEAD ../../store/index .",
  "a repository from which one borrows that lends it on":
    "mv sub store; git clone -qs store middle; git clone -qs middle sub; git -C sub branch -m main",
  "what a list behind a link names in quotes":
    `git init -q store; mv sub/.git/objects/?? store/.git/objects; printf '"../../../st\\\\157re/.git/objects"\\n' > list; ln -s ../../../../list sub/.git/objects/info/alternates`,
  "what is shared by a directory without a HEAD":
    "mkdir store; cd sub/.git; mv objects refs config ../../store; echo ../../store > commondir",
};
/** Prints all that objects in a directory hold. */
const PRINTS =
  "git init -q --bare /tmp/r; cp -rL $1/?? $1/.git/objects/?? $1/objects/?? /tmp/r/objects;" +
  " for i in $1/*.pack; do git -C /tmp/r unpack-objects < $i; done;" +
  " git -C /tmp/r cat-file --batch-all-objects --batch\n";

for (const [what, makes] of Object.entries(LINKED_HISTORIES)) {
  Deno.test({
    name: `no script finds the history of a hidden file in ${what}`,
    ignore: !hasBubblewrap(),
    async fn() {
      await using at = await guarded(["sh x.sh; sh y.sh store; cat sub/plain.txt"], {
        files: { "sub/secret.txt": "plover\n", "sub/plain.txt": "heron\n" },
      });
      await at.git("init", "-q", "-b", "main", "sub");
      await at.git("-C", "sub", "add", "-A");
      await at.git("-C", "sub", "commit", "-qm", "secret");
      await at.git("-c", `alias.x=!${makes}`, "x");
      assert.equal(await at.git("-C", "sub", "show", "HEAD:secret.txt"), "plover\n");
      await write(at, "x.sh", "git -C sub show HEAD:secret.txt\n");
      await write(at, "y.sh", PRINTS);
      await at.run(["--allow-run", "--deny-read=sub/secret.txt"]);
      assert.match(at.results()[0]!, /heron/);
      assert.doesNotMatch(at.results()[0]!, /plover/);
    },
  });
}

Deno.test("nothing that git keeps of hidden files is read where a link of its directory leads", async () => {
  const reads = [
    read("lfs/objects/x"),
    call("grep", { pattern: "plover" }),
    call("glob", { pattern: "lfs/**", show_content: true }),
  ];
  await using at = await guarded([
    ...reads,
    ...hasBubblewrap() ? ["cat lfs/objects/x"] : [],
  ], { repository: true, files: { "secret.txt": "plover\n" } });
  await write(at, "lfs/objects/x", "plover\n");
  await Deno.symlink("../lfs", join(at.place.dir, ".git/lfs"));
  await at.run(["--deny-read=secret.txt"]);
  assert.equal(at.results().length, reads.length + (hasBubblewrap() ? 1 : 0));
  assert.doesNotMatch(at.results().join("\n"), /^\s*plover|[:\t] ?plover/m);
});

/** A repository in `kept`, whose settings name `tree`, in which `x/secret.txt` and `plain.txt` are tracked. */
async function named(
  commands: Parameters<typeof guarded>[0],
  { kept = "kept", directory = ".", set = [] }: {
    readonly kept?: string;
    /** That of the workspace in which both lie. */
    readonly directory?: string;
    /** What else is to be done, in a shell, once they are committed. */
    readonly set?: readonly string[];
  } = {},
): Promise<Guarded> {
  const at = await guarded(commands, {
    files: {
      [join(directory, "tree/x/secret.txt")]: "plover\n",
      [join(directory, "tree/plain.txt")]: "heron\n",
    },
  });
  const own = join(directory, kept);
  await at.git("init", "-q", "-b", "main", `--separate-git-dir=${own}`, join(directory, "tree"));
  await at.git("-C", join(directory, "tree"), "add", "-A");
  await at.git("-C", join(directory, "tree"), "commit", "-qm", "files");
  await Deno.remove(join(at.place.dir, directory, "tree/.git"));
  await write(at, join(own, "lfs/objects/1a"), "plover\n");
  for (const one of set) await at.git("-c", `alias.x=!${one}`, "x");
  return at;
}

/** How the settings of a repository in `kept` name its tree. */
const NAMED_TREES: Readonly<Record<string, readonly string[]>> = {
  "a plain line": ["git config -f kept/config core.worktree ../tree"],
  "an absolute path": ['git config -f kept/config core.worktree "$PWD/tree"'],
  "the line of its section": ["printf '[core] worktree = ../tree\\n' >> kept/config"],
  "two lines": ["printf '[CORE]\\nWorkTree = ../tr\\\\\\nee\\n' >> kept/config"],
  "a line with words behind it": ["printf '[core]\\nworktree = ../tree#ours\\n' >> kept/config"],
  "settings of one working tree": [
    "git config -f kept/config extensions.worktreeConfig true",
    "git config -f kept/config.worktree core.worktree ../tree",
  ],
  "a file behind a link": [
    "git config -f kept/config core.worktree ../tree",
    "mv kept/config settings; ln -s ../settings kept/config",
  ],
};

for (const [what, set] of Object.entries(NAMED_TREES)) {
  Deno.test(`nothing is read of a hidden file that lies in a tree named by ${what}`, async () => {
    const calls = [
      ...hasBubblewrap() ? ["cat kept/lfs/objects/1a; cat tree/plain.txt", "sh x.sh"] : [],
      read("kept/lfs/objects/1a"),
      call("grep", { pattern: "plover" }),
      ...hasBubblewrap() ? ["cd kept && git add -A && git commit -qm wip"] : [],
    ];
    await using at = await named(calls, { set });
    assert.equal(
      await at.git("--git-dir=kept", "rev-parse", "--show-toplevel"),
      `${at.place.dir}/tree\n`,
    );
    await write(at, "x.sh", "git --git-dir=kept show HEAD:x/secret.txt; cat kept/lfs/objects/1a\n");
    await at.run(["--allow-run", "--deny-read=tree/x"]);
    const results = at.results();
    assert.equal(results.length, calls.length);
    assert.doesNotMatch(results.join("\n"), /^\s*plover|[:\t] ?plover/m);
    if (hasBubblewrap()) {
      assert.match(results[0]!, /heron/);
      assert.match(results.at(-1)!, /forbids it: the sandbox hides that, and git would/);
    }
    assert.equal(await at.git("--git-dir=kept", "status", "--short"), "");
  });
}

Deno.test({
  name: "words of git are meant from the working tree that settings name",
  ignore: !hasBubblewrap(),
  async fn() {
    const denied = [
      ...["git -C kept add -A", "git -C kept add .", "git -C kept add x", "cd kept; git add -u"],
      ...["git -C kept commit -qam wip", "git -C kept commit -qm wip x", "git -C kept/refs add ."],
      ...["git -C kept log -p", "git -C kept log -p -- .", "git -C kept log -p -- x"],
      "git -C kept stash",
    ];
    const plain = ["git -C kept show HEAD:plain.txt", "git -C kept log -p -- plain.txt"];
    for (const directory of [".", "outer"]) {
      const set = [`git config -f ${directory}/kept/config core.worktree ../tree`];
      await using at = await named([...denied, ...plain, "git -C kept add plain.txt"], {
        directory,
        set,
      });
      await write(at, join(directory, "tree/plain.txt"), "heron\n");
      const args = directory === "." ? [] : ["-C", join(at.place.dir, directory)];
      await at.run(["--allow-run=git", "--allow-write", "--deny-read=tree/x/secret.txt", ...args]);
      const results = at.results();
      for (const [index, command] of denied.entries()) {
        assert.match(results[index]!, /Permission denied: --deny-read=\S+ forbids it/, command);
      }
      for (const [index, command] of plain.entries()) {
        assert.match(results[denied.length + index]!, /^\+?heron$/m, command);
      }
      assert.match(results.at(-1)!, /no output/);
    }
  },
});
