/** The number of processes in a sandbox, which nothing in it can raise, whoever started ally. */
import assert from "node:assert/strict";
import { SHAPES, stageSandbox } from "../support/confined.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

/** Before Linux 6.14 nothing limits root's processes. */
function isLimited(): boolean {
  const [major = 0, minor = 0] = Deno.osRelease().split(".").map((part) => parseInt(part));
  return Deno.uid() !== 0 || major > 6 || (major === 6 && minor >= 14);
}

Deno.test({
  name: "no command raises the number of processes that it may have",
  ignore: !hasBubblewrap() || !isLimited(),
  async fn() {
    await using at = await stageSandbox();
    const count = Math.max(500, navigator.hardwareConcurrency * 64);
    const script = [
      "exec 2>/dev/null",
      "echo 30000 >/proc/sys/kernel/pid_max && echo raised",
      "ulimit -u unlimited",
      // A bash that cannot start one tries again for seconds; sh gives up.
      `sh -c 'at=0; while [ $at -lt ${count + 100} ]; do sleep 60 & at=$((at+1)); done; echo all'`,
      "echo end",
    ];
    for (const shape of [SHAPES.closed, SHAPES.workspace]) {
      assert.equal((await at.run(shape, script.join("\n"))).output.split("\n")[0], "end");
    }
  },
});
