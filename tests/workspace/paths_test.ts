import assert from "node:assert/strict";
import { join } from "node:path";
import { ToolError } from "../../src/core/errors.ts";
import { Workspace } from "../../src/workspace/workspace.ts";
import { makeToolContext, putFile } from "../support/tool_context.ts";

Deno.test("resolve() gives absolute, display and inside for files, new files and the root", async () => {
  await using test = await makeToolContext({ files: { "src/a.ts": "" } });
  const { workspace, cwd } = test;
  assert.deepEqual(await workspace.resolve("src/../src/./a.ts"), {
    absolute: join(cwd, "src/a.ts"),
    display: "src/a.ts",
    inside: true,
  });
  assert.equal((await workspace.resolve("new/deep/file")).absolute, join(cwd, "new/deep/file"));
  assert.equal((await workspace.resolve(".")).display, ".");
  assert.deepEqual(await workspace.resolve(".."), {
    absolute: join(cwd, ".."),
    display: join(cwd, ".."),
    inside: false,
  });
});

Deno.test("resolve() compares whole components: dots in a name are legal, a longer root is outside", async () => {
  await using test = await makeToolContext();
  assert.equal((await test.workspace.resolve("a..b.txt")).inside, true);
  assert.equal((await test.workspace.resolve("..a/x")).inside, true);
  assert.equal((await test.workspace.resolve(`${test.cwd}-evil/x`)).inside, false);
});

Deno.test("resolve() judges what a link finally names, though nothing is there yet", async () => {
  await using test = await makeToolContext();
  const { workspace, cwd, outside } = test;
  await Deno.symlink(outside, join(cwd, "out"));
  await Deno.symlink(join(outside, "not-yet"), join(cwd, "dangling"));
  await Deno.symlink("out/x", join(cwd, "second"));
  for (const path of ["out", "out/new/file", "dangling", "second", "out/../outside/f"]) {
    assert.equal((await workspace.resolve(path)).inside, false, path);
  }
  assert.equal((await workspace.resolve("out/new")).absolute, join(outside, "new"));
  assert.equal((await workspace.resolve("out/../project/f")).inside, true);
});

Deno.test("resolve() follows .. after a link as the system does", async () => {
  await using test = await makeToolContext({ files: { "file": "" } });
  await Deno.symlink(test.outside, join(test.cwd, "out"));
  const path = await test.workspace.resolve("out/../file");
  assert.equal(path.absolute, join(test.outside, "../file"));
});

const NOTATIONS: readonly (readonly [path: string, correct: RegExp])[] = [
  ["file:///tmp/x", /Write \/tmp\/x\.$/],
  ["FILE://localhost/tmp/a%20b", /Write \/tmp\/a b\.$/],
  ["file:/tmp/x", /Write \/tmp\/x\.$/],
  ["https://example.org/x", /path of a file on this machine/],
  ["~/x", /home directory's whole path/],
  ["~", /home directory's whole path/],
  ["~root/x", /home directory's whole path/],
  ["~+/x", /home directory's whole path/],
  ["$HOME/x", /variable's value/],
  ["${HOME}/x", /variable's value/],
  ["%USERPROFILE%/x", /variable's value/],
  ["%2e%2e/x", /characters themselves/],
  ["a/..%2Fx", /characters themselves/],
  ["..\\x", /Write \.\.\/x\.$/],
  ["C:\\dir\\x", /Write \/dir\/x\.$/],
  ["c:/x", /Write \/x\.$/],
  ["a\\ b", /separated by \//],
  ["．．/x", /Write \.\.\/x\.$/],
  ["a／b", /Write a\/b\.$/],
  ["․․/x", /Write \.\.\/x\.$/],
];

Deno.test("resolve() expands nothing, and refuses what a shell, a browser or Windows would expand", async () => {
  await using test = await makeToolContext();
  for (const [path, correct] of NOTATIONS) {
    await assert.rejects(test.workspace.resolve(path), (error: ToolError) => {
      assert.equal(error.kind, "validation");
      assert.match(`${error.message} ${error.suggestion}`, correct);
      return true;
    });
    await Deno.mkdir(join(test.cwd, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(test.cwd, path), "");
    assert.equal((await test.workspace.resolve(path)).absolute, join(test.cwd, path));
    await Deno.remove(join(test.cwd, path.split("/")[0]!), { recursive: true });
  }
  for (
    const path of ["file:x", "a~", "a~b/~c", "$lib/x", "[id].ts", "100%", "a:b", "src/$id.tsx"]
  ) {
    assert.equal((await test.workspace.resolve(path)).absolute, join(test.cwd, path));
  }
});

Deno.test("resolve() refuses empty paths, control characters, and new names with invisible ones", async () => {
  await using test = await makeToolContext();
  const unseen = [
    "pa\u200bth",
    "a\u202eb",
    "a\u{e0041}",
    "a\u2028b",
    "a\u3164",
    "a\ud800",
    "  ",
    "x/ /y",
  ];
  for (const path of ["", "a\0b", "a\nb", "a\x1b[2Jb", "1\u200d", ...unseen]) {
    await assert.rejects(
      test.workspace.resolve(path),
      (error) => error instanceof ToolError && error.kind === "validation",
    );
  }
  await putFile(join(test.cwd, "old\u200bname"), "");
  assert.equal((await test.workspace.resolve("old\u200bname")).inside, true);
});

Deno.test("resolve() refuses links that lead in a circle", async () => {
  await using test = await makeToolContext();
  await Deno.symlink("b", join(test.cwd, "a"));
  await Deno.symlink("a", join(test.cwd, "b"));
  await assert.rejects(test.workspace.resolve("a/x"), /circle/);
});

Deno.test("resolve() says that a name is too long", async () => {
  await using test = await makeToolContext();
  await assert.rejects(test.workspace.resolve("x".repeat(300)), /name is too long/);
});

Deno.test("an added directory is inside, and a missing one is refused", async () => {
  await using test = await makeToolContext();
  const options = { cwd: test.cwd, patchDir: test.patchDir };
  const workspace = new Workspace({ ...options, addDirs: [test.outside] });
  const path = await workspace.resolve("../outside/x");
  assert.deepEqual(path, {
    absolute: join(test.outside, "x"),
    display: join(test.outside, "x"),
    inside: true,
  });
  assert.deepEqual(workspace.roots, [test.cwd, test.outside]);
  assert.throws(() => new Workspace({ ...options, addDirs: [join(test.cwd, "none")] }), /none/);
});

Deno.test("a system path is resolved without looking at it, and lies outside", async () => {
  await using made = await makeToolContext();
  for (const path of ["/dev/zero", "/proc/self/environ", "/sys/kernel"]) {
    const resolved = await made.workspace.resolve(path);
    assert.equal(resolved.inside, false);
    assert.equal((await made.workspace.info(resolved))?.kind === "file", false);
  }
});
