import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PERMISSIONS } from "../../scripts/permissions.ts";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { figure } from "../support/faults.ts";
import { runAlly, type Stage, stage } from "../support/program.ts";
import { TEST_SEED } from "../support/random.ts";

const WRITES = figure({ small: 4_000, full: 20_000 });
const CALLS = figure({ small: 60, full: 300 });
const READS = figure({ small: 150, full: 1_000 });
const LINUX = Deno.build.os === "linux";
const support = (name: string) => fileURLToPath(new URL(`../support/${name}`, import.meta.url));

type ScriptedCall = NonNullable<ScriptedReply["calls"]>[number];

interface Swapped extends AsyncDisposable {
  /** A file in a directory that is now itself, now a link to the directory outside. */
  readonly file: string;
  readonly outside: string;
}

/** Exchanges `sub` in a directory with a link to a directory outside until disposed of. */
async function swap(directory: string, root: string): Promise<Swapped> {
  const outside = join(root, "outside");
  await Deno.mkdir(outside);
  await Deno.writeTextFile(join(outside, "leaf"), "outside");
  await Deno.mkdir(join(directory, "sub"));
  await Deno.writeTextFile(join(directory, "sub", "own"), "inside");
  await Deno.symlink(outside, join(directory, "link"));
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      support("swap_loop.ts"),
      join(directory, "sub"),
      join(directory, "link"),
      String(TEST_SEED),
    ],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  return {
    file: join(directory, "sub", "leaf"),
    outside,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
    },
  };
}

interface ReadingCalls {
  /** The n-th call: none is the same as the one before. */
  readonly at: (index: number) => ScriptedCall;
  /** What only a result from outside has. */
  readonly leak: RegExp;
}

const READING: Readonly<Record<string, ReadingCalls>> = {
  read: {
    at: (index) => ({ name: "read", arguments: { file_paths: [`${path(index)}/leaf`] } }),
    leak: /1\toutside/,
  },
  ls: {
    at: (index) => ({ name: "ls", arguments: { file_path: path(index) } }),
    leak: /leaf/,
  },
  "grep in a directory": {
    at: (index) => ({
      name: "grep",
      arguments: { pattern: `outside(x{${index}})?`, path: path(index), context: 1 },
    }),
    leak: /Line 1/,
  },
  "grep in a file": {
    at: (index) => ({
      name: "grep",
      arguments: { pattern: "outside", path: `${path(index)}/leaf` },
    }),
    leak: /Line 1/,
  },
  "grep in all": {
    at: (index) => ({ name: "grep", arguments: { pattern: `outside(x{${index}})?` } }),
    leak: /Line 1/,
  },
  glob: {
    at: (index) => ({ name: "glob", arguments: { pattern: "**/*", path: path(index) } }),
    leak: /leaf/,
  },
  "glob with contents": {
    at: (index) => ({
      name: "glob",
      arguments: { pattern: "sub/*", path: "./".repeat(index % 9 + 1), show_content: true },
    }),
    leak: /leaf/,
  },
};

function path(at: number): string {
  return `${"./".repeat(at % 9)}sub`;
}

async function assertUntouched({ outside }: Swapped): Promise<void> {
  assert.equal(await Deno.readTextFile(join(outside, "leaf")), "outside");
  assert.deepEqual(await Array.fromAsync(Deno.readDir(outside), ({ name }) => name), ["leaf"]);
}

const GRANTS: Readonly<Record<string, readonly string[]>> = {
  "as ally is installed": PERMISSIONS,
  "with network revoked": ["--allow-all", "--deny-net", "--no-prompt"],
};

for (const [name, flags] of Object.entries(GRANTS)) {
  Deno.test({
    name:
      `of ${WRITES} writes ${name} into a directory swapped for a link, none goes outside (seed ${TEST_SEED})`,
    ignore: !LINUX,
    async fn() {
      const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-swap-" }));
      const work = join(root, "work");
      await Deno.mkdir(work);
      {
        await using swapped = await swap(work, root);
        const { stdout } = await new Deno.Command(Deno.execPath(), {
          args: ["run", ...flags, support("write_loop.ts"), swapped.file, String(WRITES)],
          stderr: "inherit",
        }).output();
        const outcomes: Record<string, number> = JSON.parse(new TextDecoder().decode(stdout));
        const total = Object.values(outcomes).reduce((sum, one) => sum + one, 0);
        assert.equal(total, WRITES, JSON.stringify(outcomes));
        await assertUntouched(swapped);
      }
      await Deno.remove(root, { recursive: true });
    },
  });
}

Deno.test({
  name:
    `of ${CALLS} write calls of a model into a directory swapped for a link, none goes outside (seed ${TEST_SEED})`,
  ignore: !LINUX,
  async fn() {
    const replies = Array.from({ length: CALLS }, (_, at) => ({
      calls: [{ name: "write", arguments: { file_path: `sub/file${at}`, content: "inside" } }],
    }));
    await using at: Stage = await stage([...replies, { text: "Done." }]);
    await using swapped = await swap(at.place.dir, join(at.place.dir, ".."));
    const args = ["-p", "-A", "--max-turns", String(CALLS + 1), "--context-size", "1000000", "go"];
    const done = await runAlly(at.place, { args });
    assert.ok([0, 3].includes(done.code), done.stderr);
    assert.equal(at.server.requests.length, CALLS + 1);
    await assertUntouched(swapped);
  },
});

for (const [name, { at: callAt, leak }] of Object.entries(READING)) {
  Deno.test({
    name:
      `of ${READS} calls of ${name} at a directory swapped for a link, none tells what is outside (seed ${TEST_SEED})`,
    ignore: !LINUX,
    async fn() {
      const replies = Array.from({ length: READS }, (_, index) => ({ calls: [callAt(index)] }));
      await using at: Stage = await stage([...replies, { text: "Done." }]);
      await using _swapped = await swap(at.place.dir, join(at.place.dir, ".."));
      const args = ["-p", "--max-turns", String(READS + 1), "--context-size", "10000000", "go"];
      const done = await runAlly(at.place, { args });
      assert.ok([0, 3].includes(done.code), done.stderr);
      const results = (await at.place.messages()).filter(({ role }) => role === "tool")
        .map(({ content }) => String(content));
      assert.equal(results.length, READS);
      assert.deepEqual(results.filter((text) => leak.test(text)), []);
    },
  });
}
