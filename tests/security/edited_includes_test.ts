/**
 * A person allowed a command for good, and a hostile model edits what that command takes in: the rule is void, and what
 * was planted does not run.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Answer } from "../../src/core/permission.ts";
import { answerAll } from "../support/answered_turn.ts";
import { stage } from "../support/program.ts";

const PLANT = "touch planted";

/** A command that was allowed, the files of the project, and what is written to a file that decides what it does. */
const ROWS: readonly {
  readonly command: string;
  readonly files: Readonly<Record<string, string>>;
  readonly edit: readonly [path: string, content: string];
}[] = [
  {
    command: "make",
    files: { "Makefile": "include rules.mk\nall:\n\techo hi\n", "rules.mk": "X := 1\n" },
    edit: ["rules.mk", `X := $(shell ${PLANT})\n`],
  },
  {
    command: "make",
    files: { "Makefile": "TOOL := ./b.sh\nall:\n\tcat $(TOOL) | sh\n", "b.sh": "echo b\n" },
    edit: ["b.sh", `${PLANT}\n`],
  },
  {
    command: "bash a.sh",
    files: { "a.sh": ". ./b.sh\n", "b.sh": "echo b\n" },
    edit: ["b.sh", `${PLANT}\n`],
  },
  {
    command: "bash a.sh",
    files: { "a.sh": "echo a\nif [ -f ./b.sh ]; then . ./b.sh; fi\n" },
    edit: ["b.sh", `${PLANT}\n`],
  },
  {
    command: "sh b.sh",
    files: {
      "b.sh": "cp lib/c.sh d.sh; sh d.sh\n",
      "lib/c.sh": "echo c\n",
      "d.sh": "echo c\n",
    },
    edit: ["lib/c.sh", `${PLANT}\n`],
  },
  {
    command: "node --env-file=.env a.js",
    files: { "a.js": "0\n", ".env": "A=1\n", "e.js": "0\n" },
    edit: [".env", "NODE_OPTIONS=--require=./e.js\n"],
  },
  {
    command: "node build",
    files: { "build.js": "0\n" },
    edit: ["build.js", "require('fs').writeFileSync('planted', '')\n"],
  },
  {
    command: "python3 -m pkg.mod",
    files: { "pkg/mod.py": "0\n", "pkg/__init__.py": "0\n" },
    edit: ["pkg/__init__.py", "open('planted', 'w')\n"],
  },
  {
    command: "deno run -A x",
    files: { "deno.json": '{"unstable":["sloppy-imports"]}', "x.ts": "0;\n" },
    edit: ["x.ts", "Deno.writeTextFileSync('planted', '');\n"],
  },
  {
    command: "sh gradlew build",
    files: {
      "gradlew": "exec java -jar gradle/wrapper/gradle-wrapper.jar build\n",
      "gradle/wrapper/gradle-wrapper.jar": "",
      "gradle/wrapper/gradle-wrapper.properties": "distributionUrl=https\\://example.com/a.zip\n",
    },
    edit: ["gradle/wrapper/gradle-wrapper.properties", "distributionUrl=../../planted.zip\n"],
  },
  {
    command: "make",
    files: { "Makefile": "all:\n\tnode -r ./hook build.js\n", "hook.cjs": "", "build.js": "" },
    edit: ["hook.cjs", "require('fs').writeFileSync('planted', '')\n"],
  },
];

for (const { command, files, edit: [path, content] } of ROWS) {
  Deno.test(`what was allowed by "${command}" asks again once ${path} is edited`, async () => {
    const call = { name: "bash", arguments: { command } };
    await using staged = await stage([
      { calls: [call] },
      { calls: [call] },
      { text: "done" },
      { calls: [{ name: "write", arguments: { file_path: "other.txt", content: "x" } }] },
      { calls: [call] },
      { text: "done" },
      { calls: [{ name: "read", arguments: { file_paths: [path] } }] },
      { calls: [{ name: "write", arguments: { file_path: path, content } }] },
      { calls: [call] },
      { text: "done" },
    ], files);
    const { place } = staged;
    const always = { kind: "always", scope: "project", breadth: "exact" } as const;
    const args = ["--no-sandbox", "--allow-write"];
    const asked = async (answer: Answer) =>
      (await answerAll(place, { answer, args })).questions.length;
    assert.equal(await asked(always), 1, "the rule holds in its session");
    assert.equal(await asked({ kind: "deny" }), 0, "and beside other changes");
    assert.equal(await asked({ kind: "deny" }), 1, "and is void by this one");
    await assert.rejects(Deno.stat(join(place.dir, "planted")), Deno.errors.NotFound);
    assert.equal(await Deno.readTextFile(join(place.dir, path)), content);
  });
}

Deno.test("what Java runs by the name of a class, or as a file tells it, has no Always without a sandbox", async () => {
  const files = { "args": "Main\n", "Main": "", "Main.class": "", "go.sh": "java -cp . Main\n" };
  for (const command of ["java @args", "java -cp . Main", "sh go.sh"]) {
    await using staged = await stage([
      { calls: [{ name: "bash", arguments: { command } }] },
      { text: "done" },
    ], files);
    const answer: Answer = { kind: "deny" };
    const { questions } = await answerAll(staged.place, { answer, args: ["--no-sandbox"] });
    assert.deepEqual(questions.map(({ offers }) => offers ?? []), [[]], command);
  }
});
