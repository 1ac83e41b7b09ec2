import assert from "node:assert/strict";
import { choosePrograms } from "../../src/workspace/project_files.ts";
import {
  commandLine,
  fileArgument,
  ProgramFinder,
  type ProjectProgram,
} from "../../src/workspace/project_program.ts";
import { makeToolContext, type TestContext } from "../support/tool_context.ts";

const TABLE: readonly ProjectProgram[] = [
  { name: "first", files: [".ts"], configs: ["first.json", ["package.json", '"first']] },
  { name: "second", files: [".ts", ".py"], configs: ["second.json"], besideConfig: true },
  { name: "plain check", files: [".py", "Dockerfile"], configs: [], byDefault: true },
];

/** What is chosen for a file, as `program in directory`, or why nothing is. */
async function choose(
  test: TestContext,
  options: { file: string; installed: readonly string[]; name?: string },
): Promise<string> {
  const { workspace, cwd } = test;
  const which = (program: string) =>
    Promise.resolve(options.installed.includes(program) ? `/bin/${program}` : undefined);
  const finder = new ProgramFinder(TABLE, { files: workspace, shell: { which } });
  const choice = await finder.find(await workspace.resolve(options.file), options.name);
  switch (choice.kind) {
    case "found": {
      const { program, directory } = choice.found;
      return `${program} in ${directory === cwd ? "." : directory.slice(cwd.length + 1)}`;
    }
    case "missing":
      return `missing ${choice.name} of ${choice.config}`;
    case "none":
      return `none of ${choice.names.join(", ")}`;
  }
}

const ALL = ["first", "second", "plain"];

const CASES: [what: string, options: Parameters<typeof choose>[1], expected: string][] = [
  ["the nearest configuration wins", { file: "app/a.ts", installed: ALL }, "second in app"],
  ["a configuration above counts", { file: "other/a.ts", installed: ALL }, "first in ."],
  ["one above counts if the nearest's program is missing", {
    file: "app/a.ts",
    installed: ["first"],
  }, "first in ."],
  ["the project's own program comes before PATH", {
    file: "own/a.ts",
    installed: ALL,
  }, "own/node_modules/.bin/first in ."],
  ["no other program steps in for a missing one", {
    file: "app/a.py",
    installed: ["plain"],
  }, "missing second of second.json"],
  ["without a configuration one that needs none", {
    file: "a.py",
    installed: ["plain"],
  }, "plain in ."],
  ["a whole name", { file: "Dockerfile", installed: ["plain"] }, "plain in ."],
  ["none that is installed", { file: "a.py", installed: [] }, "none of second, plain check"],
  ["none that is known", { file: "a.zzz", installed: ALL }, "none of "],
  ["a name, whatever the project's choice", {
    file: "app/a.ts",
    installed: ALL,
    name: "plain check",
  }, "plain in ."],
  [
    "a name that is not installed",
    { file: "a.ts", installed: [], name: "first" },
    "missing first of package.json",
  ],
  ["a name that is not known", { file: "a.ts", installed: ALL, name: "third" }, "none of "],
];

Deno.test("ProgramFinder chooses what the project uses", async (t) => {
  await using test = await makeToolContext({
    files: {
      "package.json": '{ "devDependencies": { "first": "1" } }',
      "app/second.json": "{}",
      "own/first.json": "{}",
      "own/node_modules/.bin/first": "",
      "../second.json": "{}",
    },
  });
  for (const [what, options, expected] of CASES) {
    await t.step(what, async () => assert.equal(await choose(test, options), expected));
  }
});

Deno.test("commandLine() quotes what a shell would read otherwise, and enters the directory", () => {
  const found = { row: TABLE[0]!, program: "first", directory: "/w" };
  const args = ["--fix=no", "a b.ts", "it's.ts", "$(x).ts"];
  assert.equal(
    commandLine(found, { args, cwd: "/w" }),
    `first --fix=no 'a b.ts' 'it'\\''s.ts' '$(x).ts'`,
  );
  assert.equal(
    commandLine({ ...found, directory: "/w/my app" }, { args: ["x"], cwd: "/w" }),
    "cd 'my app' && first x",
  );
});

Deno.test("fileArgument() is never an option", () => {
  assert.equal(fileArgument("/w/src/a.ts", "/w"), "src/a.ts");
  assert.equal(fileArgument("/w/--version", "/w"), "./--version");
});

Deno.test("chooseAll() takes files and directories, each file once, and says what it leaves out", async () => {
  await using test = await makeToolContext({
    files: { "second.json": "{}", "src/a.ts": "", "src/b.py": "", "src/c.txt": "", "d.txt": "" },
  });
  const options = {
    table: TABLE,
    noun: "linter",
    files: test.workspace,
    shell: { which: (program: string) => Promise.resolve(program) },
    signal: test.context.signal,
    limit: 10,
  };
  const { chosen, left } = await choosePrograms(["src", "src/a.ts", "d.txt", "none.ts"], options);
  assert.deepEqual(chosen.map(({ file }) => file.display).sort(), ["src/a.ts", "src/b.py"]);
  assert.deepEqual(left, [
    { file: "none.ts", why: "there is no such file" },
    { file: "d.txt", why: "no linter is known for it" },
  ]);
  const named = await choosePrograms(["."], { ...options, name: "plain check" });
  assert.deepEqual(named.chosen.map(({ file }) => file.display), ["src/b.py"]);
  const few = await choosePrograms(["src"], { ...options, limit: 1 });
  assert.equal(few.chosen.length, 1);
  assert.deepEqual(few.left, [{ file: "1 more", why: "at most 1 are taken at once" }]);
});
