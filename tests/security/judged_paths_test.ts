/**
 * A call acts on what it was judged on: a link that an earlier call of the same reply makes leads it nowhere.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { saying, writeHooks } from "../support/hooks.ts";
import { runAlly, stage } from "../support/program.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

type ScriptedCall = NonNullable<ScriptedReply["calls"]>[number];

const CANARY = "canaryrose";

/** Calls of tools that name a path which becomes a link to a directory outside. */
const CALLS: readonly ScriptedCall[] = [
  { name: "read", arguments: { file_paths: ["x/leaf"] } },
  { name: "read", arguments: { file_paths: ["x/../x/leaf"] } },
  { name: "ls", arguments: { file_path: "x" } },
  { name: "glob", arguments: { pattern: "*", path: "x", show_content: true } },
  { name: "glob", arguments: { pattern: "x/*", show_content: true } },
  { name: "grep", arguments: { pattern: CANARY, path: "x" } },
  { name: "grep", arguments: { pattern: CANARY, path: "x/leaf" } },
  { name: "grep", arguments: { pattern: CANARY, replace: "changed", path: "x" } },
  { name: "edit", arguments: { file_path: "x/leaf", old_string: CANARY, new_string: "changed" } },
  { name: "write", arguments: { file_path: "x/leaf", content: "changed" } },
  { name: "write", arguments: { file_path: "x/new", content: "changed" } },
  { name: "line_edit", arguments: { file_path: "x/leaf", operation: "delete", line_number: 1 } },
];

for (const flags of [[], ["--no-sandbox"]]) {
  Deno.test({
    name: `no call follows a link that an earlier call of its reply makes ${flags.join(" ")}`,
    ignore: flags.length === 0 && !hasBubblewrap(),
    async fn() {
      for (const call of CALLS) {
        const link = { name: "bash", arguments: { command: "ln -s ../outside x" } };
        await using at = await stage([{ calls: [link, call] }, { text: "Done." }]);
        const outside = join(at.place.dir, "..", "outside");
        await Deno.mkdir(outside);
        await Deno.writeTextFile(join(outside, "leaf"), `${CANARY}\n`);
        const { code, stderr } = await runAlly(at.place, { args: ["-p", "-A", ...flags, "go"] });
        assert.ok([0, 3].includes(code), stderr);
        assert.ok((await Deno.lstat(join(at.place.dir, "x"))).isSymlink, stderr);
        const told = (await at.place.messages()).filter(({ role }) => role === "tool")
          .map(({ content }) => String(content)).join("\n");
        const what = JSON.stringify(call);
        assert.doesNotMatch(told, new RegExp(`1\\t${CANARY}|Char \\d|leaf {2}|leaf:\n`), what);
        assert.deepEqual(await Array.fromAsync(Deno.readDir(outside), ({ name }) => name), [
          "leaf",
        ]);
        assert.equal(await Deno.readTextFile(join(outside, "leaf")), `${CANARY}\n`, what);
      }
    },
  });
}

Deno.test("a call whose path has come to lead elsewhere says so, and works when it is made again", async () => {
  const read = { name: "read", arguments: { file_paths: ["x/leaf"] } };
  const link = { name: "bash", arguments: { command: "ln -s real x" } };
  await using at = await stage([{ calls: [link, read] }, { calls: [read] }, { text: "Done." }]);
  await Deno.mkdir(join(at.place.dir, "real"));
  await at.place.write("real/leaf", "inside\n");
  await runAlly(at.place, { args: ["-p", "-A", "go"] });
  const [, first, second] = (await at.place.messages()).filter(({ role }) => role === "tool")
    .map(({ content }) => String(content));
  assert.match(first ?? "", /a link makes it lead elsewhere than when this call was judged/);
  assert.match(second ?? "", /inside/);
});

Deno.test("a call that waits for an earlier one is told to hooks by the paths that it has then", async () => {
  const read = { name: "read", arguments: { file_paths: ["kept/leaf"] } };
  const link = { name: "bash", arguments: { command: "ln -s kept x" } };
  const file_path = "x/leaf";
  const edit = {
    name: "edit",
    arguments: { file_path, old_string: "it was", new_string: "changed" },
  };
  await using at = await stage([{ calls: [read] }, { calls: [link, edit] }, { text: "Done." }]);
  await writeHooks(at.place, {
    before_tool: [{ ...saying({ decision: "deny" }), tools: ["edit"], paths: ["kept/**"] }],
  });
  await Deno.mkdir(join(at.place.dir, "kept"));
  await at.place.write("kept/leaf", "as it was\n");
  const { stderr } = await runAlly(at.place, { args: ["-p", "-A", "go"] });
  assert.ok((await Deno.lstat(join(at.place.dir, "x"))).isSymlink, stderr);
  assert.equal(await at.place.read("kept/leaf"), "as it was\n");
  assert.match(stderr, /denied: edit/);
});
