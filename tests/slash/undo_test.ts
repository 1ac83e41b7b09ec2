import assert from "node:assert/strict";
import type { Preview } from "../../src/core/permission.ts";
import type { CommandContext } from "../../src/slash/command.ts";
import { redo, undo } from "../../src/slash/undo.ts";
import { type Harness, harness } from "../support/agent_harness.ts";
import { commandContext } from "../support/command_context.ts";

interface Session extends AsyncDisposable {
  readonly test: Harness;
  readonly context: CommandContext;
  readonly said: string[];
  readonly shown: Preview[];
  readonly asked: string[];
}

/** Two files changed, one made: three changes. */
async function session(answer: boolean): Promise<Session> {
  const test = await harness({ files: { a: "1\n", b: "1\n" } });
  const by = { tool: "write", callId: "c" };
  for (const [name, before] of [["a", "1\n"], ["b", "1\n"], ["c", null]] as const) {
    const path = await test.workspace.resolve(name);
    await test.workspace.commit([{ path, before, after: "2\n" }], by);
  }
  const said: string[] = [];
  const shown: Preview[] = [];
  const asked: string[] = [];
  const context = commandContext(test, {
    say: (text) => void said.push(text),
    show: (previews) => void shown.push(...previews),
    confirm: (question) => {
      asked.push(question);
      return Promise.resolve(answer);
    },
  });
  return {
    test,
    context,
    said,
    shown,
    asked,
    [Symbol.asyncDispose]: async () => await test[Symbol.asyncDispose](),
  };
}

Deno.test("/undo asks before it deletes a file, and does nothing on No", async () => {
  await using one = await session(false);
  await undo.run("", one.context);
  assert.deepEqual(one.asked, ["This deletes c. Go on?"]);
  assert.deepEqual(one.shown, [{ kind: "deleted_file", path: "c", lines: 1 }]);
  assert.deepEqual(one.said, ["Nothing was changed."]);
  assert.equal(await one.test.read("c"), "2\n");
});

Deno.test("/undo passes over what is as before already, and asks about what it takes back then", async () => {
  await using one = await session(false);
  await Deno.writeTextFile(`${one.test.dir}/b`, "1\n");
  const path = await one.test.workspace.resolve("b");
  await one.test.workspace.commit([{ path, before: "1\n", after: "2\n" }], {
    tool: "write",
    callId: "c",
  });
  await Deno.writeTextFile(`${one.test.dir}/b`, "1\n");
  await undo.run("", one.context);
  assert.deepEqual(one.asked, ["This deletes c. Go on?"]);
  assert.deepEqual(one.said, ["Nothing was changed."]);
  assert.equal(await one.test.read("c"), "2\n");
});

Deno.test("/undo #NUMBER takes back that change alone, showing its diff, without a question", async () => {
  await using one = await session(false);
  await undo.run("#1", one.context);
  assert.deepEqual([await one.test.read("a"), await one.test.read("b")], ["1\n", "2\n"]);
  assert.deepEqual(one.asked, []);
  assert.equal(one.shown[0]?.kind === "diff" && one.shown[0].diff.includes("-2\n+1\n"), true);
  assert.deepEqual(one.said, ["Took back change 1 (write):\n- restored `a`"]);
});

Deno.test("/undo last COUNT asks once for all, takes back what there is, and /redo last COUNT makes it again", async () => {
  await using one = await session(true);
  await undo.run("last 9", one.context);
  assert.deepEqual(one.asked, ["Take back these 3 changes?"]);
  assert.deepEqual([await one.test.read("a"), await one.test.read("b")], ["1\n", "1\n"]);
  await assert.rejects(one.test.read("c"), Deno.errors.NotFound);
  assert.equal(one.said.at(-1), "There were no more than 3 changes.");
  await redo.run("last 2", one.context);
  assert.equal(one.said.at(-1), "Redid change 2 (write):\n- changed again `b`");
  assert.deepEqual([await one.test.read("a"), await one.test.read("b")], ["2\n", "2\n"]);
  await redo.run("", one.context);
  assert.equal(await one.test.read("c"), "2\n");
  assert.equal(one.said.at(-1), "Redid change 3 (write):\n- created again `c`");
});

Deno.test("/undo list shows number, tool, files and lines of each change, newest first", async () => {
  await using one = await session(true);
  await undo.run("list", one.context);
  const rows = one.said[0]?.split("\n") ?? [];
  assert.match(rows[0] ?? "", /^- \*\*#3\*\* \d+ \w+, \d\d:\d\d write: `c` \+1 -0$/);
  assert.match(rows[2] ?? "", /^- \*\*#1\*\* .* write: `a` \+1 -1$/);
  assert.deepEqual(await undo.complete?.(one.context), ["last", "list", "#3", "#2", "#1"]);
});

for (const argument of ["x", "-1", "0", "#", "1.5", "last 0", "last x", "last 1 2"]) {
  Deno.test(`/undo ${argument} is refused with what can be typed`, async () => {
    await using one = await session(true);
    await assert.rejects(
      async () => await undo.run(argument, one.context),
      /does not say which changes. Use \/undo or \/undo last COUNT, \/undo N .* \/undo #NUMBER/,
    );
    assert.equal(await one.test.read("a"), "2\n");
  });
}

Deno.test("/undo and /redo say that there is nothing to do", async () => {
  await using test = await harness();
  const { workspace } = test;
  await assert.rejects(workspace.preview("undo"), /no change is left to take back/);
  await assert.rejects(workspace.preview("redo"), /nothing was undone/);
});
