/**
 * What there is to review as it is written and read again.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { lookAtRepositories } from "../../src/sandbox/repository_changes.ts";
import { entryAt } from "../../src/sandbox/repository_entry.ts";
import { encodeReview, readReview } from "../../src/sandbox/review_record.ts";

Deno.test("a review is read as it was written: files, links, hooks of submodules, steps, settings", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-review-" }));
  try {
    const own = join(root, ".git");
    const write = async (name: string, content: string | Uint8Array, mode = 0o644) => {
      const path = join(own, name);
      await Deno.mkdir(join(path, ".."), { recursive: true });
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await Deno.writeFile(path, bytes, { mode });
    };
    await write("HEAD", "ref: refs/heads/main\n");
    await write("config", "[core]\n\tbare = false\n\tnote = ä\n");
    await write("modules/a/b/config", "");
    await write("modules/a/b/hooks/pre-commit", new Uint8Array([0, 255, 10]), 0o755);
    await write("worktrees/w/commondir", "../..\n");
    await write("rebase-merge/git-rebase-todo", "exec make\n");
    await Deno.symlink("elsewhere", join(own, "modules/a/b/hooks/post-commit"));
    await Deno.symlink("config", join(own, "config.worktree"));
    await Deno.mkdir(join(root, "sub"));
    await Deno.writeTextFile(join(root, "sub", ".git"), "gitdir: ../.git\n");
    const review = {
      roots: [root],
      repositories: {
        known: [
          [own, { id: "1:2", state: { kind: "directory", text: "" } }],
          [join(root, "sub", ".git"), entryAt(join(root, "sub", ".git"))!],
        ] as const,
        searched: [root],
        unreviewed: [own],
        young: [own],
        reviewed: [[join(own, "config"), "text"]] as const,
        links: { known: [[join(root, "l"), true]] as const, stores: [join(root, "cache")] },
      },
      watches: [{
        before: lookAtRepositories({ own: [own] }),
        config: true,
        named: ["make test"],
      }],
      settings: [
        { kind: "named", name: "user.name", values: ["a"] } as const,
        { kind: "made", name: "branch." } as const,
        { kind: "all" } as const,
      ],
      mayMake: true,
      placeholders: [join(root, "none")],
    };
    const text = JSON.stringify(encodeReview(review));
    const { identities, ...read } = readReview(text)!;
    assert.deepEqual(read, review);
    assert.deepEqual([...identities.keys()], [root]);
    for (const damaged of [text.slice(1), text.replace('"file"', '"fiel"'), "{}", ""]) {
      assert.equal(readReview(damaged), undefined);
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
