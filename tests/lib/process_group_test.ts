import assert from "node:assert/strict";
import { endBelow, killGroup, spawnGroup } from "../../src/lib/process_group.ts";
import { isRunning } from "../support/processes.ts";
import { until } from "../support/wait.ts";

const piped = { stdin: "null", stdout: "piped", stderr: "null" } as const;
const ignore = Deno.build.os !== "linux";

for (const program of ["/bin/sh", "sh"]) {
  Deno.test({
    name: `a program started as ${program} leads a group and a session`,
    ignore,
    async fn() {
      const child = spawnGroup([program, "-c", "cut -d ' ' -f 5,6 /proc/$$/stat"], piped);
      const { stdout } = await child.output();
      assert.equal(new TextDecoder().decode(stdout).trim(), `${child.pid} ${child.pid}`);
    },
  });
}

Deno.test({
  name: "a program can be ended as soon as it is started, with what it has started",
  ignore,
  async fn() {
    for (let round = 0; round < 50; round++) {
      const child = spawnGroup(["/bin/sh", "-c", "sleep 60 & sleep 60"], piped);
      // At different moments of its beginning.
      for (let tick = 0; tick < round % 5; tick++) await new Promise(setImmediate);
      assert.equal(killGroup(child.pid, "SIGKILL"), true);
      // Its output ends when the last of them has ended.
      const { signal } = await child.output();
      assert.equal(signal, "SIGKILL");
    }
  },
});

Deno.test({
  name: "of a tree all is told to end but the shielded program",
  ignore,
  async fn() {
    const inner = "trap 'echo inner; exit' TERM; echo up; while :; do sleep 0.02; done";
    const script = `trap 'echo outer; exit 0' TERM; sleep 60 >&- &
      until grep -q sleep /proc/$!/comm; do :; done; setsid sh -c "${inner}" & wait`;
    const child = spawnGroup(["/bin/sh", "-c", script], piped);
    const [first, rest] = child.stdout.pipeThrough(new TextDecoderStream()).tee();
    assert.equal((await first.getReader().read()).value, "up\n");
    // No namespace was made.
    assert.equal(endBelow(child.pid, { shielded: "sleep" }), false);
    assert.equal((await child.status).code, 0);
    const said = (await Array.fromAsync(rest)).join("").trim().split("\n");
    assert.deepEqual(said.sort(), ["inner", "outer", "up"]);
    // What was shielded is what is left.
    assert.equal(killGroup(child.pid, "SIGKILL"), true);
  },
});

const isLeashed = !ignore && await hasLeash();

/** Whether this machine has what a leash is made with. */
async function hasLeash(): Promise<boolean> {
  const { stdout } = await new Deno.Command("/usr/bin/setpriv", {
    args: ["--help"],
    stderr: "null",
  })
    .output().catch(() => ({ stdout: new Uint8Array() }));
  return new TextDecoder().decode(stdout).includes("--pdeathsig");
}

for (const program of ["/bin/sh", "sh"]) {
  Deno.test({
    name: `what was started as ${program} ends with who started it, however that ends`,
    ignore: !isLeashed,
    async fn() {
      const source = new URL("../../src/lib/process_group.ts", import.meta.url).href;
      const started = `import { spawnGroup } from "${source}";
        const line = ["${program}", "-c", "echo $$; while :; do sleep 0.02; done"];
        spawnGroup(line, { stdin: "null", env: { PATH: "/usr/bin:/bin" } });`;
      const args = ["eval", "--no-config", started];
      const starter = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
      const reader = starter.stdout.pipeThrough(new TextDecoderStream()).getReader();
      const pid = Number((await reader.read()).value);
      assert.ok(isRunning(pid));
      starter.kill("SIGKILL");
      // Its output ends when nobody is left to write to it.
      assert.equal((await reader.read()).done, true);
      await until("its end", () => !isRunning(pid));
      await starter.status;
    },
  });
}

Deno.test("a program or directory that is missing is told when it is started", () => {
  assert.throws(() => spawnGroup(["/nowhere/program"], piped), Deno.errors.NotFound);
  assert.throws(() => spawnGroup(["no-such-program"], piped), Deno.errors.NotFound);
  const cwd = "/nowhere/at/all";
  assert.throws(() => spawnGroup(["/bin/sh"], { ...piped, cwd }), Deno.errors.NotFound);
});

Deno.test("a shell begins where it is started, though ally's own shell came there through a link", async () => {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${directory}/real`);
    await Deno.symlink("real", `${directory}/link`);
    const where = { cwd: `${directory}/real`, env: { PWD: `${directory}/link` } };
    const child = spawnGroup(["/bin/sh", "-c", 'echo "$PWD"'], { ...piped, ...where });
    const { stdout } = await child.output();
    assert.equal(new TextDecoder().decode(stdout), `${directory}/real\n`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
