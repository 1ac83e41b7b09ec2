/** What `--deny-read=PATH` keeps from every program that could find it in the history of git. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

const DECOMPRESS = "import glob,zlib;" +
  "[print(zlib.decompress(open(f,'rb').read())) for f in glob.glob('.git/objects/??/*')]";

Deno.test({
  name: "no script, hook or other program finds in git's history what may not be read",
  ignore: !hasBubblewrap(),
  async fn() {
    const commands = [
      "sh history.sh",
      "make",
      "bash -c 'git show HEAD:secret.txt'",
      "git status; sh history.sh",
      "git log --oneline | sh history.sh",
      `python3 -c "${DECOMPRESS}"`,
      "cat .git/objects/*/* | zlib-flate -uncompress",
      "cp -r .git copy; git -C copy show HEAD:secret.txt",
      "git clone -q . copy; cat copy/secret.txt",
      "git init -q other; cd other; git fetch -q ..; cd ..; sh other.sh",
      "git push -q ./other HEAD:x; sh other.sh",
      "git commit -q --allow-empty -m x; cat leaked.txt",
      "x=show; git $x HEAD:secret.txt",
    ];
    for (const unasked of ["-A", "--allow-run"]) {
      await using at = await guarded(commands, {
        repository: true,
        files: {
          "secret.txt": "the word is plover\n",
          "a.txt": "no word here\n",
          "history.sh": "git show HEAD:secret.txt; git log -p --all\n",
          "other.sh": "git -C other log -p --all; git -C other show FETCH_HEAD\n",
          "Makefile": "all:\n\tgit show HEAD:secret.txt\n",
        },
      });
      const hook = join(at.place.dir, ".git/hooks/pre-commit");
      const leak = "#!/bin/sh\ngit show HEAD:secret.txt | tee leaked.txt\n";
      await writeProgram(hook, leak);
      await at.run([unasked, "--deny-read=secret.txt"]);
      const results = at.results();
      assert.equal(results.length, commands.length);
      for (const [index, result] of results.entries()) {
        assert.doesNotMatch(result, /plover/, commands[index]);
      }
    }
  },
});
