import assert from "node:assert/strict";
import { join } from "node:path";
import tool from "../../plugins/ally_write/mod.ts";
import { harness } from "../support/agent_harness.ts";
import { dataOf, makeToolContext, planAndRun, putFile } from "../support/tool_context.ts";

type Input = Parameters<typeof tool.run>[0];

/** What ALLY.md holds after a call; `before` is null if there is none. */
async function written(before: string | null, input: Input): Promise<string> {
  await using made = await makeToolContext({ files: before === null ? {} : { "ALLY.md": before } });
  dataOf(await planAndRun(tool, input, made));
  return await Deno.readTextFile(join(made.cwd, "ALLY.md"));
}

const NOTES = "# Project\n\nIntro.\n\n## Testing\n\n- One\n\n## Style\n\nTabs.\n";

const CASES: readonly [string, string | null, Input, string][] = [
  [
    "makes the file",
    null,
    { section: "Testing", content: "Run `deno task test`." },
    "# Notes\n\n## Testing\n\nRun `deno task test`.\n",
  ],
  [
    "fills an empty file",
    "",
    { section: "Testing", content: "One" },
    "## Testing\n\nOne\n",
  ],
  [
    "puts a new section last",
    "# Project\n\nIntro.\n",
    { section: "## Build ", content: "\nMake.\n\n" },
    "# Project\n\nIntro.\n\n## Build\n\nMake.\n",
  ],
  [
    "appends by default, a list item right below the last",
    NOTES,
    { section: "testing", content: "- Two" },
    NOTES.replace("- One", "- One\n- Two"),
  ],
  [
    "appends a paragraph with an empty line between",
    NOTES,
    { section: "Style", content: "No semicolons.", mode: "append" },
    NOTES.replace("Tabs.", "Tabs.\n\nNo semicolons."),
  ],
  [
    "replaces a section and nothing else",
    NOTES,
    { section: "Testing", content: "New", mode: "replace" },
    NOTES.replace("- One", "New"),
  ],
  [
    "removes a section by empty content",
    NOTES,
    { section: "Testing", content: "", mode: "replace" },
    "# Project\n\nIntro.\n\n## Style\n\nTabs.\n",
  ],
  [
    "takes lower headings for a part of their section",
    "## A\n\n### Sub\n\nx\n\n## B\n",
    { section: "A", content: "y" },
    "## A\n\n### Sub\n\nx\n\ny\n\n## B\n",
  ],
  [
    "takes no heading in fenced code for one",
    "## A\n\n```sh\n## B\n```\n",
    { section: "B", content: "y" },
    "## A\n\n```sh\n## B\n```\n\n## B\n\ny\n",
  ],
  [
    "takes what stands below the text's title for no part of it",
    "# Notes\n\nOld.\n\n## A\n\nx\n",
    { section: "notes", content: "New.", mode: "replace" },
    "# Notes\n\nNew.\n\n## A\n\nx\n",
  ],
  [
    "keeps the file's line ends",
    "## A\r\n\r\nx\r\n",
    { section: "A", content: "y\nz" },
    "## A\r\n\r\nx\r\n\r\ny\r\nz\r\n",
  ],
];
for (const [what, before, input, after] of CASES) {
  Deno.test(`ally_write ${what}`, async () => assert.equal(await written(before, input), after));
}

const REFUSED: readonly [string, Input, RegExp][] = [
  ["a section without a name", { section: " ## ", content: "x" }, /the section has no name/],
  ["nothing to append", { section: "Style", content: " \n" }, /nothing to append/],
  [
    "a heading that would end its section",
    { section: "Style", content: "x\n\n## More\n\ny" },
    /holds the heading 'More'/,
  ],
  ["what is there already", { section: "Testing", content: "- One" }, /exactly this already/],
  [
    "to replace a section by itself",
    { section: "Style", content: "Tabs.", mode: "replace" },
    /exactly this already/,
  ],
  [
    "to remove what is not there",
    { section: "Gone", content: "", mode: "replace" },
    /no section 'Gone'/,
  ],
];
for (const [what, input, message] of REFUSED) {
  Deno.test(`ally_write refuses ${what}, and says what to do`, async () => {
    await using made = await makeToolContext({ files: { "ALLY.md": NOTES } });
    await assert.rejects(
      planAndRun(tool, input, made),
      (error: Error & { suggestion?: string }) => message.test(error.message) && !!error.suggestion,
    );
    assert.equal(await Deno.readTextFile(join(made.cwd, "ALLY.md")), NOTES);
  });
}

Deno.test("ally_write refuses an ALLY.md that is a directory", async () => {
  await using made = await makeToolContext();
  await putFile(join(made.cwd, "ALLY.md", "x"), "");
  await assert.rejects(planAndRun(tool, { section: "A", content: "b" }, made), /ALLY\.md/);
});

const CALL = ["ally_write", { section: "Testing", content: "- Two" }] as const;

Deno.test("ally_write needs no read, but is shown as a diff, asked about and undoable", async () => {
  await using made = await harness({
    files: { "ALLY.md": NOTES },
    replies: [{ calls: [CALL] }, { text: "Noted." }],
    answers: [{ kind: "allow" }],
  });
  assert.equal((await made.agent.run("Note it")).reason, "done");
  const [[request]] = made.questions as [[typeof made.questions[0][0]]];
  assert.equal(request!.risk, "sensitive");
  const [preview] = request!.previews;
  assert.ok(preview?.kind === "diff" && /^\+- Two$/m.test(preview.diff));
  assert.equal(await made.read("ALLY.md"), NOTES.replace("- One", "- One\n- Two"));
  await made.workspace.undo();
  assert.equal(await made.read("ALLY.md"), NOTES);
});

Deno.test("ally_write is denied without a person unless writing is allowed", async () => {
  await using made = await harness({ interactive: false, replies: [{ calls: [CALL] }] });
  assert.equal((await made.agent.run("Note it")).reason, "denied");
  await assert.rejects(made.read("ALLY.md"), Deno.errors.NotFound);
  await using allowed = await harness({
    interactive: false,
    rules: { allow: { write: true } },
    replies: [{ calls: [CALL] }],
  });
  await allowed.agent.run("Note it");
  assert.equal(await allowed.read("ALLY.md"), "# Notes\n\n## Testing\n\n- Two\n");
});

Deno.test("an ALLY.md that is a link to outside is judged as a write outside", async () => {
  await using made = await harness({
    rules: { allowAll: true },
    interactive: false,
    replies: [{ calls: [CALL] }],
  });
  const target = join(made.dir, "..", "elsewhere.md");
  await Deno.writeTextFile(target, "## Testing\n");
  await Deno.symlink(target, join(made.dir, "ALLY.md"));
  assert.equal((await made.agent.run("Note it")).denied, 1);
  assert.equal(await Deno.readTextFile(target), "## Testing\n");
});

Deno.test("two notes of one reply are both kept", async () => {
  await using made = await harness({
    rules: { allowAll: true },
    replies: [{ calls: [CALL, ["ally_write", { section: "Testing", content: "- Three" }]] }],
  });
  await made.agent.run("Note it");
  assert.equal(await made.read("ALLY.md"), "# Notes\n\n## Testing\n\n- Two\n- Three\n");
});
