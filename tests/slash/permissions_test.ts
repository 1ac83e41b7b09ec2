import assert from "node:assert/strict";
import type { Grant } from "../../src/core/rule.ts";
import type { CommandContext } from "../../src/slash/command.ts";
import { permissions } from "../../src/slash/permissions.ts";
import { noPermissions } from "../support/no_permissions.ts";

const read = (target: string): Grant => ({ kind: "read", text: `read=${target}`, target });

function start(known: Partial<CommandContext["permissions"]> = {}) {
  const context = { ...noPermissions(), ...known };
  const said: string[] = [];
  const run = async (argument: string) => {
    const say = (text: string) => void said.push(text);
    const partial: Partial<CommandContext> = { permissions: context, say };
    assert.equal(await permissions.run(argument, partial as CommandContext), "continue");
    return said.at(-1) ?? "";
  };
  return { book: context.book, run };
}

Deno.test("/permissions without a rule says what holds then, and where the log is", async () => {
  const text = await start({ banned: ["sudo"] }).run("");
  assert.match(text, /^No rules: what can change nothing runs unasked, all else asks\./);
  assert.match(text, /Never run: 1 program \(/);
  assert.match(text, /Log of decisions: `\/home\/me\/\.ally\/decisions\.jsonl`/);
});

Deno.test("/permissions lists flags and configuration, deny first, and the session's rules", async () => {
  const { book, run } = start({
    rules: { allow: { run: ["git"] }, deny: {}, allowAll: true },
    configured: [{
      allow: {},
      deny: { net: true },
      allowAll: false,
      source: "config",
      file: "~/.ally/config.json",
    }],
  });
  await book.add(read("/etc/`x`"), "session");
  const rows = (await run("")).split("\n").filter((line) => line.startsWith("- "));
  assert.deepEqual(rows, [
    "- config: `deny net (~/.ally/config.json)`",
    "- flag: `--allow-run=git`",
    "- flag: `--allow-all`",
    "- **s1** session: `` read=/etc/`x` ``",
  ]);
});

Deno.test("/permissions remove ends one rule or all, and says what there is otherwise", async () => {
  const { book, run } = start();
  await assert.rejects(run("remove s1"), /Always has allowed nothing here/);
  for (const target of ["/a", "/b", "/c"]) await book.add(read(target), "session");
  assert.match(await run("remove s2"), /Removed `read=\/b`: it asks again/);
  await assert.rejects(run("remove s2"), /There is no rule 's2'\. There are s1, s3\./);
  await run("remove all");
  assert.deepEqual(await book.list(), []);
  await assert.rejects(run("drop s1"), /Use \/permissions, \/permissions remove ID/);
});
