import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Grant } from "../../src/core/rule.ts";
import { PermissionStore } from "../../src/store/permissions.ts";

interface Made extends AsyncDisposable {
  readonly path: string;
  readonly problems: string[];
  open(project?: string): PermissionStore;
}

async function make(): Promise<Made> {
  const directory = await Deno.makeTempDir({ prefix: "ally-rules-" });
  const path = join(directory, "home", "permissions.json");
  const problems: string[] = [];
  const onProblem = (text: string) => void problems.push(text);
  return {
    path,
    problems,
    open: (project = "/w") => new PermissionStore({ path, project, onProblem }),
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

const write = (target: string): Grant => ({ kind: "write", text: `write=${target}`, target });

Deno.test("a rule of a project holds there, a rule of the user everywhere", async () => {
  await using made = await make();
  const here = made.open();
  await here.add(write("/w/a"), "project");
  await here.add(write("/b"), "user");
  const targets = async (file: PermissionStore) => (await file.list()).map(({ target }) => target);
  assert.deepEqual(await targets(made.open()), ["/w/a", "/b"]);
  assert.deepEqual(await targets(made.open("/elsewhere")), ["/b"]);
  assert.equal((await made.open("/elsewhere").all()).length, 2);
});

Deno.test("what another process adds or removes is seen at once", async () => {
  await using made = await make();
  const [one, other] = [made.open(), made.open()];
  assert.deepEqual(await one.list(), []);
  const { id } = await other.add(write("/w/a"), "project");
  assert.deepEqual((await one.list()).map((rule) => rule.id), [id]);
  await one.remove([id]);
  assert.deepEqual(await other.list(), []);
});

Deno.test("no number is given twice, and the same rule is kept once", async () => {
  await using made = await make();
  const file = made.open();
  const first = await file.add(write("/w/a"), "project");
  const again = await file.add(write("/w/a"), "project");
  assert.deepEqual([first.id, again.id], ["1", "2"]);
  assert.deepEqual((await file.all()).map(({ id }) => id), ["2"]);
  await file.remove(["2"]);
  assert.equal((await file.add(write("/w/b"), "project")).id, "3");
});

Deno.test("a use is dated to the minute", async () => {
  await using made = await make();
  const file = made.open();
  const { id } = await file.add(write("/w/a"), "project");
  await file.recordUse([id]);
  const [rule] = await file.all();
  assert.match(rule?.used ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
});

Deno.test("many processes that add at once lose nothing", async () => {
  await using made = await make();
  const program = fileURLToPath(new URL("../support/add_rules.ts", import.meta.url));
  const children = [0, 1, 2, 3].map((index) =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", program, made.path, "/w", "10", String(index * 100)],
      stderr: "piped",
    }).output()
  );
  for (const { code, stderr } of await Promise.all(children)) {
    assert.equal(new TextDecoder().decode(stderr), "");
    assert.equal(code, 0);
  }
  const rules = await made.open().all();
  assert.equal(new Set(rules.map(({ id }) => id)).size, 40);
  assert.equal(new Set(rules.map(({ target }) => target)).size, 40);
  const left = [...Deno.readDirSync(join(made.path, ".."))].map(({ name }) => name);
  assert.deepEqual(left, ["permissions.json"]);
});

Deno.test("what a killed process left of its work is cleared by the next one", async () => {
  await using made = await make();
  await made.open().add(write("/w/a"), "project");
  await Deno.writeTextFile(join(made.path, "..", ".permissions.json.tmp"), '{"version": 1, "ne');
  await made.open().add(write("/w/b"), "project");
  assert.equal((await made.open().all()).length, 2);
  const left = [...Deno.readDirSync(join(made.path, ".."))].map(({ name }) => name);
  assert.deepEqual(left, ["permissions.json"]);
});

Deno.test("the file is for its user alone, and a link to it stays a link", async () => {
  await using made = await make();
  await made.open().add(write("/w/a"), "project");
  if (Deno.build.os !== "windows") {
    assert.equal((Deno.statSync(made.path).mode ?? 0) & 0o777, 0o600);
    assert.equal((Deno.statSync(join(made.path, "..")).mode ?? 0) & 0o777, 0o700);
  }
  const real = join(made.path, "..", "dotfiles.json");
  await Deno.rename(made.path, real);
  await Deno.symlink(real, made.path);
  await made.open().add(write("/w/b"), "project");
  assert.equal(Deno.lstatSync(made.path).isSymlink, true);
  assert.equal((await made.open().all()).length, 2);
});

for (
  const [text, message] of [
    ['{\n  "version": 1,\n  "rules" []\n}', /at line 3 column \d+ it is not valid JSON/],
    ["", /at line 1 column 1 it is not valid JSON/],
    ['{"version": 2, "next": 1, "rules": []}', /'version'/],
    [
      '{"version": 1, "next": 2, "rules": [{"id": "1", "scope": "all", "kind": "run"}]}',
      /'rules\[0\]/,
    ],
    ["[]", /Correct it, or remove it/],
  ] as const
) {
  Deno.test(`a file that holds ${JSON.stringify(text)} is named, empty, and not touched`, async () => {
    await using made = await make();
    const file = made.open();
    await Deno.mkdir(join(made.path, ".."));
    await Deno.writeTextFile(made.path, text);
    assert.deepEqual(await file.list(), []);
    assert.deepEqual(await file.list(), []);
    assert.equal(made.problems.length, 1);
    assert.match(made.problems[0]!, message);
    await assert.rejects(file.add(write("/w/a"), "project"), message);
    await assert.rejects(file.remove(["1"]), message);
    assert.equal(await Deno.readTextFile(made.path), text);
  });
}
