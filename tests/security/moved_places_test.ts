/**
 * A place that is hidden or may not be changed is a path: no command gives it another one, which the next command
 * would find open.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore: !hasBubblewrap() });
}

/** A directory with these files, in which commands run. */
async function placed(
  files: Readonly<Record<string, string>>,
  commands: Parameters<typeof guarded>[0],
) {
  const at = await guarded(commands);
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(at.place.dir, name)), { recursive: true });
    await at.place.write(name, text);
  }
  return at;
}

const MOVES = [
  "mv sub other",
  "mv sub/deep sub/other",
  "perl -e 'rename q(sub), q(other)'",
  "mkdir new && mv -T sub new/sub",
  "rm -rf sub; mv -T sub/deep new",
];

test("no place is read or changed by the name that its directory gets", async () => {
  await using at = await placed({
    "sub/deep/hidden.ini": "the word is plover\n",
    "sub/deep/kept.txt": "as it was\n",
  }, [
    ...MOVES,
    "cat *[!x]/*/h*; cat */h*; cat new/*/*; { echo changed > other/kept.txt; } 2>/dev/null",
    "for f in */kept.txt */*/kept.txt; do echo changed > $f; done",
    { calls: [{ name: "read", arguments: { file_paths: ["other/deep/hidden.ini"] } }] },
  ]);
  const denied = ["--deny-read=sub/deep/hidden.ini", "--deny-write=sub/deep/kept.txt"];
  await at.run(["-A", ...denied]);
  const results = at.results();
  assert.equal(results.length, MOVES.length + 3);
  assert.match(results[0]!, /cannot move 'sub'.*busy/);
  assert.doesNotMatch(results.join("\n"), /plover/);
  assert.equal(await at.place.read("sub/deep/kept.txt"), "as it was\n");
});

test("no key is read by the name that its directory gets where the home is the workspace", async () => {
  await using at = await placed({ ".config/gh/hosts.yml": "the word is plover\n" }, [
    "mv .config .other; mv .config/gh .config/other",
    "find . -name 'hosts*' -exec cat {} +; echo looked",
  ]);
  await at.run(["-A"], { env: { HOME: at.place.dir } });
  assert.match(at.results().at(-1)!, /looked/);
  assert.doesNotMatch(at.results().join("\n"), /plover/);
});

test("files go to and fro between a directory that holds a hidden place and the others", async () => {
  await using at = await placed({ "sub/hidden.ini": "x\n", "sub/a.txt": "a\n" }, [
    "mv sub/a.txt b.txt && mv b.txt sub/c.txt && mkdir sub/new && mv sub/new here && ls sub",
  ]);
  await at.run(["-A", `--deny-read=${join(at.place.dir, "sub/hidden.ini")}`]);
  assert.match(at.results()[0]!, /c\.txt/);
});
