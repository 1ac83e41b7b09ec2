import assert from "node:assert/strict";
import { MANIFEST } from "../../plugins/manifest.ts";
import { createCustomCommands, type SourcedFile } from "../../src/slash/custom.ts";
import { COMMANDS } from "../../src/slash/table.ts";
import { expandTemplate, readTemplate } from "../../src/slash/template.ts";
import { commandName } from "../../src/store/command_files.ts";

const definitions = MANIFEST.map(({ definition }) => definition);

const file = (name: string, text: string, source: "user" | "project" = "user"): SourcedFile => ({
  name,
  path: `${source}/${name}.md`,
  text,
  source,
});

Deno.test("words take the place of $ARGUMENTS and $1, once, and end the prompt where it has no place", () => {
  const rows: readonly (readonly [body: string, typed: string, prompt: string])[] = [
    ["Review $ARGUMENTS.", "a b", "Review a b."],
    ["$1 before $2", "one two", "one before two"],
    ["$1 and $3.", "one", "one and ."],
    ["$1!", '"two words" x', "two words!"],
    ["$1 $2", "it's fine", "it's fine"],
    ["Fix it.", "now", "Fix it.\n\nnow"],
    ["Fix it.", "", "Fix it."],
    ["Costs \\$1 for $1", "me", "Costs $1 for me"],
    ["$1", "$2 $ARGUMENTS", "$2"],
    ["$ARGUMENTS", "$1 $& $$", "$1 $& $$"],
    ["$ARGUMENTS_X $12 $HOME", "a", "$ARGUMENTS_X $12 $HOME\n\na"],
  ];
  for (const [body, typed, prompt] of rows) assert.equal(expandTemplate(body, typed), prompt, body);
});

Deno.test("a template has its description, hint, model and approvals from the head", async () => {
  const template = await readTemplate(
    "---\ndescription: Make it\nargument-hint: [what, why]\nmodel: big\nallowed-tools: write\ncolour: red\n---\nMake $1",
    { definitions },
  );
  assert.deepEqual(template, {
    description: "Make it",
    argumentHint: "[what] [why]",
    model: "big",
    approval: { allow: { write: true }, labels: ["write"], problems: [] },
    body: "Make $1",
    lines: { description: 2, "argument-hint": 3, model: 4, "allowed-tools": 5, colour: 6 },
    unknown: ["colour"],
  });
});

Deno.test("a template without a head is described by its first line, and one that says nothing is refused", async () => {
  assert.equal(
    (await readTemplate("# Tidy up\n\nPlease.", { definitions })).description,
    "Tidy up",
  );
  await assert.rejects(readTemplate("---\ndescription: x\n---\n", { definitions }), /line 1: /);
  await assert.rejects(
    readTemplate("---\nmodel:\n  - a\n---\nx", { definitions }),
    /line 2: 'model' must be a text/,
  );
});

Deno.test("built-in commands win over the user's, and these over the project's; each is said", async () => {
  const { commands, problems, prepare } = await createCustomCommands([
    file("help", "Mine"),
    file("quit", "Mine"),
    file("review", "Mine $1"),
    file("review", "Theirs", "project"),
    file("git:commit", "Commit", "project"),
    file("bad", "---\na: b: c\n---\nx"),
  ], { builtIn: COMMANDS, definitions });
  assert.deepEqual(commands.map(({ name }) => name), ["review", "git:commit"]);
  assert.deepEqual(problems.map((text) => text.replace(/ is left out.*/, "")), [
    "user/help.md",
    "user/quit.md",
    "project/review.md",
    "user/bad.md",
  ]);
  assert.match(problems[3]!, /line 2: /);
  assert.equal(prepare("/Review this")?.prompt, "Mine this");
  assert.equal(prepare("/git:commit")?.prompt, "Commit");
  assert.equal(prepare("/nothing"), undefined);
  assert.equal(prepare("review this"), undefined);
});

Deno.test("the name of a command follows from its file", () => {
  assert.equal(commandName("Review.md"), "review");
  assert.equal(commandName("git/sub/commit_all.md"), "git:sub:commit_all");
  for (const path of ["a b.md", "x.txt", ".md", "1.md", "a/../b.md", "ä.md"]) {
    assert.equal(commandName(path), undefined, path);
  }
});
