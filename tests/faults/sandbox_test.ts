/**
 * Commands that eat the machine: in the sandbox they fail by themselves or at their time limit, nothing of
 * them is left, and ally works on.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runningWith, uniqueDuration } from "../support/processes.ts";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

const FAULTS = [
  {
    name: "a fork bomb",
    file: "b() { b | b & }; b; b; b; while :; do :; done\n",
    command: "bash bomb",
  },
  {
    name: "a bomb of processes that sleep",
    file: "for i in $(seq 5000); do setsid sleep DURATION & done; wait\n",
    command: "bash bomb",
  },
  {
    name: "a memory bomb",
    file: "import os\nb=[]\nwhile True: b.append(bytearray(os.urandom(1<<20)) * 64)\n",
    command: "python3 bomb",
  },
  {
    name: "a file that grows without end",
    file: "exec dd if=/dev/zero of=big bs=16M\n",
    command: "bash bomb",
  },
  {
    name: "shared memory that grows without end",
    file: "exec dd if=/dev/zero of=/dev/shm/big bs=16M\n",
    command: "bash bomb",
  },
] as const;

for (const { name, file, command } of FAULTS) {
  Deno.test({
    name: `${name} fails, and ally lives`,
    ignore: !hasBubblewrap(),
    fn: async () => {
      const duration = uniqueDuration();
      await using at = await guarded([{ command, timeout: 20 }, "echo the next command runs"], {
        files: { bomb: file.replace("DURATION", duration) },
      });
      const done = await at.run(["-A"]);
      const [failed, next] = at.results();
      assert.match(failed!, /"success":false/);
      assert.equal(next, "the next command runs\n");
      assert.match(done.stdout, /ally lives/);
      assert.deepEqual(runningWith(duration), []);
      const big = await Deno.stat(join(at.place.dir, "big")).then(({ size }) => size, () => 0);
      assert.ok(big <= 2 ** 31, `${big}`);
    },
  });
}
