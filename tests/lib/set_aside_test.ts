import assert from "node:assert/strict";
import { describeSetAside } from "../../src/lib/set_aside.ts";

for (
  const [paths, back] of [
    [["/w/a b/.git-set-aside"], "it"],
    [["/w/hooks-set-aside-2", "/w/x/.git-set-aside"], "one"],
    [["/w/.git/HEAD (still there, as it cannot be moved: do not run git there)"], undefined],
  ] as const
) {
  Deno.test(`a person is told where ${paths[0]} is, and how it gets its name back if that can be`, () => {
    const text = describeSetAside("a command", [...paths, "A sentence."]);
    assert.ok(text.includes(`the new is now ${paths.join(", ")}.`), text);
    assert.ok(text.endsWith("A sentence."), text);
    assert.equal(/If (it|one) is yours/.exec(text)?.[1], back);
  });
}

Deno.test({
  name: "the command that is told makes a repository of what was set aside",
  ignore: Deno.build.os === "windows",
  async fn() {
    const top = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally it's " }));
    const run = async (script: string) => {
      const { success, stdout } = await new Deno.Command("sh", { args: ["-c", script], cwd: top })
        .output();
      assert.ok(success, script);
      return new TextDecoder().decode(stdout);
    };
    await run(
      "git init -q && mv .git .git-set-aside && mv .git-set-aside/HEAD .git-set-aside/HEAD-set-aside",
    );
    const text = describeSetAside("a command", [`${top}/.git-set-aside`]);
    await run(/give it its name back: (.*)$/.exec(text)![1]!);
    assert.equal(await run("git rev-parse --git-dir"), ".git\n");
    await Deno.remove(top, { recursive: true });
  },
});
