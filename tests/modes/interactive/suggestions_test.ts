import assert from "node:assert/strict";
import { rankBonus } from "../../../src/modes/interactive/path_source.ts";
import { LineSuggestions } from "../../../src/modes/interactive/suggestions.ts";
import type { CommandContext } from "../../../src/slash/command.ts";
import { COMMANDS } from "../../../src/slash/table.ts";
import type { Suggestions } from "../../../src/ui/suggestion_rows.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { noAgents } from "../../support/no_agents.ts";
import { noPermissions } from "../../support/no_permissions.ts";
import { makeToolContext } from "../../support/tool_context.ts";

const FILES = {
  "src/main.ts": "",
  "src/mail.ts": "",
  "src/deep/inner file.ts": "",
  "setup.sh": "",
  ".hidden": "",
  ".gitignore": "node_modules/\n",
  "node_modules/left/index.js": "",
};

/** What is offered, once all is there; `*` marks what suggestions go on after. */
interface Stage extends AsyncDisposable {
  readonly workspace: Workspace;
  offered(before: string, isAsked?: boolean): Promise<Suggestions | undefined>;
}

async function stage(): Promise<Stage> {
  const made = await makeToolContext({ files: FILES });
  const permissions = noPermissions();
  await permissions.book.add({ kind: "read", text: "read=/x", target: "/x" }, "session");
  const models = {
    list: () => Promise.resolve({ names: ["m1", "m2", "x"], problems: [] }),
    use: (name: string) => name,
    effort: () => "",
    useEffort: () => {},
  };
  const { workspace } = made;
  const context = { models, permissions, agents: noAgents(), workspace };
  const suggestions = new LineSuggestions({
    commands: () => COMMANDS,
    context: () => context as Partial<CommandContext> as CommandContext,
  });
  return {
    workspace,
    offered: async (before, isAsked = false) => {
      const { signal } = new AbortController();
      const found = await suggestions.find({ before, isAsked }, signal);
      return await found?.later ?? found;
    },
    async [Symbol.asyncDispose]() {
      suggestions.close();
      await made[Symbol.asyncDispose]();
    },
  };
}

/** The lines that there are to choose from. */
async function lines({ offered }: Stage, before: string, isAsked?: boolean): Promise<string[]> {
  const found = await offered(before, isAsked);
  const from = found?.from ?? 0;
  return found?.items.map(({ insert }) => before.slice(0, from) + insert) ?? [];
}

Deno.test("a slash finds commands by their letters and their other names, with what they do", async () => {
  await using test = await stage();
  assert.equal((await lines(test, "/"))[0], "/help ");
  assert.equal((await lines(test, "/")).length, COMMANDS.length);
  assert.equal((await lines(test, "/un"))[0], "/undo ");
  assert.equal((await lines(test, "/pms"))[0], "/permissions ");
  assert.equal((await lines(test, "/quit"))[0], "/exit ");
  const undo = (await test.offered("/undo"))?.items[0];
  assert.deepEqual([undo?.label, undo?.marks], ["/undo", [1, 2, 3, 4]]);
  assert.match(undo?.detail ?? "", /take back|undo/i);
  assert.deepEqual(await lines(test, "/zzz"), []);
});

Deno.test("a command's argument is found among what the command knows", async () => {
  await using test = await stage();
  assert.deepEqual(await lines(test, "/model m"), ["/model m1", "/model m2"]);
  assert.deepEqual(await lines(test, "/permissions "), [
    "/permissions remove s1",
    "/permissions remove all",
  ]);
  assert.deepEqual(await lines(test, "/permissions rs1"), ["/permissions remove s1"]);
  assert.equal((await lines(test, "/agents shg"))[0], "/agents show general");
});

Deno.test("an @ finds files and directories of the whole tree", async () => {
  await using test = await stage();
  assert.equal((await lines(test, "look at @mai"))[0], "look at @src/mail.ts");
  assert.equal((await lines(test, "@smain"))[0], "@src/main.ts");
  assert.equal((await lines(test, "(@deep"))[0], "(@src/deep/");
  assert.equal((await lines(test, "@inner"))[0], "@src/deep/inner\\ file.ts");
  assert.equal((await lines(test, "@inner\\ fi"))[0], "@src/deep/inner\\ file.ts");
  assert.deepEqual(await lines(test, "@src/main.ts"), [], "what is written whole needs no list");
  assert.equal((await test.offered("@deep"))?.items[0]?.more, true);
});

Deno.test("hidden paths are found by a dot, ignored ones by their directory", async () => {
  await using test = await stage();
  assert.deepEqual(await lines(test, "@hidd"), []);
  assert.deepEqual(await lines(test, "@.hid"), ["@.hidden"]);
  assert.deepEqual(await lines(test, "@index.js"), []);
  assert.deepEqual(await lines(test, "@node_modules/"), ["@node_modules/left/"]);
  assert.deepEqual(await lines(test, "@node_modules/left/ind"), ["@node_modules/left/index.js"]);
  assert.deepEqual(await lines(test, "@src/"), ["@src/deep/", "@src/mail.ts", "@src/main.ts"]);
  assert.deepEqual(await lines(test, "@../"), []);
});

Deno.test("an @ alone offers what was touched of late, then what lies highest", async () => {
  await using test = await stage();
  const { workspace } = test;
  await workspace.read(await workspace.resolve("src/main.ts"));
  await workspace.read(await workspace.resolve("src/deep/inner file.ts"));
  const before = (await lines(test, "see @")).slice(0, 4);
  assert.deepEqual(before, [
    "see @src/deep/inner\\ file.ts",
    "see @src/main.ts",
    "see @setup.sh",
    "see @src/",
  ]);
  assert.equal((await lines(test, "see @mai"))[0], "see @src/main.ts");
});

Deno.test("agents are offered after an @ that begins the line", async () => {
  await using test = await stage();
  assert.equal((await lines(test, "@gen"))[0], "@general ");
  assert.deepEqual(await lines(test, "ask @gen"), []);
  assert.equal((await lines(test, "@deep"))[0], "@src/deep/", "a better match comes first");
});

Deno.test("in shell lines and in arguments paths are offered when asked for", async () => {
  await using test = await stage();
  assert.equal(await test.offered("!cat src/ma"), undefined);
  assert.deepEqual(await lines(test, "!cat mail", true), ["!cat src/mail.ts"]);
  assert.deepEqual(await lines(test, "/export setu", true), ["/export setup.sh"]);
  assert.equal(await test.offered("!npm i @scope"), undefined);
});

Deno.test("plain words and addresses offer nothing", async () => {
  await using test = await stage();
  for (const before of ["", "some words", "me@example", "a / b", "#note", "@src/main.ts and"]) {
    assert.equal(await test.offered(before), undefined, before);
  }
});

Deno.test("what was touched last weighs most, then what git sees changed, then what is new", () => {
  const bonus = rankBonus({ touched: ["a", "b"], changed: ["c", "b"], newest: ["d", "c", "e"] });
  const order = [...bonus].sort(([, a], [, b]) => b - a).map(([path]) => path);
  assert.deepEqual(order, ["a", "b", "c", "d", "e"]);
});
