/**
 * Rules hold for paths at which nothing is when a session begins. What may not be changed may not be made either: no
 * command makes it, whatever it is and however long it runs, and nothing stays of what keeps it. What may not be read is
 * hidden as soon as it is there, also behind a link.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

const MAKE = `import os
for path in ["kept.txt", "new", "deep/er/kept.txt", "deep/other.txt", "src/kept.txt"]:
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        open(path, "w").write("made")
    except OSError as error:
        print(error)
os.makedirs("made", exist_ok=True)
open("made/kept.txt", "w").write("made")
`;

const KEPT = ["kept.txt", "new", "deep/er/kept.txt", "src/kept.txt"];

Deno.test({
  name: "no command makes what may not be changed, also not by another name",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded([
      "python3 make.py",
      "python3 make.py & python3 make.py; wait",
      "mkdir -p src && python3 make.py && mv -T made src; ls src",
      "mv made/kept.txt . ; rmdir kept.txt new; mv new old; mv src gone; ln -s made new; ls",
    ], { files: { "make.py": MAKE } });
    await Deno.mkdir(join(at.place.dir, "src"));
    await at.run(["-A", ...KEPT.map((path) => `--deny-write=${path}`)]);
    for (const path of KEPT) {
      await assert.rejects(Deno.lstat(join(at.place.dir, path)), Deno.errors.NotFound, path);
    }
    assert.equal(await at.place.read("made/kept.txt"), "made");
    const left = await Array.fromAsync(Deno.readDir(at.place.dir), ({ name }) => name);
    assert.deepEqual(left.sort(), ["made", "make.py", "src"]);
  },
});

Deno.test({
  name:
    "what may not be read is hidden once it is there, and so is what a link in its place leads to",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded([
      "sh make.sh",
      "sh show.sh",
      "sh show.sh > shown.txt; cat shown.txt",
      ...["made/word", "linked/word", "vault/word"].map(read),
      { calls: [{ name: "grep", arguments: { pattern: "plover" } }] },
    ], {
      files: {
        "make.sh": "mkdir made vault; for at in made vault; do echo plo''ver > $at/word; done\n" +
          "ln -s vault linked\n",
        "show.sh": "echo shown; cat */word\n",
      },
    });
    await at.run(["-A", "--deny-read=made", "--deny-read=linked"]);
    const [, closed, open, ...rest] = at.results();
    for (const shown of [closed!, open!]) assert.match(shown, /shown/);
    for (const result of [closed!, open!, ...rest]) assert.doesNotMatch(result, /plover/);
    for (const result of rest.slice(0, 3)) assert.match(result, /--deny-read=.* forbids it/);
    assert.match(rest[3]!, /Found 0 matches/);
  },
});

function read(path: string): ScriptedReply {
  return { calls: [{ name: "read", arguments: { file_paths: [path] } }] };
}
