/**
 * Plugins that try to take the machine with them: memory, processes, the disk. Each costs only its own call.
 */
import assert from "node:assert/strict";
import { pluginStage } from "../support/plugin_stage.ts";
import { runningWith, uniqueDuration } from "../support/processes.ts";
import { hasBubblewrap } from "../support/sandbox.ts";
import { until } from "../support/wait.ts";

const GOOD = `export default ({ n }) => ({ n: n + 1 });`;

const BOMBS: Readonly<Record<string, string>> = {
  objects:
    `export default () => { const all = []; for (;;) all.push({ all: new Array(1000).fill(Math.random()) }); };`,
  buffers:
    `export default () => { const all = []; for (;;) all.push(new Uint8Array(64 << 20).fill(1)); };`,
  strings: `export default () => { let text = "x"; for (;;) text = text + text + Math.random(); };`,
  promises:
    `export default async () => { const all = []; for (;;) all.push((async () => { await 1; })()); };`,
};

for (const way of ["sandbox", "permissions", "standalone"] as const) {
  const ignore = way === "sandbox" && !hasBubblewrap();
  Deno.test(
    `a plugin that eats memory dies alone, and the next call works (${way})`,
    { ignore },
    async () => {
      await using at = await pluginStage({ way });
      const plugin = await at.plugin({ modules: { fine: GOOD, ...BOMBS }, timeout: 60 });
      for (const name of Object.keys(BOMBS)) {
        const { error, text } = await at.call(plugin, name);
        assert.ok(error, `${name}: ${text}`);
        const { result } = await at.call(plugin, "fine", { input: { n: 1 } });
        assert.deepEqual(result, { ok: true, data: { n: 2 } }, name);
      }
    },
  );
}

Deno.test(
  "a plugin's program that forks without end, eats memory or fills the disk is ended with all its own",
  {
    ignore: !hasBubblewrap(),
  },
  async () => {
    await using at = await pluginStage();
    const mark = uniqueDuration();
    const plugin = await at.plugin({
      commands: {
        forks: `f() { sleep ${mark} & f | f & }; f; sleep ${mark}`,
        memory: `a=x; while :; do a=$a$a; done`,
        disk: `cat /dev/zero > /tmp/fill`,
        fine: `echo '{"fine": true}'`,
      },
      timeout: 8,
    });
    for (const name of ["forks", "memory", "disk"]) {
      const { error, text } = await at.call(plugin, name);
      assert.ok(error, `${name}: ${text}`);
      assert.deepEqual((await at.call(plugin, "fine")).result, { ok: true, data: { fine: true } });
    }
    await until("the end of all forks", () => Promise.resolve(runningWith(mark).length === 0));
  },
);
