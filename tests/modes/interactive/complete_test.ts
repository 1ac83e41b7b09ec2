import assert from "node:assert/strict";
import { completeLine } from "../../../src/modes/interactive/complete.ts";
import type { CommandContext } from "../../../src/slash/command.ts";
import { COMMANDS } from "../../../src/slash/table.ts";
import { noAgents } from "../../support/no_agents.ts";
import { noPermissions } from "../../support/no_permissions.ts";
import { makeToolContext } from "../../support/tool_context.ts";

async function completed(before: string): Promise<readonly [string[], string]> {
  await using made = await makeToolContext({
    files: { "src/main.ts": "", "src/mail.ts": "", "setup.sh": "", ".hidden": "" },
  });
  const permissions = noPermissions();
  await permissions.book.add({ kind: "read", text: "read=/x", target: "/x" }, "session");
  const names = ["m1", "m2", "x"];
  const models = {
    list: () => Promise.resolve({ names, problems: [] }),
    use: (name: string) => name,
    effort: () => "",
    useEffort: () => {},
  };
  const context = { models, permissions, agents: noAgents() };
  return await completeLine(before, {
    commands: COMMANDS,
    context: context as Partial<CommandContext> as CommandContext,
    files: made.workspace,
  });
}

Deno.test("a slash completes to commands", async () => {
  assert.deepEqual(await completed("/un"), [["/undo "], "/un"]);
  assert.equal((await completed("/"))[0].length, COMMANDS.length);
});

Deno.test("a command's argument completes to what the command knows", async () => {
  assert.deepEqual(await completed("/model m"), [["m1", "m2"], "m"]);
  assert.deepEqual(await completed("/permissions "), [["remove s1", "remove all"], ""]);
  assert.deepEqual(await completed("/permissions remove s"), [["remove s1"], "remove s"]);
});

Deno.test("paths complete after @ and in shell lines, directories with a slash", async () => {
  assert.deepEqual(await completed("look at @s"), [["setup.sh", "src/"], "s"]);
  assert.deepEqual(await completed("!cat src/ma"), [["src/mail.ts", "src/main.ts"], "src/ma"]);
  assert.deepEqual(await completed("@"), [["general ", "setup.sh", "src/"], ""]);
  assert.deepEqual(await completed("@.h"), [[".hidden"], ".h"]);
});

Deno.test("agents complete after @ at the beginning of a line, and of their commands", async () => {
  assert.deepEqual(await completed("@gen"), [["general "], "gen"]);
  assert.deepEqual(await completed("ask @gen"), [[], "gen"]);
  assert.deepEqual(await completed("/agents show g"), [["show general"], "show g"]);
});

Deno.test("plain words and paths outside complete to nothing", async () => {
  assert.deepEqual(await completed("some words"), [[], ""]);
  assert.deepEqual(await completed("!ls ../"), [[], "../"]);
});
