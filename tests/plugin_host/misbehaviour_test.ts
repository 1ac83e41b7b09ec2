import assert from "node:assert/strict";
import { join } from "node:path";
import { type PluginStage, pluginStage } from "../support/plugin_stage.ts";
import { runningWith, uniqueDuration } from "../support/processes.ts";
import { hasBubblewrap } from "../support/sandbox.ts";
import { until } from "../support/wait.ts";

const GOOD = `export default ({ n }) => ({ n: n + 1 });`;

/** A plugin with a good module beside a bad one; the good one must work before and after. */
async function spoiled(at: PluginStage, code: string, { timeout = 10 } = {}) {
  const plugin = await at.plugin({ modules: { fine: GOOD, bad: code }, timeout });
  const check = async () => {
    const { result } = await at.call(plugin, "fine", { input: { n: 1 } });
    assert.deepEqual(result, { ok: true, data: { n: 2 } });
  };
  await check();
  return { plugin, check };
}

const FAILURES: readonly [what: string, code: string, says: RegExp][] = [
  ["throws", `export default () => { throw new Error("on purpose"); };`, /on purpose \(bad\.ts:1:/],
  ["throws no error", `export default () => { throw "words"; };`, /It threw words/],
  ["rejects", `export default async () => { await 1; throw new RangeError("later"); };`, /later/],
  ["throws at import", `throw new Error("at import"); export default () => 1;`, /at import/],
  ["is no TypeScript", `export default () => {`, /bad\.ts/],
  ["exports nothing", `export const x = 1;`, /exports by default neither a function/],
  ["exits", `export default () => Deno.exit(0);`, /process ended with exit code 0/],
  ["exits at import", `Deno.exit(7); export default () => 1;`, /exit code 7/],
  [
    "leaves a rejection behind",
    `export default () => { Promise.reject(new Error("nobody looks")); return new Promise(() => {}); };`,
    /process ended with exit code 1/,
  ],
  ["returns a cycle", `export default () => { const a = {}; a.a = a; return a; };`, /circular/i],
  ["returns a BigInt", `export default () => ({ n: 1n });`, /BigInt/],
  ["returns too much", `export default () => "x".repeat(11 * 1024 * 1024);`, /at most 10485760/],
  [
    "nests without end",
    `export default () => { let a = 1; for (let i = 0; i < 5000; i++) a = [a]; return a; };`,
    /nested deeper than 100/,
  ],
  [
    "says that it failed",
    `export default () => ({ success: false, error: "no such issue", suggestion: "look" });`,
    /no such issue/,
  ],
];

Deno.test("a plugin that fails costs only its own call, and says how", async () => {
  await using at = await pluginStage();
  for (const [what, code, says] of FAILURES) {
    const { plugin, check } = await spoiled(at, code);
    const { result, error } = await at.call(plugin, "bad");
    const message = error?.message ?? (result?.ok === false ? result.error.message : "");
    assert.match(message, says, what);
    await check();
    at.host.close();
  }
});

Deno.test("a plugin that loops without end is stopped at its time limit, and its processor is idle again", async () => {
  await using at = await pluginStage();
  const { plugin, check } = await spoiled(at, `export default () => { for (;;); };`, {
    timeout: 4,
  });
  const { error } = await at.call(plugin, "bad");
  assert.match(error?.message ?? "", /stopped: it did not end within 4 seconds/);
  await check();
  await untilGone(at, 1);
});

Deno.test("a plugin that never answers is stopped at its time limit", async () => {
  await using at = await pluginStage();
  const { plugin, check } = await spoiled(at, `export default () => new Promise(() => {});`, {
    timeout: 4,
  });
  const { error } = await at.call(plugin, "bad");
  assert.match(error?.message ?? "", /did not end within 4 seconds/);
  await check();
});

Deno.test("an interrupt ends a loop at once, and a plugin that listens keeps its process", async () => {
  await using at = await pluginStage();
  const loop = `export default (_, { report }) => { report("looping"); for (;;); };`;
  const { plugin, check } = await spoiled(at, loop, { timeout: 600 });
  const stop = new AbortController();
  const calling = at.call(plugin, "bad", { signal: stop.signal });
  setTimeout(() => stop.abort(), 300);
  const { error } = await calling;
  assert.match(error?.message ?? "", /interrupted/);
  assert.equal((error as { kind?: string }).kind, "interrupted");
  await check();

  const polite = await at.plugin({
    name: "polite",
    modules: {
      count: `let n = 0; export default () => ++n;`,
      wait:
        `export default (_, { signal }) => new Promise((_, no) => signal.addEventListener("abort", () => no(new Error("yes"))));`,
    },
  });
  await at.call(polite, "count");
  const end = new AbortController();
  const waiting = at.call(polite, "wait", { signal: end.signal });
  setTimeout(() => end.abort(), 300);
  assert.match((await waiting).error?.message ?? "", /interrupted/);
  assert.deepEqual((await at.call(polite, "count")).result, { ok: true, data: { result: 2 } });
});

Deno.test("what a plugin prints is shown, and is never taken for an answer", async () => {
  await using at = await pluginStage();
  const code = `export default (_, { report }) => {
    console.log('{"type":"value","id":1,"value":"forged"}');
    Deno.stdout.writeSync(new TextEncoder().encode("no line end"));
    console.error("to the other stream");
    report("reported\\n");
    return { __proto__: null, right: true, ["__proto__"]: { polluted: true } };
  };`;
  const { plugin, check } = await spoiled(at, code);
  const { result, reported } = await at.call(plugin, "bad");
  assert.deepEqual(result, { ok: true, data: { right: true } });
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  for (const said of ["forged", "no line end", "reported"]) assert.match(reported, RegExp(said));
  await check();
});

Deno.test("a plugin that changes what everything is made of harms itself alone", async () => {
  await using at = await pluginStage();
  const { plugin } = await spoiled(
    at,
    `export default () => {
      JSON.stringify = () => "forged"; JSON.parse = () => ({ type: "abort", id: 1 });
      Promise.prototype.then = () => {}; Array.prototype.join = () => "x"; Object.prototype.polluted = 1;
      return { done: true };
    };`,
    { timeout: 1 },
  );
  await at.call(plugin, "bad");
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  const other = await at.plugin({ name: "other", modules: { fine: GOOD } });
  const { result } = await at.call(other, "fine", { input: { n: 1 } });
  assert.deepEqual(result, { ok: true, data: { n: 2 } });
});

Deno.test("a plugin that floods is cut off: a line without end ends it, reports are dropped", async () => {
  await using at = await pluginStage();
  const line = `export default () => {
    const piece = new Uint8Array(1 << 20).fill(120);
    for (;;) Deno.stdout.writeSync(piece);
  };`;
  const { plugin, check } = await spoiled(at, line);
  const { error } = await at.call(plugin, "bad");
  assert.match(error?.message ?? "", /printed more than/);
  await check();
  at.host.close();
  const reports = `export default (_, { report }) => {
    for (let i = 0; i < 3000; i++) report("x".repeat(1000));
    return "done";
  };`;
  const again = await spoiled(at, reports);
  const { result, reported } = await at.call(again.plugin, "bad");
  assert.deepEqual(result, { ok: true, data: { output: "done" }, text: "done" });
  assert.equal(reported.length, 1_000_000);
});

Deno.test("calls of one plugin run at the same time in one process, which ends when it is idle", async () => {
  await using at = await pluginStage({ idleMs: 100 });
  const plugin = await at.plugin({
    modules: {
      meet: `let waiting; export default () => {
        if (waiting) { waiting("met"); return "met"; }
        return new Promise((resolve) => waiting = resolve);
      };`,
    },
  });
  const both = await Promise.all([at.call(plugin, "meet"), at.call(plugin, "meet")]);
  for (const { result } of both) assert.equal(result?.ok && result.text, "met");
  await untilGone(at, 0);
});

Deno.test("a program of a plugin is ended with all that it started", async () => {
  await using at = await pluginStage();
  const left = uniqueDuration();
  // What leaves the group is found by the sandbox alone.
  const leaver = hasBubblewrap() ? `setsid sleep ${left} & ` : "";
  const plugin = await at.plugin({
    commands: {
      leave: `sleep ${left} & ${leaver}echo '{"success": true, "left": 2}'`,
      loop: `sleep ${left} & while :; do :; done`,
      flood: `yes`,
      fail: `echo "it is broken" >&2; exit 3`,
      text: `cat; echo " came in"`,
    },
    timeout: 1,
  });
  const call = (name: string) => at.call(plugin, name, { input: { n: 1 } });
  assert.deepEqual((await call("leave")).result, { ok: true, data: { left: 2 } });
  assert.match((await call("loop")).error?.message ?? "", /did not end within 1 second/);
  assert.match((await call("flood")).error?.message ?? "", /printed more than|did not end/);
  const failed = await call("fail");
  assert.match(failed.error?.message ?? "", /exit code 3/);
  assert.match(failed.text, /it is broken/);
  assert.equal((await call("text")).text.includes('{\\"n\\":1} came in'), true);
  await until("the end of all", () => Promise.resolve(runningWith(left).length === 0));
});

Deno.test("a plugin with a link in its folder, or a file too large, does not run", async () => {
  await using at = await pluginStage();
  const linked = await at.plugin({ name: "linked", modules: { fine: GOOD } });
  await Deno.symlink(join(at.outside, "mod.ts"), join(linked.folder, "more.ts"));
  const { error } = await at.call(linked, "fine");
  assert.match(error?.message ?? "", /cannot run: more\.ts is a link/);
  assert.equal((error as { kind?: string }).kind, "security");
});

/** Waits until no more than `count` processes of the stage's plugins run. */
async function untilGone(at: PluginStage, count: number): Promise<void> {
  const folder = join(at.allyHome, "plugins");
  await until(`${count} processes of plugins`, () => {
    return Promise.resolve(runningWith(`--allow-read=${folder}`).length <= count * 2);
  });
}

Deno.test("when ally ends, nothing of a running plugin is left in the temporary directory", async () => {
  await using at = await pluginStage({ way: "permissions" });
  const plugin = await at.plugin({
    permissions: { env: ["DENO_DIR"] },
    modules: { where: `export default () => ({ path: Deno.env.get("DENO_DIR") });` },
  });
  const { result } = await at.call(plugin, "where");
  assert.ok(result?.ok, JSON.stringify(result));
  const { path } = result.data as { path: string };
  const directory = join(path, "..");
  assert.match(directory, /ally-plugin-/);
  assert.ok((await Deno.stat(directory)).isDirectory);
  at.host.close();
  await assert.rejects(Deno.stat(directory), Deno.errors.NotFound);
});
