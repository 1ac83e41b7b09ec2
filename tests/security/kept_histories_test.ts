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
