/**
 * Without a sandbox, what a list of programs lets run unasked is what its words say: no word leads elsewhere than it looks,
 * nothing that git finds is obeyed, no command follows what one before it made. Ordinary use of a list goes on.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { guarded } from "../support/sandbox.ts";

/** Files that a clone may bring and that make a directory a repository for git, which starts a program then. */
const BARE = {
  "docs/HEAD": "ref: refs/heads/main\n",
  "docs/objects/x": "",
  "docs/refs/x": "",
  "docs/config":
    '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ran; false"\n',
};

for (const flag of ["--allow-run=git", "--allow-run=git status", "--allow-run"]) {
  Deno.test(`without a sandbox git obeys no directory that only looks like a repository: ${flag}`, async () => {
    const commands = [
      { command: "git status", working_dir: "docs" },
      "cd docs && git status",
      "git -C docs status",
      "env git -C docs status",
    ];
    await using at = await guarded(commands, { repository: true, files: BARE });
    await at.run(["--no-sandbox", flag]);
    assert.equal(at.results().length, commands.length);
    const left = Array.from(Deno.readDirSync(join(at.place.dir, "docs")), ({ name }) => name);
    assert.ok(left.includes("HEAD") && !left.includes("ran"), left.join(" "));
  });
}
