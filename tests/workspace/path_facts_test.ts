import assert from "node:assert/strict";
import { join } from "node:path";
import { createPathFacts } from "../../src/workspace/path_facts.ts";

async function stage() {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-ground-" }));
  const cwd = join(root, "work");
  await Deno.mkdir(join(cwd, "src"), { recursive: true });
  await Deno.mkdir(join(root, "work-evil"));
  await Deno.writeTextFile(join(root, "secret"), "s");
  await Deno.symlink("../secret", join(cwd, "link"));
  await Deno.symlink("../missing", join(cwd, "dangling"));
  await Deno.symlink("..", join(cwd, "up"));
  await Deno.symlink("circle", join(cwd, "circle"));
  await Deno.symlink("src", join(cwd, "inner"));
  return {
    root,
    cwd,
    ground: createPathFacts({ reach: { cwd, all: [cwd] }, home: root, env: {} }),
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

Deno.test("a path is inside by what it finally names", async () => {
  await using made = await stage();
  const inside = (path: string) => made.ground.locate(`${made.cwd}/${path}`).inside;
  for (const path of [".", "src", "src/new.ts", "a..b", "src/../x", "inner/x", "no/such/../x"]) {
    assert.equal(inside(path), true, path);
  }
  for (
    const path of [
      "..",
      "../work-evil",
      "link",
      "dangling",
      "up/secret",
      "up/new",
      "circle",
      "src/../../x",
      "no/../../x",
    ]
  ) {
    assert.equal(inside(path), false, path);
  }
  assert.equal(made.ground.locate("/").inside, false);
  assert.equal(inside("a/".repeat(30_000)), false);
  assert.equal(made.ground.locate(`${made.cwd}/inner/a`).absolute, join(made.cwd, "src/a"));
});

Deno.test("a fingerprint changes with the content, the coming and the going of a file", async () => {
  await using made = await stage();
  const file = join(made.cwd, "Makefile");
  const print = () => made.ground.fingerprint(file);
  const missing = print();
  await Deno.writeTextFile(file, "a:");
  const first = print();
  await Deno.writeTextFile(file, "b:");
  const second = print();
  await Deno.remove(file);
  assert.equal(new Set([missing, first, second]).size, 3);
  assert.equal(print(), missing);
});

Deno.test("what is no regular file has no fingerprint, and is not waited for", async () => {
  await using made = await stage();
  assert.equal(made.ground.fingerprint(made.cwd), undefined);
  if (Deno.build.os === "windows") return;
  const pipe = join(made.cwd, "pipe");
  assert.ok((await new Deno.Command("mkfifo", { args: [pipe] }).output()).success);
  assert.equal(made.ground.fingerprint(pipe), undefined);
});
